"""The memory pool that a field report sets aside with two variables, by the checks of a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.memory_pool import (
    AHEAD,
    OF,
    RESERVED,
    SIZE,
    pool_not_a_number,
    pool_without_preallocation,
)
from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import known
from npudoctor.finding import Edit, Status, Verdict
from npudoctor.gate.rules.registry import Subject, Trouble, rule
from npudoctor.gate.rules.verdicts import trouble
from npudoctor.host import Host
from npudoctor.host.environment import Environment
from npudoctor.matrix.chips import chip_of_name
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.unit import Setting

_MB, _GIB = 1024**2, 1024**3


@rule("memory.pool_not_a_number", "memory.pool_without_preallocation", "memory.pool_size")
def pool(subject: Subject) -> Iterator[Trouble]:
    """Its size, its unit, and the switch that it needs; its share of the chip that `npudoctor.yaml` names."""
    size = subject.unit.environment.get(SIZE)
    ahead = subject.unit.environment.get(AHEAD)
    if size is None or not size.known:
        return
    host = Host(Snapshot("", "files", {}))
    values = {name: one.text for name, one in ((SIZE, size), (AHEAD, ahead)) if one is not None and one.known}
    host.__dict__["environment"] = Environment(known(values, ""))
    yield from _told("memory.pool_not_a_number", pool_not_a_number(host), size)
    if ahead is None or ahead.known:
        yield from _told("memory.pool_without_preallocation", pool_without_preallocation(host), size)
    yield from _too_large(subject, size)


def _told(id: str, verdict: Verdict, size: Setting) -> Iterator[Trouble]:
    if verdict.status not in (Status.WARN, Status.FAIL) or verdict.fix is None:
        return
    name, _equals, value = "".join(verdict.fix.commands[:1]).removeprefix("export ").partition("=")
    where = size.where
    right = name == SIZE and value and where.text.count(size.text) == 1
    edits = (Edit(where.path, where.line, where.text, where.text.replace(size.text, value)),) if right else ()
    actual = f"{SIZE if right else AHEAD}: {verdict.actual}"
    yield trouble(id, verdict.status, [where], actual, expected=verdict.expected,
                  summary=verdict.fix.summary, edits=edits)  # fmt: skip


def _too_large(subject: Subject, size: Setting) -> Iterator[Trouble]:
    chip = chip_of_name(subject.target.text("chip") or "")
    if chip is None or not chip.hbm_mb or not size.text.strip().isdecimal():
        return
    wanted, total = int(size.text), max(chip.hbm_mb) * _MB
    limit = total * (OF - RESERVED) // OF
    if wanted > limit:
        status = Status.FAIL if wanted >= total else Status.WARN
        actual = _("{wanted} GiB of {total} GiB").format(wanted=wanted // _GIB, total=total // _GIB)
        yield trouble("memory.pool_size", status, [size.where], actual,
                      expected=_("at most {limit} GiB").format(limit=limit // _GIB),
                      summary=_("Make the pool smaller."))  # fmt: skip
