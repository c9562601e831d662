"""What a row writes where a version stands: `8.5.0`, `25.5.X`, `>=24.1.RC1`, `>=3.10,<3.12`, `any`."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from npudoctor.regex import regex
from npudoctor.versions import Cann, DriverLabel, DriverSet, Hdk, Version, VersionError, driver_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_read: dict[tuple[str, str], Version | None] = {}
_PART = regex(r"\s*(>=|<=|==|>|<)?\s*(\S+)\s*")


def speaks_of(pattern: str, version: Version) -> bool:
    """Whether the pattern covers the version.

    A plain version covers itself and its patches (`24.1.0` covers `24.1.0.3`), `X` any release, RC or patch
    of the family, never an alpha or a beta. A pattern of another series covers nothing.
    """
    return pattern == "any" or all(_part_covers(part, version) for part in pattern.split(","))


def any_speaks_of(patterns: Iterable[str], version: Version) -> bool:
    """Whether one of the patterns covers the version."""
    return any(speaks_of(pattern, version) for pattern in patterns)


def versions_of(pattern: str, series: Callable[[str], Version]) -> list[Version]:
    """The versions that a pattern names.

    Raises:
        VersionError: Part of it is no version of the series.
    """
    if pattern == "any":
        return []
    parts = (found[2] for part in pattern.split(",") if (found := _PART.fullmatch(part)))
    return [series(text[:-2] if text.upper().endswith(".X") else text) for text in parts]


def is_exact(pattern: str, version: Version) -> bool:
    """Whether the pattern is this very version."""
    other = _like(type(version), pattern)
    return other is not None and other == version


def _part_covers(part: str, version: Version) -> bool:
    found = _PART.fullmatch(part)
    if found is None:
        return False
    sign, text = found[1], found[2]
    if text.upper().endswith(".X"):
        return _in_family(text[:-2], version)
    other = _like(type(version), text)
    if other is None:
        return False
    return _COMPARE[sign](version, other) if sign else _plain(version).extends(other)


def _plain(version: Version) -> Version:
    return version.edition if isinstance(version, Cann) else version


def _in_family(family: str, version: Version) -> bool:
    if _like(type(version), family) is None:
        return False
    return version.family == family and not _plain(version).is_preview


def _like(series: type[Version], text: str) -> Version | None:
    """The text as a version of the series; None where it belongs to another or to none."""
    key = (series.series, text)
    if key not in _read:
        _read[key] = _parsed(series, text)
    return _read[key]


def _parsed(series: type[Version], text: str) -> Version | None:
    try:
        other: Version = driver_version(text) if series in (Hdk, DriverLabel, DriverSet) else series(text)
    except VersionError:
        return None
    return other if type(other) is series else None
