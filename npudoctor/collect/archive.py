"""The files of a bundle, from a folder, a tar or a zip: into memory, within limits, never onto the disk."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

Members = dict[str, bytes]
"""Content by path inside the bundle, `/` between the parts."""

MOST_MEMBERS = 20_000
MOST_BYTES = 64 << 20
"""Of one file."""
MOST_BYTES_IN_ALL = 512 << 20
MOST_RATIO = 200
"""How much smaller than its content an archive may be, once the content is past `FREE_BYTES`."""
FREE_BYTES = 16 << 20


class Archive:
    """What has been read of one bundle so far, and whether it may go on.

    Attributes:
        members: By path.
        cut: Why the archive ended early, or an empty text.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.members: Members = {}
        self.cut = ""
        self._size = 0
        self._packed = path.stat().st_size if path.is_file() else MOST_BYTES_IN_ALL

    def name(self, name: str) -> str:
        """The cleaned path of a member; raises `UsageError` where it leads out of the bundle."""
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts or "\0" in name:
            raise self.refuse(_("{name} leads out of the bundle").format(name=name))
        return "/".join(part for part in parts if part != ".")

    def expect(self, name: str, size: int) -> None:
        """Agree to read `size` bytes more; raises `UsageError` past a limit."""
        self._size += size
        if size > MOST_BYTES or self._size > MOST_BYTES_IN_ALL or len(self.members) >= MOST_MEMBERS:
            raise self.refuse(_("it is larger than any bundle, at {name}").format(name=name))
        if self._size > max(FREE_BYTES, MOST_RATIO * self._packed):
            raise self.refuse(_("it unpacks to far more than its own size, at {name}").format(name=name))

    def link(self, name: str, target: str) -> None:
        """Pass over a link that stays inside; raises `UsageError` for one that leads out."""
        inside = os.path.normpath(os.path.join(os.path.dirname(name), target))
        if target.startswith("/") or inside.startswith(".."):
            raise self.refuse(_("the link {name} leads out of the bundle").format(name=name))

    def refuse(self, why: str) -> UsageError:
        """The error for a bundle that is not read at all."""
        return UsageError(f"{self.path}: {why}", _("make the bundle anew, with plain files only"))


def read_archive(path: Path) -> Archive:
    """All files of a bundle that is a folder or an archive; what kind it is shows in its first bytes.

    Raises:
        UsageError: It cannot be read, is no archive, or breaks a limit.
    """
    archive = Archive(path)
    try:
        if path.is_dir():
            _read_folder(archive)
        elif _starts(path, b"PK"):
            _read_zip(archive)
        else:
            _read_tar(archive)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", _("give a bundle that can be read")) from None
    return archive


def _starts(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def _read_folder(archive: Archive) -> None:
    root = os.path.realpath(archive.path)
    for folder, folders, names in os.walk(root, followlinks=False):
        folders.sort()
        for name in [*folders, *names]:
            _read_in_folder(archive, root, os.path.join(folder, name))


def _read_in_folder(archive: Archive, root: str, file: str) -> None:
    name = os.path.relpath(file, root)
    if os.path.islink(file):
        if not os.path.realpath(file).startswith(root + os.sep):
            raise archive.refuse(_("the link {name} leads out of the bundle").format(name=name))
        if os.path.isdir(file) or not os.path.exists(file):
            return
    status = os.stat(file)
    if stat.S_ISDIR(status.st_mode):
        return
    if not stat.S_ISREG(status.st_mode):
        raise archive.refuse(_("{name} is not a plain file").format(name=name))
    archive.expect(name, status.st_size)
    with open(file, "rb") as opened:
        archive.members[name] = opened.read(MOST_BYTES)


def _read_tar(archive: Archive) -> None:
    import tarfile
    import zlib

    try:
        with archive.path.open("rb") as file, _tar(archive, file) as tar:
            for member in tar:
                _read_tar_member(archive, tar, member)
    except tarfile.ReadError as error:
        if not archive.members and "unexpected end" not in str(error):
            what = _("not a bundle: neither a folder nor a tar, tar.gz, tgz or zip archive")
            raise UsageError(f"{archive.path}: {what}", _("`npudoctor collect` makes one")) from None
        archive.cut = str(error)
    except (EOFError, zlib.error, tarfile.TarError) as error:
        archive.cut = str(error)


def _tar(archive: Archive, file: IO[bytes]) -> Any:
    import gzip
    import tarfile

    packed = _starts(archive.path, b"\x1f\x8b")
    unpacked = gzip.GzipFile(fileobj=file) if packed else file
    return tarfile.open(fileobj=_Bounded(archive, unpacked), mode="r|")  # type: ignore[call-overload]


def _read_tar_member(archive: Archive, tar: Any, member: Any) -> None:
    name = archive.name(member.name)
    if member.isdir():
        return
    if member.issym() or member.islnk():
        base = name if member.issym() else ""
        archive.link(base, member.linkname)
        return
    if not member.isreg() or member.issparse():
        raise archive.refuse(_("{name} is not a plain file").format(name=name))
    archive.expect(name, member.size)
    source = tar.extractfile(member)
    content = source.read() if source else b""
    if len(content) < member.size:
        archive.cut = _("unexpected end of data")
        return
    archive.members[name] = content


class _Bounded:
    """The bytes of a tar, no more than a bundle may hold: its headers can ask for anything."""

    def __init__(self, archive: Archive, file: Any) -> None:
        self._archive = archive
        self._file = file
        self._size = 0

    def read(self, size: int) -> bytes:
        """The next bytes; raises `UsageError` past the limit."""
        data: bytes = self._file.read(min(size, MOST_BYTES))
        self._size += len(data)
        if self._size > 2 * MOST_BYTES_IN_ALL:
            raise self._archive.refuse(_("it is larger than any bundle"))
        return data


def _read_zip(archive: Archive) -> None:
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(archive.path) as file:
            for member in file.infolist():
                _read_zip_member(archive, file, member)
    except zipfile.BadZipFile as error:
        archive.cut = str(error)
        _read_cut_zip(archive)
    except (EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        archive.cut = str(error)


def _read_zip_member(archive: Archive, file: Any, member: Any) -> None:
    name = archive.name(member.filename)
    kind = stat.S_IFMT(member.external_attr >> 16)
    if member.is_dir():
        return
    if kind not in (0, stat.S_IFREG, stat.S_IFLNK):
        raise archive.refuse(_("{name} is not a plain file").format(name=name))
    archive.expect(name, member.file_size)
    with file.open(member) as source:
        content: bytes = source.read(member.file_size + 1)
    if len(content) > member.file_size:
        raise archive.refuse(_("{name} is larger than the archive says").format(name=name))
    if kind == stat.S_IFLNK:
        archive.link(name, content.decode("utf-8", "replace"))
    else:
        archive.members[name] = content


def _read_cut_zip(archive: Archive) -> None:
    """What a zip whose directory (at its end) is lost still holds: the members one after the other."""
    data = archive.path.read_bytes() if archive.path.stat().st_size <= MOST_BYTES_IN_ALL else b""
    for name, content in _local_members(data, archive):
        archive.members[archive.name(name)] = content


def _local_members(data: bytes, archive: Archive) -> Iterator[tuple[str, bytes]]:
    import struct
    import zlib

    at = 0
    while data[at : at + 4] == b"PK\3\4" and at + 30 <= len(data):
        _v, flags, method, _t, _d, _crc, packed, size, name_size, extra = struct.unpack(
            "<HHHHHIIIHH", data[at + 4 : at + 30]
        )
        start = at + 30 + name_size + extra
        name = data[at + 30 : at + 30 + name_size].decode("utf-8", "replace")
        at = start + packed
        if flags & 8 or method not in (0, 8) or at > len(data):
            return  # its length stands behind it, or it is cut off itself
        archive.expect(name, size)
        content = data[start:at]
        if method == 8:
            content = zlib.decompressobj(-15).decompress(content, size)
        if not name.endswith("/"):
            yield name, content
