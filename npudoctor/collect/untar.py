"""The members of a tar as they come: headers are believed nothing, and nothing large is kept.

Python's own reader takes the size of an extended header on trust, keeps all of it in memory, and ends without
a word where a header is damaged. This one reads what tar programs write: old, ustar, GNU long names, pax.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = 512
MOST_EXTENDED = 1 << 20
"""Bytes of an extended header: a path of pax or GNU."""
_KINDS = {b"0": "file", b"\0": "file", b"7": "file", b"5": "folder", b"1": "link", b"2": "link"}
_LABEL = b"V"
"""The name of a tape: `tar -V`."""


class NoTarError(Exception):
    """The first header is none: this is something else."""


class CutTarError(Exception):
    """A header is damaged, or the end is missing; what came before is good."""


@dataclass
class Member:
    """One header. `kind`: `file`, `folder`, `link`, or `other` (devices, holes, what nobody knows)."""

    name: str
    kind: str
    size: int = 0
    target: str = ""
    hard: bool = False


class Tar:
    """The members of a tar, by `for`; `content` has to be called before the next one is asked for.

    Args:
        read: Returns exactly that many bytes, fewer only at the end.
        count: Called for each header; may raise.
    """

    def __init__(self, read: Callable[[int], bytes], count: Callable[[], None]) -> None:
        self._read = read
        self._count = count
        self._left = 0
        self._extended: dict[str, bytes] = {}
        self._for_all: dict[str, bytes] = {}

    def __iter__(self) -> Iterator[Member]:
        """Raises `NoTarError`, `CutTarError`."""
        header = self._header(NoTarError)
        while header.strip(b"\0"):
            self._count()
            member = self._member(header)
            if member is not None:
                self._extended = {}
                yield member
                self._skip()
            header = self._header(CutTarError)

    def content(self) -> bytes:
        """The bytes of the file whose header came last; raises `CutTarError`."""
        size, self._left = self._left, 0
        padded = self._read(size + -size % BLOCK)
        if len(padded) < size:
            raise CutTarError("unexpected end of data")
        return padded[:size]

    def pieces(self) -> Iterator[bytes]:
        """The same in pieces of at most a megabyte; where the tar is cut off, as far as it goes."""
        while self._left > 0:
            size = min(self._left, 1 << 20)
            data = self._read(size + -size % BLOCK)[:size]
            self._left = self._left - size if len(data) == size else 0
            yield data

    def _header(self, error: type[Exception]) -> bytes:
        header = self._read(BLOCK)
        if len(header) < BLOCK:
            raise error("unexpected end of data")
        told = header[148:156]
        if header.strip(b"\0") and _number(told, error) != sum(header) - sum(told) + 8 * 32:
            raise error("a damaged header")
        return header

    def _member(self, header: bytes) -> Member | None:
        """What a header and those that extend it say; None for one that extends the next."""
        kind, size = header[156:157], _number(header[124:136], CutTarError)
        if kind in (b"L", b"K", b"x", b"g", _LABEL):
            self._extend(kind, size)
            return None
        told = {**self._for_all, **self._extended}
        size = _decimal(told["size"]) if "size" in told else size
        name = told["path"] if "path" in told else _name(header)
        target = told.get("linkpath", _text(header[157:257]))
        holes = any(key.startswith("GNU.sparse") for key in told)
        what = "other" if holes else _KINDS.get(kind, "other")
        if what == "file" and kind == b"\0" and name.endswith(b"/"):
            what = "folder"
        self._left = size if what in ("file", "other") else 0
        return Member(_decoded(name), what, self._left, _decoded(target), kind == b"1")

    def _extend(self, kind: bytes, size: int) -> None:
        if size > MOST_EXTENDED:
            raise CutTarError("an extended header of impossible size")
        self._left = size
        data = self.content()
        if kind == b"L":
            self._extended["path"] = _text(data)
        elif kind == b"K":
            self._extended["linkpath"] = _text(data)
        elif kind != _LABEL:
            (self._extended if kind == b"x" else self._for_all).update(_records(data))

    def _skip(self) -> None:
        while self._left > 0:
            size = min(self._left, 1 << 20)
            if len(self._read(size + -size % BLOCK)) < size:
                raise CutTarError("unexpected end of data")
            self._left -= size


def _name(header: bytes) -> bytes:
    prefix = _text(header[345:500]) if header[257:263] == b"ustar\0" else b""
    return prefix + b"/" + _text(header[:100]) if prefix else _text(header[:100])


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _number(field: bytes, error: type[Exception]) -> int:
    """Octal digits, or where the first bit is set, the bytes themselves."""
    if field[:1] in (b"\x80", b"\xff"):
        number = int.from_bytes(field[1:], "big")
        return number if field[:1] == b"\x80" else -1
    try:
        return int(field.strip(b" \0") or b"0", 8)
    except ValueError:
        raise error("a damaged header") from None


def _decimal(value: bytes) -> int:
    if not value.isdigit() or len(value) > 20:
        raise CutTarError("a damaged header")
    return int(value)


def _records(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The `LENGTH key=value` lines of a pax header."""
    at = 0
    while at < len(data) and data[at]:
        length = _decimal(data[at : at + 21].partition(b" ")[0])
        key, equals, value = data[at : at + length].partition(b" ")[2].partition(b"=")
        if length < 5 or not equals or not value.endswith(b"\n"):
            raise CutTarError("a damaged header")
        yield _decoded(key), value[:-1]
        at += length
