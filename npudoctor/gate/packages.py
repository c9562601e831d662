"""The Python packages that a series of commands leaves installed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.gate.pip import install_of, read_list, requirement
from npudoctor.gate.unit import Setting
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.pip import Install
    from npudoctor.gate.unit import Command, Requirement, Where

Find = Callable[[str], "File | None"]
"""The file of the repository that a command means by a path."""
LinesOf = Callable[[str], tuple["Where", ...]]
"""The lines that set the variables in a text."""

_INDEX_VARIABLES = (
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
)
_CONDA = regex(r"(?:.*/)?(?:conda|mamba|micromamba)")
_CONDA_PYTHON = regex(r"python={1,2}(3\.\d+)(?:\.\d+)?")


class Packages:
    """What is installed so far, in the order of the commands: the last word on a package counts."""

    def __init__(self, repository: Repository) -> None:
        self.installed: dict[str, Requirement] = {}
        self.constraints: dict[str, Requirement] = {}
        self.indexes: list[str] = []
        self.python: Setting | None = None
        self.missing: list[Setting] = []
        self._repository = repository

    def copy(self) -> Packages:
        """A copy whose changes stay its own."""
        other = Packages(self._repository)
        other.installed, other.constraints = dict(self.installed), dict(self.constraints)
        other.indexes, other.python, other.missing = list(self.indexes), self.python, list(self.missing)
        return other

    def run(self, command: Command, find: Find, lines_of: LinesOf) -> None:
        """Take in one command, whatever it is."""
        install = install_of(command)
        if install is not None:
            self._pip(install, command, find, lines_of)
            return
        words = command.words
        if len(words) > 4 and words[1:3] == ("config", "set") and "index-url" in words[3]:
            self.indexes.append(words[4])
        elif words and _CONDA.fullmatch(words[0]):
            self._conda(command)
        elif words[:2] == ("uv", "venv"):
            self._venv(command)

    def _pip(self, install: Install, command: Command, find: Find, lines_of: LinesOf) -> None:
        if install.removes:
            for text, _where in install.words:
                self.installed.pop(_normal(text), None)
            return
        indexes = self._indexes(install, command)
        for path in install.constraints:
            if file := find(path):
                listed = read_list(file, self._repository)
                self.constraints |= {one.name: one for one in listed.requirements}
        for path, where in install.files:
            self._list(path, where, indexes, find, command.sure)
        for text, where in install.words:
            one = requirement(text, where, indexes, install.unresolved)
            if one:
                self._install(replace(one, parts=_parts(lines_of(where.text), one)), command.sure)

    def _indexes(self, install: Install, command: Command) -> tuple[str, ...]:
        named = [command.environment[name].text for name in _INDEX_VARIABLES if name in command.environment]
        return tuple(dict.fromkeys((*self.indexes, *named, *install.indexes)))

    def _list(self, path: str, where: Where, indexes: tuple[str, ...], find: Find, sure: bool) -> None:
        file = find(path)
        if file is None:
            self.missing.append(Setting(path, where, (path,)))
            return
        listed = read_list(file, self._repository)
        self.constraints |= {one.name: one for one in listed.constraints}
        for one in listed.requirements:
            self._install(replace(one, indexes=(*one.indexes, *indexes, *listed.indexes)), sure)

    def _install(self, one: Requirement, sure: bool) -> None:
        """Install one; a branch that may not be taken leaves open which of two versions is there."""
        bound = self.constraints.get(one.name)
        if bound is not None and one.pinned is None and not one.unresolved:
            one = replace(bound, indexes=one.indexes)
        before = self.installed.get(one.name)
        if before is not None and not one.specifier and not one.unresolved and before.specifier:
            return  # it is there already: pip leaves it
        if before is not None and not sure and before.specifier != one.specifier:
            one = replace(one, specifier="")
        self.installed[one.name] = one

    def _conda(self, command: Command) -> None:
        for index, word in enumerate(command.words):
            if match := _CONDA_PYTHON.fullmatch(word):
                self.python = Setting(match[1], command.place(index))

    def _venv(self, command: Command) -> None:
        for index, word in enumerate(command.words):
            value = (
                command.words[index + 1]
                if word in ("-p", "--python") and index + 1 < len(command.words)
                else ""
            )
            if re.fullmatch(r"3\.\d+", value):
                self.python = Setting(value, command.place(index + 1))


def _normal(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def _parts(lines: Sequence[Where], one: Requirement) -> tuple[Where, ...]:
    """Those of the lines that give the requirement its version."""
    version = one.pinned
    return tuple(line for line in lines if line != one.where and version and version in line.text)
