"""Which file of the repository a path inside an image is a copy of."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.gate.files import File, Repository


class Copies:
    """The COPY and ADD instructions of a stage so far."""

    def __init__(self, repository: Repository, folder: str, context: str) -> None:
        self._repository = repository
        self._roots = tuple(dict.fromkeys((context, folder, repository.root)))
        self._copied: list[tuple[str, str, bool]] = []

    def copy(self) -> Copies:
        """A copy whose changes stay its own."""
        other = Copies.__new__(Copies)
        other._repository, other._roots, other._copied = self._repository, self._roots, list(self._copied)
        return other

    def add(self, sources: Iterable[str], target: str, is_folder: bool) -> None:
        """Copy sources (of the context) to a path inside."""
        sources = list(sources)
        for source in sources:
            self._copied.append((source, posixpath.normpath(target), is_folder or len(sources) > 1))

    def file(self, path: str, folder: str) -> File | None:
        """The file that stands at a path inside; `folder` is the one that the command runs in."""
        inside = posixpath.normpath(posixpath.join(folder, path))
        for source, target, is_folder in reversed(self._copied):
            for name in _names(inside, source, target, is_folder):
                if found := self._in_context(name):
                    return found
        return None

    def _in_context(self, path: str) -> File | None:
        for root in self._roots:
            if found := self._repository.at(posixpath.join(root, path.lstrip("/"))):
                return found
        return None


def _names(inside: str, source: str, target: str, is_folder: bool) -> list[str]:
    """What a path inside may be called in the context, by one copy."""
    name = posixpath.basename(source.rstrip("/"))
    names = []
    if inside == target:
        names.append(source)
    below = inside.removeprefix(target.rstrip("/") + "/")
    if below != inside:
        if "*" in name and posixpath.dirname(below) == "":
            names.append(posixpath.join(posixpath.dirname(source), below))
        if below == name or is_folder:
            names.append(source if below == name else "")
        names.append(posixpath.join(source, below))
    return [name for name in names if name]
