"""The NPUs of the hosts of a fleet, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.fleet_scope import gaps, not_read, of_host, same, without_npu_or_machine
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, ok, warn
from npudoctor.nodeset import fold
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from npudoctor.checks.fleet_member import Member
    from npudoctor.fact import Evidence, Fact
    from npudoctor.host import Host

HCCL_TABLES = "hicann/hccl docs/zh/user_guide (rank tables, one kind of server each)"
LAYOUTS = "npu-smi outputs posted in public, 20.x to 26.x"


def _chip(host: Host) -> Mapping[str, Fact[str]] | str:
    """Of a host that has no NPU nothing: it is the controller, or a storage server."""
    if reason := without_npu_or_machine(host):
        return reason
    return {"": host.npus.chip}


@check(
    "fleet.chip_kinds",
    title=N_("All hosts have the same kind of NPU"),
    sources=(HCCL_TABLES,),
    dated="2026-08",
    reads=_chip,
)
def chip_kinds(hosts: Collection[Member]) -> Verdict:
    """One job runs on one kind of chip; operators, memory and links of others differ.

    A rank table is of the version of one chip generation (1.0 for A2, 1.2 for A3, 2.0 for 950), and operator
    packages are of one kind. A mixed fleet is no fault where its jobs are kept apart, but no comparison
    between its hosts says much: give `--limit` a group of one kind. (HCCL user guide, 2026-08.)
    """
    summary = _("Keep jobs on hosts of one kind, and check each kind by itself with --limit.")
    return same(hosts, ("",), expected=_("one kind of chip"), fix=Fix(Action.NONE, summary))


def _count(host: Host) -> Mapping[str, Fact[str] | Fact[int]] | str:
    if reason := without_npu_or_machine(host):
        return reason
    return {"chip": host.npus.chip, "count": host.npus.count}


@check(
    "fleet.npu_count",
    title=N_("Hosts with the same kind of NPU have the same number of them"),
    sources=(LAYOUTS,),
    dated="2026-08",
    reads=_count,
)
def npu_count(hosts: Collection[Member]) -> Verdict:
    """A server that lost a card looks healthy by itself: what is not there is not ill.

    Servers of one model carry the same number, and launchers start one rank a card on each. Compared are
    hosts with the same kind of chip; the number that most of them have is taken for the right one, and only
    those with fewer are named. (npu-smi lists what the driver sees; 2026-08.)
    """
    by_chip = _by_chip(hosts)
    if not by_chip:
        return not_read(gaps(hosts, ("chip", "count")), _("the same number of NPUs"))
    few = {chip: _fewer(numbers) for chip, numbers in by_chip.items()}
    told = [
        _("{n} × {chip}: {hosts} (most have {most})").format(
            n=n, chip=chip, hosts=fold(names), most=_most(by_chip[chip])
        )
        for chip, numbers in few.items()
        for n, (names, _proofs) in numbers.items()
    ]
    proofs = [proof for numbers in few.values() for _names, lines in numbers.values() for proof in lines]
    if told:
        summary = _("Look for the card that is missing: lspci, dmesg, the BMC; then reseat it.")
        return warn(
            *proofs, actual=_("; ").join(told), expected=_("the same number of NPUs"),
            fix=Fix(Action.RESEAT, summary, ("lspci -d 19e5:", "npu-smi info -l")),
        )  # fmt: skip
    if missing := gaps(hosts, ("chip", "count")):
        return not_read(missing, _("the same number of NPUs"))
    numbers = ", ".join(f"{_most(found)} × {chip}" for chip, found in by_chip.items())
    return ok(*(found[_most(found)][1][0] for found in by_chip.values()), actual=numbers)


Numbers = dict[int, tuple[list[str], "list[Evidence]"]]
"""By a number of NPUs: the hosts that have it, and the line that proves it of the first."""


def _by_chip(hosts: Collection[Member]) -> dict[str, Numbers]:
    found: dict[str, Numbers] = {}
    for member in hosts:
        chip, count = member.fact("chip"), member.fact("count")
        if chip.known and count.known:
            numbers = found.setdefault(chip.value, {})
            names, _lines = numbers.setdefault(count.value, ([], list(of_host(member.name, count)[:1])))
            names.append(member.name)
    return found


def _most(numbers: Numbers) -> int:
    """The number that most hosts have; of two that equally many have, the larger."""
    return max(numbers, key=lambda number: (len(numbers[number][0]), number))


def _fewer(numbers: Numbers) -> Numbers:
    return {number: numbers[number] for number in sorted(numbers) if number < _most(numbers)}
