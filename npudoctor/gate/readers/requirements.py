"""Lists of Python packages: `requirements*.txt`, constraints, with the lists that they name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.gate.pip import read_list
from npudoctor.gate.reader import reader
from npudoctor.gate.unit import Kind, Unit, Where
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository

_NAME = regex(
    r"(?:.*/)?[\w.-]*(?:requirements?|constraints?)[\w.-]*\.(?:txt|in)|(?:.*/)?requirements/[^/]+\.(?:txt|in)"
)


@reader("requirements", lambda file: bool(_NAME.fullmatch(file.path)))
def read_requirements(file: File, repository: Repository) -> Iterator[Unit]:
    """One unit: what `pip install -r` of the file installs."""
    listed = read_list(file, repository)
    bound = {one.name: one for one in listed.constraints}
    wanted = [
        bound[one.name] if not one.specifier and one.name in bound else one for one in listed.requirements
    ]
    unique = {one.name: one for one in wanted}
    requirements = tuple(replace(one, indexes=(*one.indexes, *listed.indexes)) for one in unique.values())
    where = Where(file.path, 1, file.line(1))
    yield Unit(Kind.PACKAGES, file.name, where, requirements=requirements)
