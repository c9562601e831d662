"""`version.info` of one CANN component (runtime, compiler, opp, …): its number and what it asks of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.cann_install import cann_version
from npudoctor.parse.registry import parser
from npudoctor.parse.version_info import key_values
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

_PACKAGE = regex(r"required_package_(.+)_version")
_DRIVER = regex(r"required_driver_(.+)_version")
_BOUND = regex(r"(>=|<=|>|<|==?)?\s*(\d+(?:\.\d+)*)")
_LONGEST = 18
"""Digits of one part of a version."""


@dataclass(frozen=True, slots=True)
class CannComponent:
    """One component of a CANN.

    Attributes:
        version: The component's own number, `7.7.0.1.238`. Up to CANN 8.1 it has the digits of a firmware.
        cann: The CANN it belongs to, `8.1.RC1`; None where the file does not say.
        packages: What it asks of other components, as written: `{"opp_kernel": ">=7.6, <=7.7"}`.
        driver: What it asks of the driver: `{"ascendhal": "4.0.0"}`.
    """

    version: str
    cann: str | None
    packages: Mapping[str, str]
    driver: Mapping[str, str]


@parser("cann-component-version", origin="<CANN>/runtime/version.info and those of its other components")
def parse_cann_component(text: str) -> CannComponent:
    """The `version.info` of one CANN component.

    Raises:
        ParseError: There is no `Version=` line with a dotted number, or a demand is not understood.
    """
    values = key_values(text)
    version = next((value for name, value in values.items() if name.lower() == "version"), "")
    if not version:
        raise ParseError("no Version= line")
    return CannComponent(
        version=dotted(version),
        cann=cann_version(values["version_dir"]) if values.get("version_dir") else None,
        packages=_required(values, _PACKAGE),
        driver=_required(values, _DRIVER),
    )


def admits(requirement: str, version: str) -> bool:
    """Whether `version` fits a requirement such as `7.7` or `>=7.6, <=7.7`.

    A bound counts as many parts as it writes: 7.7.0.1.238 fits `7.7` and `<=7.7`.

    Raises:
        ParseError: The requirement or the version is not understood.
    """
    parts = [part.strip() for part in requirement.strip("\"' ").split(",")]
    return all(_within(part, version) for part in parts)


def _within(bound: str, version: str) -> bool:
    match = _BOUND.fullmatch(bound)
    if not match:
        raise ParseError(f"requirement {bound!r} is not understood")
    limit = numbers(match[2])
    found = numbers(version)[: len(limit)]
    sign = match[1] or "=="
    return {
        ">=": found >= limit,
        "<=": found <= limit,
        ">": found > limit,
        "<": found < limit,
    }.get(sign, found == limit)


def dotted(version: str) -> str:
    """`version` itself where it is a dotted number; raises `ParseError` where it is none."""
    numbers(version)
    return version


def numbers(version: str) -> tuple[int, ...]:
    """`7.7.0.1.238` as numbers; raises `ParseError` where it is none."""
    parts = version.split(".")
    if not all(part.isdecimal() and len(part) <= _LONGEST for part in parts):
        raise ParseError(f"{version[:80]!r} is no dotted number")
    return tuple(int(part) for part in parts)


def _required(values: Mapping[str, str], pattern: re.Pattern[str]) -> dict[str, str]:
    hits = ((pattern.fullmatch(name), value.strip("\"'")) for name, value in values.items())
    demands = {match[1]: value for match, value in hits if match}
    for demand in demands.values():
        admits(demand, "0.0")
    return demands
