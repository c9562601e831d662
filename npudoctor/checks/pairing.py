"""Whether driver, firmware and CANN go together, by the compatibility matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.pairing_verdict import Asked, ask, judged
from npudoctor.checks.registry import check
from npudoctor.fact import Fact
from npudoctor.finding import Action, Fix, Status, Verdict, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.cann import Installation
    from npudoctor.matrix import Matrix

_CANN_NOTES = "https://www.hiascend.com/document/detail/en/CANNCommunityEdition/920/softwareinst/releasenote/9.2.0/release-notes.md"
_QUICK_INSTALL = "Ascend/docs:_static/package_info.js@b224fcc5f39c"


@check(
    "driver.cann_pairing",
    title=N_("The driver goes with CANN"),
    sources=(_CANN_NOTES, "compat_matrix.yaml: driver_cann, driver_cann_lists, driver_labels"),
    dated="2026-11",
    role="driver",
)
def cann_pairing(host: Host, matrix: Matrix) -> Verdict:
    """CANN talks to the driver through interfaces that change from release to release.

    Each CANN from 8.5.0 on names the drivers that it works with, and gives up the oldest line of them with
    every release: CANN 9.1 does not run on HDK 25.0, CANN 9.2 not on 25.2 either (release notes of 9.2.0,
    November 2026). For older CANN there are matched pairs, ranges of components and field reports. The wrong
    pair often starts and fails later: aclrtSetDevice with ACL_ERROR_INVALID_PARAM, 507018, missing symbols.
    In a container the driver is the host's, the CANN is the image's.
    """
    if reason := _not_here(host, host.driver.version):
        return skip(reason)
    if host.cann.active.absent or host.cann.installations.or_none() == ():
        return skip(_("no CANN is installed"))
    asked: list[Asked] = []
    for cann in _canns(host):
        facts = {"driver": host.driver.version, "cann": cann}
        asked += ask(matrix, host, facts, [("driver", "cann")])
    return judged(asked, "driver")


def _not_here(host: Host, fact: Fact[str]) -> str | None:
    if host.npus.present.or_none() is False:
        return _("no NPU on this machine")
    return _("no NPU driver is installed") if fact.absent else None


def _canns(host: Host) -> list[Fact[str]]:
    """The active CANN; where it cannot be told, all that are installed."""
    active = host.cann.active
    if active.known or not host.cann.installations.known:
        return [active.map(_version)]
    return [Fact(cann.version, (cann.evidence,)) for cann in host.cann.installations.value]


def _version(cann: Installation) -> str:
    return cann.version


@check(
    "driver.firmware_pairing",
    title=N_("Driver and firmware are of one release"),
    sources=(_QUICK_INSTALL, "compat_matrix.yaml: driver_firmware, declared"),
    dated="2026-08",
    role="firmware",
)
def firmware_pairing(host: Host, matrix: Matrix) -> Verdict:
    """Driver and firmware of one HDK are tested together, and the firmware line differs from chip to chip.

    Driver 25.5.0 goes with firmware 7.8.0.5.216 on 910B and stays with 7.1.0.4.218 on 310B. A firmware that
    the driver's own version file still accepts runs, outside the tested pair; an older one does not. Both
    sides are asked, since each list was written when its package was built (install pages, version files and
    hosts seen, August 2026). Where no list names this driver for the chip, the firmware's own
    package_version tells whether both are of one release.
    """
    if reason := _not_here(host, host.driver.version):
        return skip(reason)
    if host.driver.firmware.absent or host.system.in_vm.or_none():
        return skip(_("no firmware package here: in a virtual machine the host has it"))
    facts = {"driver": host.driver.version, "firmware": host.driver.firmware}
    verdict = judged(ask(matrix, host, facts, [("driver", "firmware")]), "firmware")
    unlisted = verdict.status in (Status.UNKNOWN, Status.WARN) and not verdict.expected
    return (unlisted and _by_package(host)) or verdict


def _by_package(host: Host) -> Verdict | None:
    """What the firmware package's own release says; None where it names none, or where another runs."""
    driver, on_disk = host.driver.version, host.driver.firmware_on_disk
    package = on_disk.value.package if on_disk.known else None
    if package is None or on_disk.value.version != host.driver.firmware.value:
        return None
    ours, theirs = _release_line(driver.value), _release_line(package)
    same = package.lower() == driver.value.lower()
    if not (ours and theirs) or (ours == theirs and not same):
        return None
    proof = on_disk.map(lambda info: info, text=f"package_version={package}")
    actual = _("driver {driver}, firmware package {package}").format(driver=driver.value, package=package)
    if same:
        return ok(driver, proof, actual=actual)
    advice = _("Install driver and firmware of one release (firmware first, then driver), then reboot.")
    fix = Fix(Action.UPGRADE, advice, (), role="firmware")
    return warn(driver, proof, actual=actual, expected=_("one release"), fix=fix)


def _release_line(release: str) -> list[str]:
    """The line that a release belongs to: `25.5` of 25.5.1; empty for numbers before HDK (6.0.0)."""
    return release.split(".")[:2] if release[:2].isdigit() else []
