"""What keeps a driver from being laid down or let in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.plan.blocking.case import Case, Words, blocks, install_command, lays_down
from npudoctor.provision.plan.difference import DOWNGRADE
from npudoctor.provision.plan.rollback import refusals, unknown_because
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_CHIPS = ("driver", "firmware")
_BUILT = ("driver",)
"""Components whose installer builds kernel modules."""


@blocks("kernel-headers")
def _kernel_headers(case: Case) -> Iterator[Words]:
    kernels = case.ground.kernels
    headers, running = kernels.headers, kernels.running.or_none()
    if not any(lays_down(one) for one in case.work_on(*_BUILT)) or not running:
        return
    there = headers.or_none() or ()
    following = kernels.next.or_none()
    if running not in there:
        yield _headers(case, running, _("it runs now"))
    if following and following not in (running, *there):
        yield _headers(case, following, _("the next boot starts it"))


def _headers(case: Case, release: str, which: str) -> Words:
    names = (f"linux-headers-{release}", f"kernel-devel-{release} kernel-headers-{release}")
    return {"release": release, "which": which, "install": install_command(case, *names)}


@blocks("anti-rollback")
def _anti_rollback(case: Case) -> Iterator[Words]:
    if not any(lays_down(one) for one in case.work_on("driver")):
        return
    family, wanted = case.wanted.stack.chip, case.wanted.version("driver")
    for refusal in refusals(wanted, family, case.ground.flash):
        yield {"wanted": wanted, "why": refusal.why, "least": refusal.least, "chip": family}


@blocks("anti-rollback-unknown")
def _anti_rollback_unknown(case: Case) -> Iterator[Words]:
    why = unknown_because(case.wanted.stack.chip, case.ground.flash)
    for one in case.work_on("driver"):
        if one.difference.action == DOWNGRADE and why:
            yield {"before": one.difference.before, "wanted": case.wanted.version("driver"), "why": why}


@blocks("flash-damaged")
def _flash_damaged(case: Case) -> Iterator[Words]:
    base = case.ground.flash.base.or_none()
    if base and base.damaged and any(case.work_on("driver")):
        yield {}


@blocks("needs-older-driver-first")
def _needs_older_driver_first(case: Case) -> Iterator[Words]:
    """910B firmware `X.11.…`: its installer asks for driver 23.0.RC1 first."""
    installed = case.ground.installed
    versions = installed.flash.or_none() or (installed.firmware.or_none() or "",)
    if case.wanted.stack.chip != "910B" or not any(case.work_on(*_OF_CHIPS)):
        return
    for version in versions:
        if version.split(".")[1:2] == ["11"]:
            yield {"before": version}


@blocks("secure-boot")
def _secure_boot(case: Case) -> Iterator[Words]:
    built = any(lays_down(one) for one in case.work_on(*_BUILT))
    if built and case.ground.kernels.secure_boot.or_none():
        yield {}


@blocks("pending-reboot")
def _pending_reboot(case: Case) -> Iterator[Words]:
    """A driver that somebody laid down and did not start, and that is not the wanted one either."""
    installed = case.ground.installed
    disk, running = installed.driver.or_none(), installed.driver_running.or_none()
    changes = any(lays_down(one) for one in case.work_on("driver"))
    if changes and disk and running and disk != running:
        why = _("driver {disk} is on the disk, {running} runs").format(disk=disk, running=running)
        yield {"why": why}
