"""The logs inside one file: itself, or what its archives hold, as streams of bytes within limits."""

from __future__ import annotations

import io
import zipfile
from typing import IO, TYPE_CHECKING

from npudoctor.collect.bundle import MANIFEST, SCHEMA
from npudoctor.collect.dump.names import is_source
from npudoctor.collect.dump.rows import in_rows, joined
from npudoctor.collect.dump.text import encoding_of, recoded
from npudoctor.collect.dump.told import shown
from npudoctor.collect.dump.unpack import CutError, DamagedError, unpacked
from npudoctor.collect.untar import CutTarError, NoTarError, Tar
from npudoctor.collect.unzip import DamagedMemberError, LargeDirectoryError, Zip, members_of_cut
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.collect.dump.files import Part
    from npudoctor.collect.dump.told import Told
    from npudoctor.collect.unzip import Member

CHUNK = 256 << 10
"""Bytes that are read at a time: they stay in the processor's cache."""
MOST_DEPTH = 12
"""Archives in archives; a `tar.gz` counts as two."""
MOST_MEMBERS = 200_000
MOST_ZIP = 256 << 20
"""Bytes of a zip inside an archive, which is held in memory: its directory is at its end."""
MOST_CUT = 64 << 20
"""Bytes of a member of a zip whose directory is lost."""
FREE_BYTES = 1 << 30
MOST_RATIO = 300
"""How much larger than the file its content may be, once it is past `FREE_BYTES`."""

_GZIP, _BZIP, _XZ, _ZIP = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", (b"PK\3\4", b"PK\5\6")
_UNREAD = {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7-Zip", b"Rar!\x1a\x07": "RAR"}
_TAR_AT = 257
_MANIFEST_DEPTH = 2
"""Of the manifest of a bundle: at the top of its archive, or in the one folder there."""


@dataclass(frozen=True, slots=True)
class Log:
    """One stream of text.

    Attributes:
        name: The path, with the path inside each archive after it.
        chunks: Its bytes, to be read once, before the next log is asked for.
        path: The plain file that these bytes are a range of; empty where they come out of something else.
        start: Where in that file they begin.
    """

    name: str
    chunks: Iterable[bytes]
    path: str = ""
    start: int = 0


def logs(part: Part, told: Told) -> Iterator[Log]:
    """The logs of a file, or of a range of one that is plain text.

    Args:
        part: What to read.
        told: Learns what could not be read wholly, and what is no log.

    Raises:
        UsageError: An archive is hostile: it leads out of itself, or unpacks to far more than it is.
    """
    try:
        with open(part.path, "rb") as file:
            if file.seekable():
                yield from _of_file(file, part, told)
            else:
                yield from logs_of_stream(file, part.name, told)
    except OSError as error:
        told.problem(f"{part.name}: {error.strerror or error}")


def logs_of_stream(file: IO[bytes], name: str, told: Told) -> Iterator[Log]:
    """The logs of a stream that can be read once: standard input."""
    source = _Source(file, name)
    yield from _Unfolding(source, told).logs(name, source, 0)


def _of_file(file: IO[bytes], part: Part, told: Told) -> Iterator[Log]:
    source = _Source(file, part.name, part.size)
    first = source.peek()
    unfolding = _Unfolding(source, told)
    if _kind(first) != "text" or encoding_of(first) not in (None, "utf-8"):
        if not part.start:  # the first part reads all of it
            yield from unfolding.logs(part.name, source, 0)
    elif part.size and not in_rows(first):
        start = _begin(file, part)
        for log in unfolding.text(part.name, _range(file, start, part, told)):
            yield Log(log.name, log.chunks, part.path, start)
    elif part.size:
        yield from unfolding.text(part.name, _range(file, _begin(file, part), part, told))
    else:
        yield from unfolding.text(part.name, _all(source))


class _Source:
    """A stream whose first bytes can be looked at, and which knows how much of it has been unpacked.

    Args:
        file: To be read.
        name: As it is shown.
        size: Of the file in bytes; 0 for what tells only as it is read.
    """

    def __init__(self, file: IO[bytes], name: str, size: int = 0) -> None:
        self._file, self._ahead = file, b""
        self.name = name
        self._members = 0
        self._packed, self._unpacked = size, 0
        self._counting = not size

    def peek(self) -> bytes:
        """The first block, which `read` gives once more."""
        while len(self._ahead) < 512 and (more := self._file.read(512 - len(self._ahead))):
            self._ahead += more
        return self._ahead

    def read(self, size: int) -> bytes:
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        data = data + self._file.read(size - len(data)) if len(data) < size else data
        self._packed += len(data) if self._counting else 0
        return data

    def whole(self) -> IO[bytes] | None:
        """All of it as a file to move about in; None where that would take too much memory."""
        if not self._file.seekable():
            return _in_memory(self)
        self._packed, self._counting = self._file.seek(0, io.SEEK_END), False
        return self._file

    def count(self) -> None:
        """One more member of an archive."""
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise self.refuse(_("it holds more than {count} members").format(count=MOST_MEMBERS))

    def spend(self, size: int) -> None:
        """So many bytes were unpacked."""
        self._unpacked += size
        if self._unpacked > max(FREE_BYTES, MOST_RATIO * self._packed):
            raise self.refuse(_("it unpacks to far more than its own size"))

    def refuse(self, why: str) -> UsageError:
        return UsageError(f"{self.name}: {why}", _("unpack it yourself, and give the folder"))


class _Stream:
    """`read` over pieces of bytes as they come, with a look at the first ones."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._ahead = pieces, b""

    def peek(self) -> bytes:
        self._fill(512)
        return self._ahead

    def read(self, size: int) -> bytes:
        self._fill(size)
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        return data

    def whole(self) -> IO[bytes] | None:
        return _in_memory(self)

    def _fill(self, size: int) -> None:
        if len(self._ahead) >= size:
            return
        pieces = [self._ahead]
        have = len(self._ahead)
        while have < size and (piece := next(self._pieces, b"")):
            pieces.append(piece)
            have += len(piece)
        self._ahead = b"".join(pieces)


_Readable = _Source | _Stream


def _in_memory(stream: _Readable) -> IO[bytes] | None:
    data = stream.read(MOST_ZIP + 1)
    return None if len(data) > MOST_ZIP else io.BytesIO(data)


class _Unfolding:
    """The logs of one file that the user named, through all archives in it."""

    def __init__(self, source: _Source, told: Told) -> None:
        self._source, self._told = source, told

    def logs(self, name: str, stream: _Readable, depth: int) -> Iterator[Log]:
        """The logs of a stream: its text, or what it holds where it is an archive."""
        if depth > MOST_DEPTH:
            why = _("it holds archives in archives, more than {n} deep").format(n=MOST_DEPTH)
            raise self._source.refuse(why)
        kind = _kind(stream.peek())
        if kind == "text":
            yield from self.text(name, _all(stream))
        elif kind == "tar":
            yield from self._tar(name, stream, depth)
        elif kind == "zip":
            yield from self._zip(name, stream, depth)
        elif kind in ("gzip", "bzip2", "xz"):
            yield from self.logs(name, _Stream(self._unpacked(kind, name, stream)), depth + 1)
        else:
            self._told.problem(_("{name}: {kind} is not read; unpack it first").format(name=name, kind=kind))

    def text(self, name: str, chunks: Iterator[bytes]) -> Iterator[Log]:
        """A log, unless its bytes are no text."""
        if name != self._source.name and is_source(name):
            self._told.pass_over(f"{name}: " + _("source code or documentation"))
            return
        first = next(chunks, b"")
        encoding = encoding_of(first)
        if encoding is None:
            self._told.pass_over(_("{name}: not text").format(name=name))
            return
        self._told.logs += 1
        if name.endswith(f"/{MANIFEST}") and SCHEMA.encode() in first[:4096]:
            self._bundle(name)
        if first:
            rest = _chain(first, chunks)
            yield Log(name, joined(rest if encoding == "utf-8" else recoded(rest, encoding)))

    def _bundle(self, name: str) -> None:
        """Note the bundle whose manifest this is, unless it lies in an archive of something else."""
        inside = name.removeprefix(self._source.name)
        if not inside:
            self._told.bundles.append(name.removesuffix(f"/{MANIFEST}"))
        elif inside.count("/") <= _MANIFEST_DEPTH:
            self._told.bundles.append(self._source.name)

    def _unpacked(self, kind: str, name: str, stream: _Readable) -> Iterator[bytes]:
        try:
            yield from unpacked(kind, stream, self._source.spend)
        except CutError:
            self._told.problem(_("{name}: cut off; what it holds was read").format(name=name))
        except DamagedError as error:
            self._damaged(name, error)

    def _damaged(self, name: str, why: object) -> None:
        said = _("{name}: damaged ({why}); what comes before was read")
        self._told.problem(said.format(name=name, why=why))

    def _tar(self, name: str, stream: _Readable, depth: int) -> Iterator[Log]:
        tar = Tar(stream.read, self._source.count)
        try:
            for member in tar:
                inside = self._inside(member.name)
                if member.kind == "file":
                    yield from self.logs(f"{name}/{inside}", _Stream(tar.pieces()), depth + 1)
        except (CutTarError, NoTarError) as error:
            self._damaged(name, error)

    def _inside(self, name: str) -> str:
        """The path of a member; one that leads out is the work of somebody who means no good."""
        parts = name.split("/")
        if name.startswith("/") or ".." in parts:
            why = _("{name} leads out of the archive").format(name=ascii(name)[1:-1][:100])
            raise self._source.refuse(why)
        return shown("/".join(part for part in parts if part not in ("", ".")))

    def _zip(self, name: str, stream: _Readable, depth: int) -> Iterator[Log]:
        file = stream.whole()
        if file is None:
            raise self._source.refuse(_("a zip of more than {n} MB is not read").format(n=MOST_ZIP >> 20))
        try:
            archive = Zip(file)
        except LargeDirectoryError:
            why = _("it holds more than {count} members").format(count=MOST_MEMBERS)
            raise self._source.refuse(why) from None
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            yield from self._cut_zip(name, file, error, depth)
            return
        with archive as members:
            for member in members:
                self._source.count()
                inside = f"{name}/{self._inside(member.name)}"
                if member.kind == "file":
                    yield from self._member(inside, archive, member, depth)

    def _member(self, name: str, archive: Zip, member: Member, depth: int) -> Iterator[Log]:
        if not member.readable:
            self._told.problem(_("{name}: encrypted, or packed in an unknown way").format(name=name))
            return
        pieces = self._spent(name, archive.pieces(member))
        yield from self.logs(name, _Stream(pieces), depth + 1)

    def _spent(self, name: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        try:
            for data in pieces:
                self._source.spend(len(data))
                yield data
        except DamagedMemberError as error:
            self._damaged(name, error)

    def _cut_zip(self, name: str, file: IO[bytes], error: Exception, depth: int) -> Iterator[Log]:
        """What is left of a zip whose end, and with it the list of its members, is lost."""
        file.seek(0)
        for member in members_of_cut(file.read(MOST_ZIP)):
            self._source.count()
            inside = f"{name}/{self._inside(member.name)}"
            data = member.content() if member.size <= MOST_CUT else None
            if data:
                self._source.spend(len(data))
                yield from self.logs(inside, _Stream(iter([data])), depth + 1)
        self._damaged(name, error)


def _kind(first: bytes) -> str:
    """What a stream is, by its first block."""
    if first.startswith(_GZIP):
        return "gzip"
    if first.startswith(_BZIP) and first[4:10] == b"1AY&SY":
        return "bzip2"
    if first.startswith(_XZ):
        return "xz"
    if first.startswith(_ZIP):
        return "zip"
    if first[_TAR_AT : _TAR_AT + 5] == b"ustar":
        return "tar"
    return next((name for magic, name in _UNREAD.items() if first.startswith(magic)), "text")


def _all(stream: _Readable) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _chain(first: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from chunks


def _begin(file: IO[bytes], part: Part) -> int:
    """Go to where the first line begins that is the part's; where that is."""
    file.seek(max(0, part.start - 1))
    if part.start:
        file.readline(CHUNK)
    return file.tell()


def _range(file: IO[bytes], at: int, part: Part, told: Told) -> Iterator[bytes]:
    """The lines of a file that begin in a range of it."""
    end = part.start + part.size
    while at < end:
        chunk = file.read(min(CHUNK, end - at))
        if not chunk:
            told.problem(_("{name}: became shorter while it was read").format(name=part.name))
            return
        at += len(chunk)
        yield chunk if at < end or chunk.endswith(b"\n") else chunk + file.readline(CHUNK)
