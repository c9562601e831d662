"""The CANN trees that the paths of an environment lead through."""

from __future__ import annotations

import re
from posixpath import dirname, normpath
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.host.cann import Installation

NAMING = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_OPP_PATH", "ASCEND_AICPU_PATH")
"""Variables that decide which CANN a program uses, first the strongest."""
LISTS = ("LD_LIBRARY_PATH", "PYTHONPATH", "PATH")
_TREE = regex(r"(/.*?/(?:ascend-toolkit/(?:latest|\d[^/]*)|cann-\d[^/]*)|/(?:.*?/)?[Aa]scend/cann)(?:/.*)?")


@dataclass(frozen=True, slots=True)
class Step:
    """One path of an environment that lies in a CANN tree.

    Attributes:
        variable: `LD_LIBRARY_PATH`.
        path: The path as it is set.
        tree: The folder of the CANN: `/usr/local/Ascend/cann-8.5.0`.
        base: Where CANNs are installed side by side: `/usr/local/Ascend`.
        version: Which of them, None for a link that nobody resolved.
    """

    variable: str
    path: str
    tree: str
    base: str
    version: str | None


def steps(variables: Mapping[str, str], installed: tuple[Installation, ...]) -> list[Step]:
    """Every path that leads through a CANN, in the order in which it is looked at."""
    return [step for name, path in _paths(variables) if (step := _step(name, path, installed))]


def entries(variables: Mapping[str, str], name: str) -> list[str]:
    """The parts of a path list, empty ones too."""
    return variables.get(name, "").split(":")


def conflict(one: Step, other: Step) -> bool:
    """Whether two paths lead to different CANNs; a link goes with any version beside it."""
    if one.base != other.base:
        return True
    return None not in (one.version, other.version) and one.version != other.version


def _paths(variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in (*NAMING, *LISTS):
        yield from ((name, path.strip()) for path in entries(variables, name) if path.strip())


def _step(name: str, path: str, installed: tuple[Installation, ...]) -> Step | None:
    match = _TREE.fullmatch(normpath(path))
    if match is None:
        return None
    tree = match[1]
    home = next((cann for cann in installed if tree in cann.folders), None)
    real = home.root if home else tree
    base = dirname(real).removesuffix("/ascend-toolkit")
    linked = home is None and re.search(r"/(latest|cann)$", tree)
    return Step(name, path, tree, base, None if linked else real)
