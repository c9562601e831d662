"""`version.info` of the NPU driver and of the firmware: their versions and what they say they work with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

_PAIR = regex(r"^\s*([A-Za-z][A-Za-z0-9_.]*)\s*=(.*)$")
_GROUP = regex(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Versions from `low` to `high`, both included, as the file writes them.

    A `high` that ends in a dot (`24.1.`) means every version that starts with it.
    """

    low: str
    high: str


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """One `version.info` of the driver or the firmware package.

    Attributes:
        version: `24.1.rc3` of a driver, `7.5.0.1.129` of a firmware; None where left out.
        package: `package_version`; on drivers 22.0 it differs from `version` (6.0.0); None where left out.
        inner: `Innerversion`, `V100R001C19SPC001B124`.
        cann: Inner CANN versions (`V100R001C19`) that it knew when it was built: members of a list, which
            cannot be ordered. A newer CANN that is not among them proves nothing.
        firmware: Ranges of firmware that a driver accepts.
        driver: Ranges of drivers that a firmware accepts.
        others: Every other key, as written.
    """

    version: str | None
    package: str | None
    inner: str | None
    cann: tuple[str, ...]
    firmware: tuple[VersionRange, ...]
    driver: tuple[VersionRange, ...]
    others: Mapping[str, str]


_KNOWN = {
    "version",
    "package_version",
    "innerversion",
    "compatible_version",
    "compatible_version_fw",
    "compatible_version_drv",
}


@parser("hdk-version-info", origin="/usr/local/Ascend/driver/version.info or …/firmware/version.info")
def parse_version_info(text: str) -> VersionInfo:
    """The `version.info` of a driver or firmware package.

    Lines that are no `key=value` (a prompt, a command) are passed over; a key may be in any case.

    Raises:
        ParseError: No key of such a file is in the text.
    """
    values = key_values(text)
    keys = {name.lower(): value for name, value in values.items()}
    if not keys.keys() & _KNOWN:
        raise ParseError("no Version= line and no other key of a version.info")
    return VersionInfo(
        version=keys.get("version") or keys.get("package_version") or None,
        package=keys.get("package_version") or None,
        inner=keys.get("innerversion") or None,
        cann=_members(keys.get("compatible_version", "")),
        firmware=_ranges(keys.get("compatible_version_fw", "")),
        driver=_ranges(keys.get("compatible_version_drv", "")),
        others={name: value for name, value in values.items() if name.lower() not in _KNOWN},
    )


def key_values(text: str) -> dict[str, str]:
    """`key=value` lines as a mapping; blanks and quotes around a value go, the last of two wins."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if match := _PAIR.match(line):
            found[match[1]] = match[2].strip().strip("\"'")
    return found


def _members(text: str) -> tuple[str, ...]:
    groups = _GROUP.findall(text) or [text]
    names = [name.strip() for group in groups for name in group.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def _ranges(text: str) -> tuple[VersionRange, ...]:
    ranges = []
    for group in _GROUP.findall(text):
        ends = [end.strip() for end in group.split(",") if end.strip()]
        if ends:
            ranges.append(VersionRange(ends[0], ends[-1]))
    return tuple(ranges)
