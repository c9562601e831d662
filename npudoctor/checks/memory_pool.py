"""The memory pool on the device that a field report sets aside with two variables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.checks.env_scope import FIELD_REPORT, line
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact, Unavailable
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

SIZE = "ASCEND_MEMORY_POOL_SIZE"
AHEAD = "ASCEND_MEMORY_PRE_ALLOCATE"
RESERVED, OF = 20, 128
"""Of 128 GB the driver, the runtime and their buffers need 20; other sizes in proportion."""
_MB = 1024 * 1024


@check(
    "memory.pool_size",
    title=N_("The memory pool leaves room on every chip for driver and runtime"),
    sources=(FIELD_REPORT,),
    dated="2026-08",
    role="environment",
)
def pool_size(host: Host) -> Verdict:
    """ASCEND_MEMORY_POOL_SIZE (bytes) is set aside on each chip; driver, runtime and buffers need the rest.

    The field report took 80 GiB of a device with 128 GB and left 20 GB to the system: of 128 GB less than 90
    were really free. In proportion a chip with 64 GB takes at most 54. A pool as large as a chip fails, one
    that leaves less than that share is a warning.
    """
    size = host.environment.of(SIZE)
    if size.absent:
        return skip(_("{name} is not set").format(name=SIZE))
    wanted = _bytes(size.value)
    if wanted is None:
        return skip(_("{name} is not a number").format(name=SIZE))
    smallest, proof = _smallest_chip(host)
    limit = smallest * _MB * (OF - RESERVED) // OF
    actual = _("{wanted} GiB of {total} GiB").format(wanted=_gib(wanted), total=_gib(smallest * _MB))
    expected = _("at most {limit} GiB").format(limit=_gib(limit))
    if wanted <= limit:
        return ok(size, proof, actual=actual, expected=expected)
    fix = Fix(Action.CONFIGURE, _("Make the pool smaller."), (f"export {SIZE}={limit}",))
    say = fail if wanted >= smallest * _MB else warn
    return say(size, proof, actual=actual, expected=expected, fix=fix)


def _smallest_chip(host: Host) -> tuple[int, Fact[int]]:
    """The device memory of the smallest chip in MB, HBM where it has any, with the line that says it."""
    sizes: list[tuple[int, str]] = []
    rows = host.npus.rows
    for at, chip in enumerate(host.npus.table.value.chips):
        total = chip.hbm_total_mb or chip.memory_total_mb
        if not total:
            raise Unavailable("npu-smi info: no memory size of a chip", "npu-smi info", "unreadable")
        sizes.append((total, rows[at] if at < len(rows) else ""))
    total, row = min(sizes)
    return total, Fact(total, (Evidence("npu-smi info", _memory_line(host, row) or f"{total} MB"),))


def _memory_line(host: Host, row: str) -> str:
    """The second line of a chip in the table, which holds its memory."""
    lines = host.snapshot.partial_output("npu-smi info").value.text.splitlines()
    at = lines.index(row) if row in lines else len(lines)
    return lines[at + 1] if at + 1 < len(lines) else row


@check(
    "memory.pool_without_preallocation",
    title=N_("A memory pool is allocated at the start"),
    sources=(FIELD_REPORT,),
    dated="2026-08",
    role="environment",
)
def pool_without_preallocation(host: Host) -> Verdict:
    """ASCEND_MEMORY_POOL_SIZE only counts with ASCEND_MEMORY_PRE_ALLOCATE=1.

    Without it memory is allocated piece by piece as before, and fragments end in out of memory.
    """
    size, ahead = host.environment.of(SIZE), host.environment.of(AHEAD)
    if size.absent:
        return skip(_("{name} is not set").format(name=SIZE))
    if ahead.known and ahead.value.strip() == "1":
        return ok(size, ahead, actual=f"{AHEAD}=1")
    actual = _("not set") if ahead.absent else f"{AHEAD}={ahead.value}"
    fix = Fix(Action.CONFIGURE, _("Switch the allocation at the start on."), (f"export {AHEAD}=1",))
    return warn(size, ahead, actual=actual, expected=f"{AHEAD}=1", fix=fix)


@check(
    "memory.pool_not_a_number",
    title=N_("The size of the memory pool is a number of bytes"),
    sources=(FIELD_REPORT,),
    dated="2026-08",
    role="environment",
)
def pool_not_a_number(host: Host) -> Verdict:
    """ASCEND_MEMORY_POOL_SIZE is a whole number of bytes: 85899345920 is 80 GiB. `80G` is not understood."""
    size = host.environment.of(SIZE)
    if size.absent:
        return skip(_("{name} is not set").format(name=SIZE))
    wanted = _bytes(size.value)
    if wanted is not None:
        return ok(size, actual=_("{size} GiB").format(size=_gib(wanted)))
    meant = _meant(size.value)
    commands = (f"export {SIZE}={meant}",) if meant else ()
    fix = Fix(Action.CONFIGURE, _("Write it in bytes."), commands)
    return fail(line(SIZE, size.value), actual=size.value, expected=_("a number of bytes"), fix=fix)


def _bytes(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\s*\d{1,18}\s*", text) else None


def _meant(text: str) -> int | None:
    """The bytes that `80G`, `80 GiB` or `81920M` are meant for; None where that is not clear."""
    match = re.fullmatch(r"\D?(\d{1,6})\s*([KMGT])i?B?\D?", text.strip(), re.IGNORECASE)
    if match is None:
        return None
    power: int = "KMGT".index(match[2].upper()) + 1
    return int(match[1]) << 10 * power


def _gib(size: int) -> str:
    return f"{size / 1024**3:.1f}".removesuffix(".0")
