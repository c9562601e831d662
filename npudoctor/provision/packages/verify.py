"""Look through a store: every object is read, and must be what the manifest says."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.provision.packages.files import CHUNK, tell_nobody
from npudoctor.provision.packages.manifest import Entry, Manifest, object_place, read_manifest
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one package."""

    name: str
    sha256: str
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found.

    Attributes:
        strays: Objects that no package needs: what a build left that was broken off.
    """

    manifest: Manifest
    problems: tuple[Problem, ...]
    strays: tuple[str, ...]


def verify(folder: Path, tell: Callable[[int], None] = tell_nobody) -> Verified:
    """Read every object of a store.

    Raises:
        UsageError: There is no store, or its manifest is damaged.
    """
    manifest = read_manifest(folder)
    problems = tuple(_problems(folder, manifest, tell))
    known = {entry.place for entry in manifest.entries}
    present = (str(path.relative_to(folder)) for path in sorted(folder.glob("sha256/*/*")))
    return Verified(manifest, problems, tuple(place for place in present if place not in known))


def wrong_with(folder: Path, entry: Entry, tell: Callable[[int], None] = tell_nobody) -> str:
    """What is wrong with the object of one package; empty where it is whole."""
    path = folder / object_place(entry.sha256)
    try:
        if path.is_symlink() or not path.is_file():
            return _("it is not there")
        size = path.stat().st_size
        if size != entry.size:
            return _("it has {size} bytes, not {wanted}").format(size=size, wanted=entry.size)
        present = _digest(path, tell)
    except OSError as error:
        return _("it cannot be read: {why}").format(why=error.strerror)
    if present != entry.sha256:
        return _("its SHA-256 is {present}, not {wanted}").format(
            present=present[:16], wanted=entry.sha256[:16]
        )
    return ""


def _problems(folder: Path, manifest: Manifest, tell: Callable[[int], None]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for entry in manifest.entries:
        if entry.sha256 not in seen:
            seen[entry.sha256] = wrong_with(folder, entry, tell)
        if seen[entry.sha256]:
            yield Problem(entry.name, entry.sha256, seen[entry.sha256])


def _digest(path: Path, tell: Callable[[int], None]) -> str:
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            hashed.update(chunk)
            tell(len(chunk))
    return hashed.hexdigest()
