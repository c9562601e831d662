"""The members of a zip, and of one whose directory, which stands at its end, is lost."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_DIRECTORY = 16 << 20
"""Bytes of the list of members at the end; Python reads all of it before anything else."""
_END = b"PK\5\6"
_END_64 = b"PK\6\7"
_LARGE_END = 56 + 20
"""Bytes of the 64-bit end and of what points at it."""
_DAMAGED = (zipfile.BadZipFile, EOFError, zlib.error, OSError, ValueError)


class LargeDirectoryError(Exception):
    """More members than any bundle has."""


class DamagedMemberError(Exception):
    """What a member holds cannot be had to its end."""


@dataclass
class Member:
    """One member. `kind`: `file`, `folder`, `link`, or `other`."""

    name: str
    kind: str
    size: int
    readable: bool
    """Whether it is neither encrypted nor packed in a way that nobody here knows."""
    info: zipfile.ZipInfo


class Zip:
    """The members of a zip that is whole; raises `zipfile.BadZipFile` for one that is not."""

    def __init__(self, file: Path | IO[bytes]) -> None:
        with file.open("rb") if isinstance(file, Path) else nullcontext(file) as archive:
            if _directory_size(archive) > MOST_DIRECTORY:
                raise LargeDirectoryError
        self._file = zipfile.ZipFile(file)

    def __enter__(self) -> Zip:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Member]:
        for info in self._file.infolist():
            readable = not info.flag_bits & 1 and info.compress_type in (0, 8, 12, 14)
            yield Member(_name(info), _kind(info), info.file_size, readable, info)

    def content(self, member: Member) -> bytes | None:
        """Its bytes, no more than one above what it says; None where they are damaged."""
        try:
            with self._file.open(member.info) as source:
                return source.read(member.size + 1)
        except (*_DAMAGED, NotImplementedError, RuntimeError):
            return None

    def pieces(self, member: Member) -> Iterator[bytes]:
        """The same in pieces of at most a megabyte; raises `DamagedMemberError` where it breaks off."""
        try:
            with self._file.open(member.info) as source:
                while data := source.read(1 << 20):
                    yield data
        except (*_DAMAGED, NotImplementedError, RuntimeError) as error:
            raise DamagedMemberError(str(error) or type(error).__name__) from None


def _name(info: zipfile.ZipInfo) -> str:
    """Its path; some programs of Windows write it with backslashes."""
    return info.filename.replace("\\", "/")


def _kind(info: zipfile.ZipInfo) -> str:
    if info.is_dir() or _name(info).endswith("/"):
        return "folder"
    mode = stat.S_IFMT(info.external_attr >> 16)
    return {0: "file", stat.S_IFREG: "file", stat.S_IFLNK: "link"}.get(mode, "other")


def _directory_size(file: IO[bytes]) -> int:
    """Bytes of the list of members, as the end of the archive tells it; 0 where it has no such end."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 65536 - 22 - _LARGE_END))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or at + 22 > len(tail):
        return 0
    if tail[max(0, at - 20) : at].startswith(_END_64):
        return _large_directory_size(tail[max(0, at - _LARGE_END) : at])
    return int(struct.unpack("<I", tail[at + 12 : at + 16])[0])


def _large_directory_size(end: bytes) -> int:
    """The same of a 64-bit list, whose end stands before the short one; too many where it does not."""
    if len(end) < _LARGE_END or not end.startswith(b"PK\6\6"):
        return MOST_DIRECTORY + 1
    return int(struct.unpack("<Q", end[40:48])[0])


@dataclass
class CutMember:
    """A member that is whole in a zip that is not."""

    name: str
    size: int
    checksum: int
    packed: bytes
    method: int

    def content(self) -> bytes | None:
        """Its bytes; None where they are damaged, or more than it says."""
        data = self.packed
        try:
            if self.method == zipfile.ZIP_DEFLATED:
                data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, self.size + 1)
        except zlib.error:
            return None
        return data if len(data) == self.size and zlib.crc32(data) == self.checksum else None


def members_of_cut(data: bytes) -> Iterator[CutMember]:
    """The members that are whole in what is left of a zip, up to the first of which nobody knows the end."""
    at = 0
    while data[at : at + 4] == b"PK\3\4" and at + 30 <= len(data):
        _v, flags, method, _t, _d, checksum, packed, size, name_size, extra = struct.unpack(
            "<HHHHHIIIHH", data[at + 4 : at + 30]
        )
        start = at + 30 + name_size + extra
        name = data[at + 30 : at + 30 + name_size].decode("utf-8", "replace").replace("\\", "/")
        at = start + packed
        if flags & 9 or method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or at > len(data):
            return  # encrypted, or its length stands behind it, or it is cut off itself
        yield CutMember(name, size, checksum, data[start:at], method)
