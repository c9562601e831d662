"""Take in a store that was carried over: a folder or a tar. Nothing in it is believed before it is hashed."""

from __future__ import annotations

import lzma
import shutil
import tarfile
import zlib
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.provision.packages.build import INCOMING, need_room
from npudoctor.provision.packages.fetch import WrongBytesError
from npudoctor.provision.packages.files import (
    copy_hashed,
    locked,
    new_file,
    put_in_place,
    tell_nobody,
    telling,
    write_whole,
)
from npudoctor.provision.packages.manifest import (
    MOST_BYTES,
    NAME,
    Entry,
    Manifest,
    manifest_before,
    object_place,
    parse_manifest,
    read_manifest,
)
from npudoctor.provision.packages.verify import wrong_with
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PASSED_OVER = (".lock", INCOMING)
_MOST_MEMBERS = 100_000


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of it: the store's manifest now, what came, and how many objects were new."""

    manifest: Manifest
    came: Manifest
    added: int


def bring_in(
    source: Path, output: Path, digest: str = "", tell: Callable[[int], None] = tell_nobody
) -> Imported:
    """Take all packages of a carried store into the store at `output`.

    Every object is hashed as it is copied. The manifest changes last and at once: an import that is broken
    off leaves the store as it was.

    Args:
        source: A folder, or a tar (`.tar`, `.tar.gz`).
        digest: What the manifest's own digest must be; empty for any.

    Raises:
        UsageError: It is no store; or it holds what no store holds (links, devices, other paths).
        WrongBytesError: It is cut off, an object is not what the manifest says, or that is another one.
        NpudoctorError: There is too little room.
    """
    with _opened(source) as carried, telling(output), locked(output):
        came = carried.manifest
        if digest and came.sha256 != digest.lower():
            what = _("{source}: the digest of its manifest is {digest}").format(
                source=source, digest=came.sha256
            )
            raise WrongBytesError(what, _("it is not the store that you were told of"))
        before = manifest_before(output)
        added = _take_all(carried, output, tell)
        manifest = before.with_entries(came.entries)
        write_whole(output / NAME, manifest.text(), output / INCOMING / NAME)
        shutil.rmtree(output / INCOMING, ignore_errors=True)
    return Imported(manifest, came, added)


def _take_all(carried: _CarriedFolder | _CarriedTar, output: Path, tell: Callable[[int], None]) -> int:
    """Every object that is not there whole already; how many they were."""
    entries = {entry.sha256: entry for entry in carried.manifest.entries}
    missing = {key: one for key, one in entries.items() if wrong_with(output, one)}
    number = len(missing)
    need_room(sum(entry.size for entry in missing.values()), output)
    incoming = output / INCOMING
    shutil.rmtree(incoming, ignore_errors=True)
    incoming.mkdir(parents=True)
    for entry, stream in carried.objects(dict(missing)):
        _take(entry, stream, output, incoming, tell)
        del missing[entry.sha256]
    if missing:
        names = ", ".join(entry.name for entry in missing.values())
        what = _("the store that was carried over is cut off: {names} is not in it").format(names=names)
        raise WrongBytesError(what, _("carry it over again"))
    return number


def _take(entry: Entry, stream: IO[bytes], output: Path, incoming: Path, tell: Callable[[int], None]) -> None:
    scratch = incoming / entry.sha256
    with _not_cut_off(entry.name), new_file(scratch) as target:
        size, sha256 = copy_hashed(stream, target, tell, most=entry.size)
    if (size, sha256) != (entry.size, entry.sha256):
        scratch.unlink()
        what = _("{name}: damaged on the way: SHA-256 {present}, not {wanted}")
        told = what.format(name=entry.name, present=sha256[:16], wanted=entry.sha256[:16])
        raise WrongBytesError(told, _("carry it over again"))
    put_in_place(scratch, output / object_place(sha256))


class _CarriedFolder:
    """A store in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.manifest = read_manifest(folder)

    def objects(self, wanted: dict[str, Entry]) -> Iterator[tuple[Entry, IO[bytes]]]:
        """Every wanted object that is there."""
        for entry in wanted.values():
            path = self._folder / entry.place
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    yield entry, file


class _CarriedTar:
    """A store in a tar, read from front to back twice: for its manifest, then for its objects."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.manifest = self._read_manifest()

    def objects(self, wanted: dict[str, Entry]) -> Iterator[tuple[Entry, IO[bytes]]]:
        """Every wanted object, in the order of the tar."""
        places = {entry.place: entry for entry in wanted.values()}
        for place, stream in self._members():
            if entry := places.pop(place, None):
                yield entry, stream

    def _read_manifest(self) -> Manifest:
        """Also looks at the name of every member: a tar with anything else in it is refused as a whole."""
        text = b""
        for place, stream in self._members():
            if place == NAME:
                with _not_cut_off(self._file):
                    text = text or stream.read(MOST_BYTES + 1)
        if not text or len(text) > MOST_BYTES:
            what = _("{file}: no manifest in it").format(file=self._file)
            raise UsageError(what, _("give a tar of a store: tar -C STORE -cf store.tar ."))
        return parse_manifest(text, f"{self._file}:{NAME}")

    def _members(self) -> Iterator[tuple[str, IO[bytes]]]:
        with _not_cut_off(self._file), tarfile.open(self._file, "r:*") as tar:
            for number, member in enumerate(tar):
                if number > _MOST_MEMBERS:
                    raise tarfile.TarError(_("far too many files"))
                place = _place(member, self._file)
                stream = tar.extractfile(member) if place else None
                if stream is not None:
                    yield place, stream


@contextmanager
def _not_cut_off(name: object) -> Iterator[None]:
    """Tell of an archive that ends too early, or is none, in one line."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's; gzip and bz2 raise it without a number for bytes that are not theirs
        why = str(error).partition("\n")[0].removesuffix(":")
        what = _("{name}: no tar, or cut off: {why}").format(name=name, why=why)
        raise WrongBytesError(what, _("carry it over again")) from None


@contextmanager
def _opened(source: Path) -> Iterator[_CarriedFolder | _CarriedTar]:
    if source.is_dir():
        yield _CarriedFolder(source)
    elif source.is_file():
        yield _CarriedTar(source)
    else:
        what = _("{source}: not there").format(source=source)
        raise UsageError(what, _("give a store: a folder, or a tar of it"))


def _place(member: tarfile.TarInfo, file: Path) -> str:
    """Where a member lies in a store: `manifest.json` or `sha256/ab/abcd…`; empty for what is passed over.

    Raises:
        UsageError: It is anything that no store holds.
    """
    parts = PurePosixPath(member.name.removeprefix("./")).parts
    if member.isdir() and ".." not in parts:
        return ""
    if not member.isreg() or member.issparse():
        what = _("{file}: {name} is no plain file").format(file=file, name=member.name)
        raise UsageError(what, _("nothing of it was taken: have it made anew"))
    if parts == (NAME,):
        return NAME
    if len(parts) == 3 and "/".join(parts) == object_place(parts[2]) and len(parts[2]) == 64:
        return "/".join(parts)
    if parts and parts[0] in _PASSED_OVER:
        return ""
    what = _("{file}: {name} belongs to no store").format(file=file, name=member.name)
    raise UsageError(what, _("nothing of it was taken: have it made anew"))
