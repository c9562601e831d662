"""Whether the packages of driver and firmware each name the other one's version."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact
from npudoctor.finding import Action, Fix, Proof, Verdict, ok, skip, warn
from npudoctor.versions import Firmware, VersionError, driver_version
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.parse.version_info import VersionInfo, VersionRange

ITF_VER = "github.com/hicann/driver scripts/package/custom/driver/common/conf/itf_ver.conf"
Series = Callable[[str], Any]
"""Text to a version that can be compared with others of its series."""


@check(
    "firmware.declared_range",
    title=N_("Driver and firmware each name the other's version"),
    sources=(ITF_VER, "github.com/Ascend/docs: version.info of driver and firmware"),
    dated="2026-08",
    role="firmware",
)
def declared_range(host: Host) -> Verdict:
    """Both packages write down which versions of the other they accept, and both are asked.

    compatible_version_fw of the driver holds ranges of firmware, compatible_version_drv of the firmware
    holds prefixes of drivers (`[24.1,24.1.]`). Each list was written when its package was built, so a newer
    partner that one side does not know is no fault; only where neither side, or the newer side itself, names
    the other do they not go together. (itf_ver.conf of the driver, vendor's examples; 2026-08.)
    """
    driver, firmware = host.driver.on_disk, host.driver.firmware_on_disk
    if driver.absent or firmware.absent:
        return skip(_("driver or firmware package is not installed"))
    answers = _answers(driver.value, firmware.value)
    if not answers:
        return skip(_("neither package names versions of the other"))
    proofs = _range_lines(driver, firmware)
    if any(answers):
        return ok(*proofs, actual=f"{driver.value.version} / {firmware.value.version}")
    fix = Fix(
        Action.UPGRADE,
        _("Install driver and firmware of one release (firmware first, then driver), then reboot."),
        (),
        role="firmware",
    )
    actual = _("driver {driver} and firmware {firmware} do not name each other")
    return warn(
        *proofs,
        actual=actual.format(driver=driver.value.version, firmware=firmware.value.version),
        expected=_("a pair that one of them names"),
        fix=fix,
    )


def in_range(version: str, accepted: VersionRange, series: Series) -> bool:
    """Whether a driver or firmware version lies in a declared range; a `high` like `24.1.` is a prefix.

    Raises:
        VersionError: The version or an end of the range is none of the series.
        TypeError: The version is of another series of drivers than the range.
    """
    if accepted.high.endswith("."):
        return f"{version.lower()}.".startswith(accepted.high.lower())
    low, found, high = (series(text) for text in (accepted.low, version, accepted.high))
    return bool(low <= found <= high)


def _answers(driver: VersionInfo, firmware: VersionInfo) -> list[bool]:
    """What each side that names versions says of the other."""
    answers = []
    if firmware.version and driver.firmware:
        answers.append(_accepts(firmware.version, driver.firmware, Firmware))
    if driver.version and firmware.driver:
        answers.append(_accepts(driver.version, firmware.driver, driver_version))
    return answers


def _accepts(version: str, ranges: tuple[VersionRange, ...], series: Series) -> bool:
    try:
        return any(in_range(version, one, series) for one in ranges)
    except (VersionError, TypeError):  # another series of numbers: not the one that the range speaks of
        return False


def _range_lines(driver: Fact[VersionInfo], firmware: Fact[VersionInfo]) -> list[Proof]:
    proofs: list[Proof] = [driver, firmware]
    for fact, key, ranges in (
        (driver, "compatible_version_fw", driver.value.firmware),
        (firmware, "compatible_version_drv", firmware.value.driver),
    ):
        if ranges:
            text = ",".join(f"[{one.low},{one.high}]" for one in ranges)
            proofs.append(Evidence(fact.evidence[0].source, f"{key}={text}"))
    return proofs
