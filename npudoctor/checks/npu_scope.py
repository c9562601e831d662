"""What the checks of NPUs share: when there is nothing to judge, and how a chip is named and proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.fact import Evidence, Fact
from npudoctor.host.npus import INFO
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.host import Host
    from npudoctor.parse.npu_smi_info import TableChip

LAYOUTS = "github.com/hicann/driver npu-smi source; npu-smi outputs posted in public, 20.x to 26.x"
GUIDE = "hiascend.com npu-smi command reference"


def without_npu(host: Host) -> str:
    """Why checks of NPUs do not apply; empty where they do."""
    return _("there is no NPU on this machine") if host.npus.present.or_none() is False else ""


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


def known_of(facts: Iterable[Fact[object]]) -> bool:
    """Whether any of the facts could be read."""
    return any(fact.known for fact in facts)


def joined(names: Iterable[str], most: int = 8) -> str:
    """The first names of a list, for a line of a report."""
    listed = list(names)
    more = _(" and {n} more").format(n=len(listed) - most) if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
