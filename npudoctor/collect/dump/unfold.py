"""The logs inside one file: itself, or what its archives hold, as streams of bytes within limits."""

from __future__ import annotations

import io
import zlib
from typing import IO, TYPE_CHECKING, Any

from npudoctor.collect.untar import CutTarError, NoTarError, Tar
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from npudoctor.collect.dump.files import Part

CHUNK = 4 << 20
MOST_DEPTH = 6
"""Archives in archives."""
MOST_MEMBERS = 200_000
MOST_ZIP = 256 << 20
"""Bytes of a zip inside an archive, which is held in memory: its directory is at its end."""
FREE_BYTES = 1 << 30
MOST_RATIO = 300
"""How much larger than the file its content may be, once it is past `FREE_BYTES`."""

_GZIP, _BZIP, _XZ, _ZIP = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", (b"PK\3\4", b"PK\5\6")
_UNREAD = {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7-Zip", b"Rar!\x1a\x07": "RAR"}
_TAR_AT = 257
_BYTES_THAT_TEXT_LACKS = bytes(set(range(32)) - {7, 8, 9, 10, 11, 12, 13, 27}) + b"\x7f"


@dataclass(frozen=True, slots=True)
class Log:
    """One stream of text.

    Attributes:
        name: The path, with the path inside each archive after it.
        chunks: Its bytes, to be read once, before the next log is asked for.
    """

    name: str
    chunks: Iterable[bytes]


def logs(part: Part, problem: Callable[[str], None]) -> Iterator[Log]:
    """The logs of a file, or of a range of one that is plain text.

    Args:
        part: What to read.
        problem: Told of each thing that could not be read wholly, in one line.

    Raises:
        UsageError: An archive is hostile: it leads out of itself, or unpacks to far more than it is.
    """
    try:
        with open(part.path, "rb") as file:
            source = _Source(file, part.size, part.name)
            if part.start and source.packed:
                return  # the first part reads all of an archive
            if source.packed:
                yield from _unfold(part.name, source, source, problem, 0)
            elif part.size:
                yield from _text(part.name, _range(file, part), problem)
            else:
                yield from _text(part.name, _all(source), problem)
    except OSError as error:
        problem(f"{part.name}: {error.strerror}")


def logs_of_stream(file: IO[bytes], name: str, problem: Callable[[str], None]) -> Iterator[Log]:
    """The logs of a stream that can be read once: standard input."""
    source = _Source(file, FREE_BYTES, name)
    yield from _unfold(name, source, source, problem, 0)


class _Source:
    """A stream whose first bytes can be looked at, and which tells how much of a file has been unpacked."""

    def __init__(self, file: IO[bytes], size: int, name: str) -> None:
        self._file, self._ahead = file, b""
        self.name = name
        self.members = 0
        self._left = max(FREE_BYTES, MOST_RATIO * size)
        self.packed = _kind(self.peek()) != "text"

    def peek(self) -> bytes:
        """The first block, which `read` gives once more."""
        while len(self._ahead) < 512 and (more := self._file.read(512 - len(self._ahead))):
            self._ahead += more
        return self._ahead

    def read(self, size: int) -> bytes:
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        return data + self._file.read(size - len(data)) if len(data) < size else data

    def count(self) -> None:
        """One more member of an archive."""
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise self.refuse(_("it holds more than {count} members").format(count=MOST_MEMBERS))

    def spend(self, size: int) -> None:
        """So many bytes were unpacked."""
        self._left -= size
        if self._left < 0:
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
_Problem = "Callable[[str], None]"


def _unfold(
    name: str, stream: _Readable, source: _Source, problem: Callable[[str], None], depth: int
) -> Iterator[Log]:
    """The logs of a stream: its text, or what it holds where it is an archive."""
    first = stream.peek()
    kind = _kind(first)
    if depth > MOST_DEPTH:
        raise source.refuse(_("it holds archives in archives, more than {n} deep").format(n=MOST_DEPTH))
    if kind == "text":
        yield from _text(name, _all(stream), problem)
    elif kind == "tar":
        yield from _tar(name, stream, source, problem, depth)
    elif kind == "zip":
        yield from _zip(name, stream, source, problem, depth)
    elif kind in ("gzip", "bzip2", "xz"):
        inner = _Stream(_unpacked(kind, name, stream, source, problem))
        yield from _unfold(name, inner, source, problem, depth + 1)
    else:
        problem(_("{name}: {kind} is not read; unpack it first").format(name=name, kind=kind))


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


def _range(file: IO[bytes], part: Part) -> Iterator[bytes]:
    """The lines of a file that begin in a range of it, in chunks that end with a line."""
    file.seek(max(0, part.start - 1))
    if part.start:
        file.readline(CHUNK)
    end = part.start + part.size
    while file.tell() < end and (chunk := file.read(min(CHUNK, end - file.tell()))):
        yield chunk if chunk.endswith(b"\n") else chunk + file.readline(CHUNK)


def _text(name: str, chunks: Iterator[bytes], problem: Callable[[str], None]) -> Iterator[Log]:
    """A log, unless its bytes are no text."""
    first = next(chunks, b"")
    encoding = _encoding(first)
    if encoding is None:
        problem(_("{name}: not text; passed over").format(name=name))
    elif first:
        rest = _chain(first, chunks)
        yield Log(name, rest if encoding == "utf-8" else _recoded(rest, encoding))


def _encoding(first: bytes) -> str | None:
    """`utf-8` for all that has single bytes for ASCII letters; None where it is no text."""
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    head = first[: 1 << 16]
    odd = len(head) - len(head.translate(None, _BYTES_THAT_TEXT_LACKS))
    return "utf-8" if odd * 50 <= len(head) else None


def _chain(first: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from chunks


def _recoded(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    import codecs

    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode()


def _unpacked(
    kind: str, name: str, stream: _Readable, source: _Source, problem: Callable[[str], None]
) -> Iterator[bytes]:
    """The content of a packed stream as far as it goes; several that follow each other are one."""
    unpacker = _unpacker(kind)
    waiting = b""
    while True:
        packed = waiting or stream.read(1 << 16)
        if unpacker.eof:
            if not packed.strip(b"\0"):
                return
            unpacker = _unpacker(kind)
        if not packed:
            problem(_("{name}: cut off; what it holds was read").format(name=name))
            return
        try:
            data = unpacker.decompress(packed, CHUNK)
        except (zlib.error, OSError, EOFError, ValueError) as error:
            problem(_("{name}: damaged ({why}); what comes before was read").format(name=name, why=error))
            return
        waiting = unpacker.rest()
        source.spend(len(data))
        if data:
            yield data


class _Unpacker:
    """One face for zlib, bz2 and lzma."""

    def __init__(self, kind: str) -> None:
        self._zlib = kind == "gzip"
        self._inner = _inner(kind)

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    def decompress(self, packed: bytes, size: int) -> bytes:
        data: bytes = self._inner.decompress(packed, size)
        return data

    def rest(self) -> bytes:
        """What was given and not used; bz2 and lzma keep it themselves until their end."""
        if self._zlib:
            return bytes(self._inner.unconsumed_tail or self._inner.unused_data)
        return bytes(self._inner.unused_data) if self._inner.eof else b""


def _unpacker(kind: str) -> _Unpacker:
    return _Unpacker(kind)


def _inner(kind: str) -> Any:
    if kind == "gzip":
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor()
    import lzma

    return lzma.LZMADecompressor()


def _tar(
    name: str, stream: _Readable, source: _Source, problem: Callable[[str], None], depth: int
) -> Iterator[Log]:
    tar = Tar(stream.read, source.count)
    try:
        for member in tar:
            inside = _inside(member.name, source)
            if member.kind == "file":
                inner = _Stream(tar.pieces())
                yield from _unfold(f"{name}/{inside}", inner, source, problem, depth + 1)
    except (CutTarError, NoTarError) as error:
        problem(_("{name}: damaged ({why}); what comes before was read").format(name=name, why=error))


def _inside(name: str, source: _Source) -> str:
    """The path of a member; one that leads out is the work of somebody who means no good."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts:
        raise source.refuse(_("{name} leads out of the archive").format(name=ascii(name)[1:-1][:100]))
    return "/".join(part for part in parts if part not in ("", "."))


def _zip(
    name: str, stream: _Readable, source: _Source, problem: Callable[[str], None], depth: int
) -> Iterator[Log]:
    import zipfile

    data = stream.read(MOST_ZIP + 1)
    if len(data) > MOST_ZIP:
        raise source.refuse(_("a zip of more than {n} MB is not read").format(n=MOST_ZIP >> 20))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as members:
            for info in members.infolist():
                source.count()
                inside = f"{name}/{_inside(info.filename, source)}"
                if not info.is_dir():
                    inner = _Stream(_zip_member(members, info, inside, source, problem))
                    yield from _unfold(inside, inner, source, problem, depth + 1)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        problem(_("{name}: damaged ({why}); what comes before was read").format(name=name, why=error))


def _zip_member(
    members: Any, info: Any, name: str, source: _Source, problem: Callable[[str], None]
) -> Iterator[bytes]:
    import zipfile

    try:
        with members.open(info) as file:
            while data := file.read(1 << 20):
                source.spend(len(data))
                yield data
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, zlib.error) as error:
        problem(_("{name}: damaged ({why}); what comes before was read").format(name=name, why=error))
