"""Build a store: whole packages are copied under their digests, and the manifest comes last."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import NpudoctorError
from npudoctor.provision.packages import archives
from npudoctor.provision.packages.fetch import PART, WrongBytesError, fetch
from npudoctor.provision.packages.files import (
    copy_hashed,
    locked,
    new_file,
    put_in_place,
    tell_nobody,
    telling,
    write_whole,
)
from npudoctor.provision.packages.find import Found, Search, State
from npudoctor.provision.packages.known import published_as
from npudoctor.provision.packages.manifest import NAME, Entry, Manifest, manifest_before, object_place
from npudoctor.provision.packages.place import Folder
from npudoctor.provision.packages.seen import Memory, said_of_itself
from npudoctor.provision.packages.verify import wrong_with
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

INCOMING = ".incoming"


@dataclass(frozen=True, slots=True)
class Item:
    """One package that goes into a store, for one stack."""

    found: Found
    stack: str


@dataclass(frozen=True, slots=True)
class Built:
    """What became of a build.

    Attributes:
        added: Packages whose bytes were copied.
        present: Packages whose bytes were there already.
    """

    manifest: Manifest
    added: int
    present: int


def build(items: Iterable[Item], output: Path, tell: Callable[[int], None] = tell_nobody) -> Built:
    """Put packages into a store; what it held before stays, for undo.

    The manifest changes at once and last: a build that is broken off leaves the store as it was, and maybe
    objects that the next one takes up.

    Raises:
        UsageError: Another npudoctor writes there, or the folder may not be written.
        WrongBytesError: Bytes changed while they were copied.
        IncompleteError: A mirror broke off.
        NpudoctorError: There is too little room.
    """
    with telling(output), locked(output):
        before = manifest_before(output)
        incoming = output / INCOMING
        _clear(incoming)
        items = list(items)
        _need_room(items, output)
        stored = [_store(item, output, incoming, tell) for item in items]
        manifest = before.with_entries(entry for entry, _new in stored)
        write_whole(output / NAME, manifest.text(), output / INCOMING / NAME)
        shutil.rmtree(incoming, ignore_errors=True)
    added = sum(new for _entry, new in stored)
    return Built(manifest, added, len(stored) - added)


def need_room(missing: int, folder: Path) -> None:
    """Raises `NpudoctorError` where so many bytes do not go onto the disk of a folder."""
    free = shutil.disk_usage(folder).free
    if missing > free:
        what = _("{folder}: {missing} MB are needed, {free} MB are free")
        told = what.format(folder=folder, missing=missing // 10**6 + 1, free=free // 10**6)
        raise NpudoctorError(told, _("free some room, or choose another folder"))


def _need_room(items: list[Item], output: Path) -> None:
    sizes = {one.sha256: one.size or 0 for one in (item.found for item in items) if one.sha256}
    unknown = sum(item.found.size or 0 for item in items if not item.found.sha256)
    missing = (size for sha256, size in sizes.items() if not (output / object_place(sha256)).exists())
    need_room(sum(missing) + unknown, output)


def _clear(incoming: Path) -> None:
    """Leftovers of a build that was broken off go; half-fetched files stay, for they go on."""
    incoming.mkdir(parents=True, exist_ok=True)
    for file in incoming.iterdir():
        if not file.name.endswith(PART):
            file.unlink()


def _store(item: Item, output: Path, incoming: Path, tell: Callable[[int], None]) -> tuple[Entry, bool]:
    """The package's entry, and whether its bytes are new to the store."""
    found = _near(item.found, incoming, tell)
    if found.sha256:
        entry = _entry(item.stack, found, found.size, found.sha256, found.proof)
        if (output / entry.place).exists() and not wrong_with(output, entry):
            return entry, False
    scratch = incoming / found.name
    size, sha256, proof = _bring(found, scratch, tell)
    put_in_place(scratch, output / object_place(sha256))
    return _entry(item.stack, found, size, sha256, proof), True


def _near(found: Found, incoming: Path, tell: Callable[[int], None]) -> Found:
    """The same, where its zip is far away: the zip is fetched and looked into."""
    held = found.held
    if held is None or held.path is not None or not found.zipped:
        return found
    zipped = incoming / held.name
    if not zipped.exists():
        fetch(held.where, zipped, {one.sha256 for one in published_as(held.name)}, held.size, tell)
    near = Search(Folder(incoming), Memory()).find(found.need)
    if near.state is not State.FOUND:
        raise WrongBytesError(f"{held.where}: {near.why}", _("mend the mirror"))
    return replace(near, where=held.where)


def _bring(found: Found, scratch: Path, tell: Callable[[int], None]) -> tuple[int, str, str]:
    """Bring the package to the scratch file: its size, its digest, and who vouches for it."""
    held = found.held
    assert held is not None
    if held.path is None:
        wanted = {found.sha256} - {""} or {one.sha256 for one in published_as(found.name)}
        size, sha256 = fetch(held.where, scratch, wanted, held.size, tell)
        return size, sha256, _vouched(scratch, found.proof)
    opened = archives.opened(held.path, found.name) if found.zipped else held.path.open("rb")
    with opened as source, new_file(scratch) as target:
        size, sha256 = copy_hashed(source, target, tell)
    if sha256 != found.sha256:
        scratch.unlink()
        what = _("{where}: changed while it was copied").format(where=found.where)
        raise WrongBytesError(what, _("run it again"))
    return size, sha256, found.proof


def _vouched(file: Path, proof: str) -> str:
    """A package from a mirror without digests has its own checksum at the least."""
    wrong, itself, _label = said_of_itself(file)
    if wrong:
        file.unlink()
        raise WrongBytesError(f"{file.name}: {wrong}", _("mend the mirror"))
    return proof if proof != "none" or not itself else "itself"


def _entry(stack: str, found: Found, size: int | None, sha256: str, proof: str) -> Entry:
    return Entry(
        name=found.name,
        size=size or 0,
        sha256=sha256,
        component=found.need.component,
        version=found.need.version,
        chip=found.need.file.chip,
        arch=found.need.file.arch,
        source="".join(letter if letter.isprintable() else "?" for letter in found.where),
        signature=found.signature,
        proof=proof,
        stacks=(stack,),
        added=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )
