"""Who uses the NPUs now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import LAYOUTS, for_each, joined, label, proven, without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, ok, skip, unknown, warn
from npudoctor.host.npus import INFO
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.parse.npu_smi_info import TableChip

OCCUPIED = 0.2
"""Share of a chip's memory. The driver itself holds 3 to 8 % of it on idle chips of all families seen."""


@check(
    "npu.held",
    title=N_("No memory is held by a process that nobody sees"),
    sources=(LAYOUTS, "ascend-deployer-26.0.0 library_utils/npu_checks.py"),
    dated="2026-08",
)
def held(host: Host) -> Verdict:
    """Memory in use with no process beside it belongs to another container or was left behind by a dead job.

    A new job then runs out of memory (EL0004, 207001) or finds the device busy. Right: a chip with more
    than 20 % of its memory in use has its processes in the table of `npu-smi info` or in fuser. A service
    that is listed is no fault. npu-smi need not list every process, so this is a warning at most.
    """
    if reason := without_npu(host):
        return skip(reason)
    shares = [(chip, share, proof) for chip, proof in proven(host) if (share := _share(chip)) is not None]
    if not shares:
        return skip(_("no chip of this host has HBM of its own"))
    seen = {process.npu_id for process in host.npus.table.value.processes}
    holders = host.npus.holders.or_none() or ()
    full = [] if holders else [row for row in shares if row[1] > OCCUPIED and row[0].npu_id not in seen]
    if full and not host.npus.lists_processes:
        return unknown(*(proof for _c, _s, proof in full), actual=_("this npu-smi lists no processes"))
    if full:
        words = joined(f"{label(chip)} ({_amount(chip)})" for chip, _share_of, _proof in full)
        return warn(
            *(Evidence(INFO, f"{proof.text} {_amount(chip)}") for chip, _s, proof in full[:2]),
            actual=_("in use, no process listed: {chips}").format(chips=words),
            expected=_("a process for it"),
            fix=_find([chip.npu_id for chip, _s, _p in full]),
        )
    return ok(*_users(host), actual=_("{n} processes on {npus} NPUs").format(
        n=len(host.npus.table.value.processes), npus=len(seen)))  # fmt: skip


def _share(chip: TableChip) -> float | None:
    used, total = chip.hbm_used_mb, chip.hbm_total_mb
    return used / total if used is not None and total else None


def _amount(chip: TableChip) -> str:
    return f"{chip.hbm_used_mb} / {chip.hbm_total_mb} MB"


def _users(host: Host) -> list[Evidence]:
    return [
        Evidence(INFO, f"NPU {p.npu_id}: pid {p.pid} {p.name or '?'} {p.memory_mb} MB")
        for p in host.npus.table.value.processes[:8]
    ]


def _find(npus: list[int]) -> Fix:
    return Fix(
        Action.FREE,
        _("Find the process on the host (containers hide it from each other) and end it, or free its NPU."),
        ("fuser -v /dev/davinci*", for_each("npu-smi info -t proc-mem -i N", npus), "docker ps"),
    )
