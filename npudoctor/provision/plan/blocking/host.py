"""The host itself: who logs in, its NPUs, its system, its Python."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from npudoctor.finding import Status
from npudoctor.provision.plan.blocking.case import Case, Words, blocks, install_command, why_not
from npudoctor.provision.plan.controller import core_for
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

ARCHES = ("aarch64", "x86_64")
_CLOCK_SECONDS = 300.0
"""More than that apart, tickets and certificates do not hold, and lists of packages are of the future."""
_NOT_UP = ("starting", "initializing", "stopping", "maintenance", "offline")


@blocks("not-root")
def _not_root(case: Case) -> Iterator[Words]:
    if case.ground.root.or_none() is False:
        yield {}


@blocks("no-npu")
def _no_npu(case: Case) -> Iterator[Words]:
    present = case.ground.present
    if not present.or_none():
        yield {"why": why_not(present) or _("PCI, /dev and the driver show none")}


@blocks("wrong-chip")
def _wrong_chip(case: Case) -> Iterator[Words]:
    family = case.ground.family.or_none()
    if family and family != case.wanted.stack.chip:
        yield {"chip": case.ground.chip.or_none() or family, "wanted": case.wanted.stack.chip}


@blocks("unsupported-arch")
def _unsupported_arch(case: Case) -> Iterator[Words]:
    arch, only = case.ground.arch, case.wanted.stack.arch
    wanted = (only,) if only else ARCHES
    if (arch.or_none() or "?") not in wanted:
        yield {"arch": arch.or_none() or why_not(arch), "wanted": ", ".join(wanted)}


@blocks("unsupported-os")
def _unsupported_os(case: Case) -> Iterator[Words]:
    bad = (Status.FAIL, Status.WARN)
    if any(finding.id == "os.supported" and finding.status in bad for finding in case.findings):
        yield {"os": case.ground.os.or_none() or "?"}


@blocks("vm")
def _vm(case: Case) -> Iterator[Words]:
    if case.ground.in_vm.or_none() and any(case.work_on("firmware")):
        yield {}


@blocks("no-python")
def _no_python(case: Case) -> Iterator[Words]:
    pythons = case.ground.installed.pythons
    if pythons.known and not pythons.value:
        yield {"install": install_command(case, "python3", "python3")}


@blocks("python-too-old")
def _python_too_old(case: Case) -> Iterator[Words]:
    pythons = case.ground.installed.pythons.or_none() or ()
    if pythons and not case.controller.interpreter(pythons):
        newest = max((version for _path, version in pythons), key=_numbers)
        least, core = case.controller.least, case.controller.core
        yield {"found": newest, "core": core, "least": least, "other": core_for(newest) or "2.17"}


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


@blocks("clock-off")
def _clock_off(case: Case) -> Iterator[Words]:
    ahead, there = case.ground.ahead.or_none(), case.ground.clock.or_none()
    if ahead and there is not None and (ahead.least > _CLOCK_SECONDS or ahead.most < -_CLOCK_SECONDS):
        yield {"there": _date(there), "here": _date(there - (ahead.least + ahead.most) / 2)}


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds))


@blocks("not-settled")
def _not_settled(case: Case) -> Iterator[Words]:
    state = case.ground.state.or_none()
    if state in _NOT_UP:
        yield {"state": state}
