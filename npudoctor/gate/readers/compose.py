"""Compose files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.compose.project import Project
from npudoctor.gate.reader import reader
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Unit

_SERVICES = regex(r"(?m)^services\s*:")
_OBJECT = regex(r"(?m)^(?:apiVersion|kind)\s*:")


def is_compose(file: File) -> bool:
    """YAML with `services` at its top, which no Kubernetes object has."""
    if not file.name.endswith((".yml", ".yaml")):
        return False
    return _SERVICES.search(file.text) is not None and _OBJECT.search(file.text) is None


@reader("Compose", is_compose)
def read_compose(file: File, repository: Repository) -> Iterator[Unit]:
    """The services of the file, together with the files that Compose reads with it."""
    yield from Project(file, repository).units()
