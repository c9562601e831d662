"""The Python interpreters and the packages that serving needs."""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, ParseError, known, unavailable
from npudoctor.host.environment import read_environment
from npudoctor.host.torchair import torchair_of
from npudoctor.parse.collect_env import parse_collect_env
from npudoctor.parse.python_packages import (
    PackageList,
    PythonPackages,
    parse_package_list,
    parse_python_packages,
)
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.collect.snapshot import Entry, Snapshot

_LISTS = ("commands/*pip*_list*", "commands/*pip*_freeze*", "commands/*conda_list*")


def pip_of(path: str) -> str:
    """How to call the pip of the interpreter at `path`; plain `pip` where it is a saved list."""
    return f"{path} -m pip" if path.startswith("/") else "pip"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One Python with its packages, read from package metadata, never imported.

    Attributes:
        path: `/usr/bin/python3`; for a saved `pip list` or collect_env report, that command.
        version: `3.11.9`; empty where nothing says it.
        packages: Version by normalised name (lower case, `_` for `-` and `.`): `{"torch_npu": "2.5.1"}`.
        spellings: Names as the metadata writes them, by normalised name.
        versions: All versions of a name: two are two installations of one project, side by side.
        source: What it was read from.
        torchair: The folder of torchair inside its torch_npu; absent where that was built without it.
    """

    path: str
    version: str
    packages: Mapping[str, str]
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = "python-packages"
    torchair: Fact[str] = unavailable("torch_npu/dynamo/torchair: not collected", "torch_npu/dynamo/torchair")

    @property
    def pip(self) -> str:
        """How to call its pip: `/usr/bin/python3 -m pip`."""
        return pip_of(self.path)

    def package(self, name: str) -> Fact[str]:
        """The version of a package (normalised name) with the line that shows it; absent where it is not."""
        if name not in self.packages:
            return unavailable(f"{name} is not installed in {self.path}", self.path, "absent")
        spelling = self.spellings.get(name, (name,))[-1]
        return known(self.packages[name], self.path, f"{spelling}=={self.packages[name]}")


@dataclass(frozen=True, slots=True)
class Pythons:
    """The Python interpreters of a machine."""

    interpreters: Fact[tuple[Interpreter, ...]]
    """All that were found, the one that `python3` starts first."""
    current: Fact[Interpreter]
    """The one of this environment: that of VIRTUAL_ENV or CONDA_PREFIX, else the first."""

    def having(self, *names: str) -> tuple[Interpreter, ...]:
        """Interpreters that have all of these packages (normalised names).

        Raises:
            Unavailable: No list of packages was collected.
        """
        return tuple(python for python in self.interpreters.value if all(n in python.packages for n in names))


NO_PYTHON = "# none"
"""What the script says where it found no interpreter; an empty list may have been cut off."""


def read_pythons(snapshot: Snapshot) -> Pythons:
    """Read it out of a snapshot."""
    interpreters = _interpreters(snapshot)
    variables = read_environment(snapshot).variables.or_none() or {}
    homes = [home for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if (home := variables.get(name))]
    return Pythons(interpreters, interpreters.map(lambda found: _current(found, homes)))


def _interpreters(snapshot: Snapshot) -> Fact[tuple[Interpreter, ...]]:
    entry = snapshot.entry("python-packages")
    if entry is not None and entry.state not in ("complete", "absent"):
        return unavailable("python-packages: incomplete", "python-packages", "cut-off")
    if entry is not None and entry.state == "complete" and entry.text.strip() == NO_PYTHON:
        return known((), "python-packages", NO_PYTHON)
    if entry is not None and entry.state == "complete":
        blocks = known(entry.text, "python-packages").map(parse_python_packages)
        found = blocks.map(lambda parsed: tuple(_interpreter(snapshot, one) for one in parsed))
        return Fact(found.content, tuple(map(_evidence, found.or_none() or ())))
    saved = tuple(_saved_lists(snapshot))
    if saved:
        return Fact(saved, tuple(map(_evidence, saved)))
    if entry is not None and entry.state == "absent":
        return known((), "python-packages", "no Python interpreter")
    return unavailable("python-packages: not collected", "python-packages")


def _interpreter(snapshot: Snapshot, block: PythonPackages) -> Interpreter:
    named = re.search(r"python(\d\.\d+)$", block.path)
    version = block.version or (named[1] if named else "")
    found = _of_list(block.path, version, block.listing, "python-packages")
    return replace(found, torchair=torchair_of(snapshot, block.path, version))


def _evidence(python: Interpreter) -> Evidence:
    text = " ".join(part for part in (python.path, python.version) if part)
    return Evidence(python.source, f"# {text}: {len(python.packages)} packages")


def _of_list(path: str, version: str, found: PackageList, source: str) -> Interpreter:
    return Interpreter(path, version, found.packages, found.spellings, found.versions, source)


def _saved_lists(snapshot: Snapshot) -> Iterator[Interpreter]:
    for pattern in _LISTS:
        for entry in snapshot.matching(pattern):
            if found := _package_list(entry):
                yield _of_list(entry.origin, "", found, entry.origin)
    for entry in snapshot.matching("commands/*collect_env*"):
        if report := _report(entry):
            yield report


def _package_list(entry: Entry) -> PackageList | None:
    try:
        return parse_package_list(entry.text)
    except ParseError:
        return None


def _report(entry: Entry) -> Interpreter | None:
    try:
        report = parse_collect_env(entry.text)
    except ParseError:
        return None
    return Interpreter(entry.origin, report.python or "", report.packages, source=entry.origin)


def _current(found: tuple[Interpreter, ...], homes: list[str]) -> Interpreter:
    if not found:
        raise ParseError(N_("no Python interpreter"))
    inside = (python for home in homes for python in found if python.path.startswith(home.rstrip("/") + "/"))
    return next(inside, found[0])
