"""`pyproject.toml`: dependencies, and each extra or group together with them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from npudoctor.gate.pip import requirement
from npudoctor.gate.reader import reader
from npudoctor.gate.unit import Kind, Unit, Unreadable, Where
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Requirement

_LINE = regex(r"line (\d+)")


@reader("pyproject", lambda file: file.name == "pyproject.toml")
def read_pyproject(file: File, _repository: Repository) -> Iterator[Unit]:
    """One unit for the dependencies, and one for each extra or group that adds to them.

    Raises:
        Unreadable: It is no TOML.
    """
    content = _toml(file)
    project = _table(content.get("project"))
    base = list(_requirements(file, project.get("dependencies")))
    yield _unit(file, file.name, base)
    extras = {**_table(project.get("optional-dependencies")), **_table(content.get("dependency-groups"))}
    for name, rows in extras.items():
        if own := list(_requirements(file, rows)):
            yield _unit(file, f"{file.name} [{name}]", [*base, *own])


def _unit(file: File, name: str, requirements: Iterable[Requirement]) -> Unit:
    unique = {one.name: one for one in requirements}
    return Unit(Kind.PACKAGES, name, Where(file.path, 1, file.line(1)), requirements=tuple(unique.values()))


def _requirements(file: File, rows: Any) -> Iterator[Requirement]:
    for text in rows if isinstance(rows, list) else ():
        if isinstance(text, str) and (one := requirement(text, _place(file, text))):
            yield one


def _place(file: File, text: str) -> Where:
    """The line that holds a dependency; TOML readers do not tell it."""
    for number, line in enumerate(file.lines, 1):
        if text in line.replace('\\"', '"'):
            return Where(file.path, number, line)
    return Where(file.path, 1, file.line(1))


def _toml(file: File) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        found: dict[str, Any] = tomllib.loads(file.text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        raise Unreadable(f"no TOML: {error}", int(line[1]) if line else 1) from None
    return found


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
