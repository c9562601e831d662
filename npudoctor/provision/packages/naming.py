"""What the name of a package file says: component, chip, architecture and version."""

from __future__ import annotations

import re
from functools import cache

from npudoctor.dataclass import dataclass
from npudoctor.provision.components import PackageName, components

_PLACE = re.compile(r"\\\{(\w+)\\\}|\\\*")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """What a name says.

    Attributes:
        chip: The family; empty where the name holds for all.
        arch: `aarch64`, `x86_64`, or empty where the name holds for both.
    """

    name: str
    component: str
    version: str
    chip: str
    arch: str

    def __str__(self) -> str:
        return " ".join(text for text in (self.chip, self.arch, self.version) if text)


def read_name(name: str) -> NamedFile | None:
    """What the name of a file says; None where no component has such files."""
    for component, package, pattern in _patterns():
        found = pattern.fullmatch(name)
        if found is not None:
            words = found.groupdict("")
            return NamedFile(
                name,
                component,
                words["version"],
                _spelled(package.chips, words.get("chip", "")) or _only(package.chips),
                _spelled(package.arches, words.get("arch", "")),
            )
    return None


@cache
def _patterns() -> tuple[tuple[str, PackageName, re.Pattern[str]], ...]:
    return tuple(
        (component.name, package, re.compile(_PLACE.sub(_part, re.escape(package.name)), re.IGNORECASE))
        for component in components()
        for package in component.packages
        if not package.name.startswith("{")
    )


def _part(found: re.Match[str]) -> str:
    if found[1] is None:
        return ".*?"
    known = {"chip": "(?P<chip>[0-9A-Za-z]+)", "arch": "(?P<arch>aarch64|x86[-_]64)", "py": "cp[0-9]+"}
    return known.get(found[1], "(?P<version>[0-9][0-9A-Za-z.+]*)")


def _spelled(spellings: dict[str, str], text: str) -> str:
    """The key that is spelled so."""
    return next((key for key, spelling in spellings.items() if spelling.lower() == text.lower()), "")


def _only(chips: dict[str, str]) -> str:
    return next(iter(chips)) if len(chips) == 1 else ""
