"""The wheels of a stack's Python environment: torch, torch_npu, what CANN imports, and what these require.

Of each project it takes the newest wheel that all who require it allow. What a wheel behind a URL requires
cannot be read: there, whatever fits is taken.
"""

from __future__ import annotations

import runpy
from functools import cache
from typing import TYPE_CHECKING

from npudoctor.provision.packages.find import Found, Need, Search, State
from npudoctor.provision.packages.wheels import Wheel, file_of, fitting, project_of, requirements_of
from npudoctor.provision.playbooks import module_utils
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from packaging.requirements import Requirement

    from npudoctor.matrix.stacks import NamedStack

COMPONENT = "python_env"
_TOOLS = ("pip",)
"""What makes environments where a host lacks it: taken if it is there."""


@cache
def cann_needs() -> tuple[str, ...]:
    """What CANN's own Python parts import; the role reads the same list."""
    needs: tuple[str, ...] = runpy.run_path(str(module_utils() / "cann_needs.py"))["CANN_NEEDS"]
    return needs


def find_environment(search: Search, stack: NamedStack, arch: str, roots: Sequence[Found]) -> list[Found]:
    """The wheels that are needed beside `roots`, those of torch and torch_npu; those that are missing too."""
    return _Environment(search, stack, arch, roots).found()


class _Environment:
    """What is asked for so far, and which wheels that takes."""

    def __init__(self, search: Search, stack: NamedStack, arch: str, roots: Sequence[Found]) -> None:
        self._search, self._stack, self._arch = search, stack, arch
        self._roots = {project_of(one.need.file.name): one for one in roots}
        self._there = _by_project(fitting(search.names(), stack, arch))
        self._asked: dict[str, list[tuple[str, Requirement]]] = {}
        self._found: dict[str, Found] = {}

    def found(self) -> list[Found]:
        from packaging.requirements import Requirement

        waiting = [("CANN", Requirement(name)) for name in cann_needs()]
        waiting += [asked for root in self._roots.values() for asked in self._required(root)]
        while waiting:
            who, requirement = waiting.pop()
            waiting += self._take(who, requirement)
        far = any(one.state is State.UNREAD for one in (*self._roots.values(), *self._found.values()))
        for project in self._there.keys() - self._roots.keys() if far else _TOOLS:
            if project in self._there and project not in self._found:
                self._found[project] = self._look(self._there[project][0])
        return [self._found[project] for project in sorted(self._found)]

    def _take(self, who: str, requirement: Requirement) -> list[tuple[str, Requirement]]:
        """Take what is asked for; what it requires itself, where that was not asked for before."""
        project = project_of(requirement.name)
        asked = self._asked.setdefault(project, [])
        if project in self._roots or any(str(requirement) == str(earlier) for _who, earlier in asked):
            return []
        asked.append((who, requirement))
        self._found[project] = self._newest(project)
        return self._required(self._found[project], requirement.extras)

    def _newest(self, project: str) -> Found:
        """The newest wheel that all allow; a missing one where there is none."""
        asked = self._asked[project]
        for wheel in self._there.get(project, ()):
            if all(each.specifier.contains(wheel.version, prereleases=True) for _who, each in asked):
                return self._look(wheel)
        name = f"{project}-*.whl"
        told = (_("{who} needs {what}").format(who=who, what=_plain(each)) for who, each in asked)
        need = Need(COMPONENT, "", file_of(name, self._arch))
        return Found(need, State.MISSING, name, why=", ".join(dict.fromkeys(told)))

    def _look(self, wheel: Wheel) -> Found:
        return self._search.find(Need(COMPONENT, wheel.version, file_of(wheel.name, wheel.arch)))

    def _required(self, one: Found, extras: Iterable[str] = ()) -> list[tuple[str, Requirement]]:
        if one.state is not State.FOUND or one.held is None or one.held.path is None:
            return []
        who = one.name.partition("-")[0]
        found = requirements_of(one.held.path, self._stack, self._arch, extras)
        return [(who, requirement) for requirement in found]


def _by_project(wheels: Iterable[Wheel]) -> dict[str, list[Wheel]]:
    """The newest first; wheels whose version cannot be read are left out."""
    from packaging.version import InvalidVersion, Version

    read = []
    for wheel in wheels:
        try:
            read.append((Version(wheel.version), wheel))
        except InvalidVersion:
            continue
    projects: dict[str, list[Wheel]] = {}
    for _version, wheel in sorted(read, key=lambda pair: pair[0], reverse=True):
        projects.setdefault(wheel.project, []).append(wheel)
    return projects


def _plain(requirement: Requirement) -> str:
    """Without its marker."""
    return str(requirement).partition(";")[0].strip()
