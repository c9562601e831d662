"""What the checks of NPUs share: when there is nothing to judge, and how a chip is named and proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.fact import Evidence
from npudoctor.finding import Verdict, unknown
from npudoctor.host.npus import INFO
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from npudoctor.host import Host
    from npudoctor.parse.npu_smi_info import TableChip

LAYOUTS = "github.com/hicann/driver npu-smi source; npu-smi outputs posted in public, 20.x to 26.x"
GUIDE = "hiascend.com npu-smi command reference"


def without_npu(host: Host) -> str:
    """Why checks of NPUs do not apply; empty where they do."""
    return _("there is no NPU on this machine") if host.npus.present.or_none() is False else ""


def without_ascend(host: Host) -> str:
    """Why settings of the system are not judged: no NPU, and nothing that could use one; empty else."""
    if not without_npu(host) or host.cann.installations.or_none() or host.driver.on_disk.known:
        return ""
    return _("no NPU and no Ascend software on this machine")


def needs_answer(host: Host) -> None:
    """For checks whose own question could not be asked because npu-smi lists no chip.

    Raises:
        Unavailable: Why npu-smi lists none: the same reason for all of them.
    """
    _table = host.npus.table.value


def not_collected(command: str) -> Verdict:
    """For what nobody asked: the reason, with the place, so that a report can gather those that share it."""
    why = _("not collected")
    return unknown(Evidence(command, why), actual=f"{command}: {why}")


def label(chip: TableChip) -> str:
    """`NPU 3`, or `NPU 3 chip 1` for the second die of a card."""
    return f"NPU {chip.npu_id} chip {chip.chip_id}" if chip.chip_id else f"NPU {chip.npu_id}"


def proven(host: Host) -> Iterator[tuple[TableChip, Evidence]]:
    """Each chip of the table with the line that it was read from."""
    chips, rows = host.npus.table.value.chips, host.npus.rows
    for place, chip in enumerate(chips):
        line = rows[place] if len(rows) == len(chips) else _row_of(chip, rows)
        yield chip, Evidence(INFO, " ".join(line.split()))


def _row_of(chip: TableChip, rows: Iterable[str]) -> str:
    start = f"{chip.npu_id} "
    return next((row for row in rows if row.lstrip("| ").startswith(start)), label(chip))


def grouped(words: Mapping[str, str], all_of: int, most: int = 8) -> str:
    """What is said of each name, the same words once: `L1 Enabled on all 8 NPUs`, `DOWN: 3, 6`.

    Args:
        words: What is said, by the name of what it is said of.
        all_of: How many there are in all, those with nothing to say too.
        most: Of one group's names, how many are listed.
    """
    groups: dict[str, list[str]] = {}
    for name, said in words.items():
        groups.setdefault(said, []).append(name)
    if len(groups) == 1 and len(words) == all_of > 1:
        return _("{said} on all {n} NPUs").format(said=next(iter(groups)), n=all_of)
    return _("; ").join(f"{joined(names, most)}: {said}" for said, names in groups.items())


def example_of_each(
    words: Mapping[str, str], proofs: Mapping[str, Evidence], most: int = 2
) -> list[Evidence]:
    """Of what is said the same way of many names, the first lines only; the words name them all."""
    shown: dict[str, list[Evidence]] = {}
    for name, said in words.items():
        shown.setdefault(said, []).append(proofs[name])
    return [proof for lines in shown.values() for proof in lines[:most]]


def for_each(command: str, numbers: Iterable[int | str]) -> str:
    """The command for these NPUs, where it says N for the number of one: a loop where there are several."""
    listed = [str(number) for number in numbers]
    if " N" not in command or not listed:
        return command
    if len(listed) == 1:
        return command.replace(" N", f" {listed[0]}")
    return f"for i in {' '.join(listed)}; do {command.replace(' N', ' $i')}; done"


def joined(names: Iterable[str], most: int = 8) -> str:
    """The first names of a list, for a line of a report."""
    listed = list(names)
    more = _(" and {n} more").format(n=len(listed) - most) if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
