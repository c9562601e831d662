"""Python packages with their versions, as a bundle, pip, conda or an environment report lists them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex
from npudoctor.text import NO_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HEADER = regex(r"^#\s*(/\S*)(?:\s+(\d+(?:\.\w+)+))?\s*$")
_PINNED = regex(r"^([A-Za-z0-9][\w.\-]*)\s*={2,3}\s*([^\s;]+)")
_ROW = regex(r"^([A-Za-z0-9][\w.\-]*)\s+(\d[\w.+!\-]*)(?:\s|$)")
_WHEEL = regex(r"^([A-Za-z0-9][\w.\-]*) @ \S*/[^/\s]+?-(\d[\w.+!%]*)-[^/\s]+\.whl")
_REPORT = regex(r"^\[(?:pip\d*|conda)\]\s+")


@dataclass(frozen=True, slots=True)
class PackageList:
    """Packages of one Python.

    Attributes:
        packages: Version by normalised name; where a name is there twice, the last one.
        spellings: The names as written, by normalised name, in order.
        versions: All versions of a name, in order: two of them are two installations of one project.
    """

    packages: Mapping[str, str]
    spellings: Mapping[str, tuple[str, ...]]
    versions: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PythonPackages:
    """One interpreter's block.

    Attributes:
        path: `/usr/bin/python3`.
        version: `3.11.9`; None where the block does not say.
        listing: Its packages.
    """

    path: str
    version: str | None
    listing: PackageList


def normalised(name: str) -> str:
    """The name in lower case with `_` for every run of `-`, `_` and `.`: `Torch-NPU` → `torch_npu`."""
    return re.sub(r"[-_.]+", "_", name).lower()


@parser("python-packages", origin="the entry python-packages of a bundle")
def parse_python_packages(text: str) -> tuple[PythonPackages, ...]:
    """Blocks of `# /path/to/python X.Y.Z`, then `NAME==VERSION` lines, one block an interpreter.

    Raises:
        ParseError: Packages stand before any interpreter, nothing is in the text, or bytes that are no text.
    """
    if NO_TEXT in text:  # a name that is spoilt would be a package that is missing
        raise ParseError("bytes that are no text")
    blocks: list[tuple[str, str | None, list[str]]] = []
    for line in text.splitlines():
        if header := _HEADER.match(line):
            blocks.append((header[1], header[2], []))
        elif blocks:
            blocks[-1][2].append(line)
        elif _PINNED.match(line):
            raise ParseError("packages before the first '# /path/to/python X.Y.Z' line")
    if not blocks:
        raise ParseError("no '# /path/to/python X.Y.Z' line")
    return tuple(PythonPackages(path, version, _packages(lines)) for path, version, lines in blocks)


@parser("pip-list", origin="pip list, pip freeze, conda list")
def parse_package_list(text: str) -> PackageList:
    """The table of `pip list` or `conda list`, or the lines of `pip freeze`.

    Commands, headings and packages without a version are passed over.

    Raises:
        ParseError: No package with a version is in the text.
    """
    found = _packages(text.splitlines())
    if not found.packages:
        raise ParseError("no package with a version")
    return found


def _packages(lines: Iterable[str]) -> PackageList:
    spellings: dict[str, list[str]] = {}
    versions: dict[str, list[str]] = {}
    for name, version in filter(None, map(package_of, lines)):
        key = normalised(name)
        spellings.setdefault(key, []).append(name)
        versions.setdefault(key, []).append(version)
    return PackageList(
        packages={key: found[-1] for key, found in versions.items()},
        spellings={key: tuple(dict.fromkeys(found)) for key, found in spellings.items()},
        versions={key: tuple(dict.fromkeys(found)) for key, found in versions.items()},
    )


def package_of(line: str) -> tuple[str, str] | None:
    """Name and version of one line of any such list; None where it names none."""
    line = _REPORT.sub("", line.strip())
    for pattern in (_PINNED, _WHEEL, _ROW):
        if match := pattern.match(line):
            return match[1], match[2]
    return None
