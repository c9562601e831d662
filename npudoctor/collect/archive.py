"""The files of a bundle, from a folder, a tar or a zip: into memory, within limits, never onto the disk."""

from __future__ import annotations

import os
import posixpath
import stat
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from npudoctor.collect import untar, unzip

Members = dict[str, bytes]
"""Content by path inside the bundle, `/` between the parts."""

MOST_MEMBERS = 50_000
"""Files, folders, links and headers."""
MOST_BYTES = 64 << 20
"""Of one file."""
MOST_BYTES_IN_ALL = 512 << 20
MOST_RATIO = 200
"""How much smaller than its content an archive may be, once the content is past `FREE_BYTES`."""
FREE_BYTES = 16 << 20
_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\3\4", b"PK\5\6")


class Archive:
    """What has been read of one bundle so far, and whether it may go on.

    Attributes:
        members: By path.
        problems: Why it is not whole: where it ended early, and what could not be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.members: Members = {}
        self.problems: list[str] = []
        self._links: dict[str, str] = {}
        self._count = 0
        self._size = 0
        self._packed = path.stat().st_size if path.is_file() else MOST_BYTES_IN_ALL

    @property
    def most_bytes(self) -> int:
        """What it may hold in all."""
        return min(MOST_BYTES_IN_ALL, max(FREE_BYTES, MOST_RATIO * self._packed))

    def count(self) -> None:
        """One more member of whatever kind; raises `UsageError` past the limit."""
        self._count += 1
        if self._count > MOST_MEMBERS:
            raise self.refuse(
                _("it is larger than any bundle: over {count} members").format(count=MOST_MEMBERS)
            )

    def name(self, name: str) -> str:
        """The cleaned path of a member; raises `UsageError` where it leads out of the bundle."""
        parts = name.split("/")
        if name.startswith("/") or ".." in parts:
            raise self.refuse(_("{name} leads out of the bundle").format(name=_shown(name)))
        if any(ord(letter) < 32 or ord(letter) == 127 for letter in name):
            raise self.refuse(_("the name {name} has control characters").format(name=_shown(name)))
        return "/".join(part for part in parts if part not in ("", "."))

    def expect(self, name: str, size: int) -> None:
        """Agree to read `size` bytes more; raises `UsageError` past a limit."""
        self._size += size
        if size > MOST_BYTES or self._size > MOST_BYTES_IN_ALL:
            raise self.refuse(_("it is larger than any bundle, at {name}").format(name=_shown(name)))
        if self._size > self.most_bytes:
            raise self.refuse(
                _("it unpacks to far more than its own size, at {name}").format(name=_shown(name))
            )

    def link(self, name: str, target: str, *, hard: bool = False) -> None:
        """Note a link that stays inside; raises `UsageError` for one that leads out.

        A symbolic link starts at its own folder, a hard link at the top of the archive.
        """
        folder = "" if hard else posixpath.dirname(name)
        inside = posixpath.normpath(posixpath.join(folder, target))
        if target.startswith("/") or inside.split("/")[0] == "..":
            raise self.refuse(_("the link {name} leads out of the bundle").format(name=_shown(name)))
        self._links[name] = inside

    def follow_links(self) -> None:
        """Give each link to a file the content of that file."""
        for name in self._links:
            at, seen = name, set[str]()
            while at in self._links and at not in seen:
                seen.add(at)
                at = self._links[at]
            if at in self.members:
                self.members.setdefault(name, self.members[at])

    def cut(self, why: str) -> None:
        """Note that it ended before its end."""
        self.problems.append(_("the bundle is cut off: {why}").format(why=why))

    def unread(self, name: str, why: str | None) -> None:
        """Note a member that is there and cannot be read."""
        self.problems.append(
            _("{name} of the bundle cannot be read: {why}").format(name=_shown(name), why=why)
        )

    def refuse(self, why: str) -> UsageError:
        """The error for a bundle that is not read at all."""
        return UsageError(f"{self.path}: {why}", _("make the bundle anew, with plain files only"))


def _shown(name: str) -> str:
    """A name for a message: one line, not long, no control characters."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in name)
    return shown if len(shown) <= 100 else shown[:60] + "..." + shown[-30:]


def read_archive(path: Path) -> Archive:
    """All files of a bundle that is a folder or an archive; what kind it is shows in its first bytes.

    Raises:
        UsageError: It cannot be read, is no archive, or breaks a limit.
    """
    archive = Archive(path)
    if path.is_dir():
        _read_folder(archive)
    elif _first_bytes(path).startswith(_ZIP):
        _read_zip(archive)
    else:
        _read_tar(archive)
    archive.follow_links()
    return archive


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


def _read_folder(archive: Archive) -> None:
    root = os.path.realpath(archive.path)
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            names = sorted(os.listdir(os.path.join(root, folder)))
        except OSError as error:
            archive.unread(folder, error.strerror)
            continue
        for name in names:
            archive.count()
            path = archive.name(folder + name)
            if _read_in_folder(archive, root, path):
                waiting.append(path + "/")


def _read_in_folder(archive: Archive, root: str, name: str) -> bool:
    """Take a file; True for a folder, whose turn comes later."""
    file = os.path.join(root, name)
    linked = os.path.islink(file)
    if linked and not (os.path.realpath(file) + os.sep).startswith(root + os.sep):
        raise archive.refuse(_("the link {name} leads out of the bundle").format(name=_shown(name)))
    if linked and not os.path.isfile(file):
        return False
    try:
        status = os.stat(file)
        if stat.S_ISDIR(status.st_mode):
            return True
        if not stat.S_ISREG(status.st_mode):
            raise archive.refuse(_("{name} is not a plain file").format(name=_shown(name)))
        archive.expect(name, status.st_size)
        with open(file, "rb") as opened:
            archive.members[_clean(name)] = opened.read(MOST_BYTES)
    except OSError as error:
        archive.unread(name, error.strerror)
    return False


def _clean(name: str) -> str:
    """A name that can be printed: bytes that are no UTF-8 become one mark."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class Unpacked:
    """The bytes of a file, unpacked where it is gzip, and no more of them than a bundle may hold."""

    def __init__(self, archive: Archive, file: IO[bytes]) -> None:
        self._archive = archive
        self._file = file
        self.packed = file.read(2) == _GZIP
        file.seek(0)
        self._unpacker: Any = _unpacker() if self.packed else None
        self._waiting = b""
        self._size = 0

    def read(self, size: int) -> bytes:
        """As many bytes, fewer only at the end.

        Raises:
            UsageError: Past the limit.
            EOFError: It is cut off, and this is where.
            zlib.error: It is damaged.
        """
        pieces: list[bytes] = []
        while size > 0 and (piece := self._piece(min(size, 1 << 20), begun=bool(pieces))):
            pieces.append(piece)
            size -= len(piece)
            self._size += len(piece)
            # Headers and padding come on top of what the members hold.
            if self.packed and self._size > 2 * self._archive.most_bytes:
                raise self._archive.refuse(_("it unpacks to far more than its own size"))
        return b"".join(pieces)

    def _piece(self, size: int, *, begun: bool) -> bytes:
        """Some bytes; what came before damage is not lost with it."""
        import zlib

        try:
            return self._inflate(size) if self._unpacker else self._file.read(size)
        except (EOFError, zlib.error):
            if not begun:
                raise
            return b""

    def _inflate(self, size: int) -> bytes:
        """Some bytes of one gzip, or of those that follow it."""
        while True:
            packed = self._waiting or self._file.read(1 << 16)
            if self._unpacker.eof and not packed.startswith(_GZIP):
                return b""  # what follows the end is passed over, as gzip does
            if not packed:
                raise EOFError("unexpected end of data")
            if self._unpacker.eof:
                self._unpacker = _unpacker()
            data: bytes = self._unpacker.decompress(packed, size)
            self._waiting = self._unpacker.unconsumed_tail or self._unpacker.unused_data
            if data:
                return data

    def drain(self) -> None:
        """Read to the end of what is packed, where its checksum stands."""
        while self.packed and self.read(1 << 20):
            pass


def _unpacker() -> Any:
    import zlib

    return zlib.decompressobj(16 + zlib.MAX_WBITS)


@contextmanager
def _cut_where_damaged(archive: Archive) -> Iterator[None]:
    import zlib

    try:
        yield
    except (EOFError, zlib.error, OSError) as error:
        archive.cut(str(error))


def _read_tar(archive: Archive) -> None:
    from npudoctor.collect.untar import CutTarError, NoTarError, Tar

    with archive.path.open("rb") as file, _cut_where_damaged(archive):
        source = Unpacked(archive, file)
        tar = Tar(source.read, archive.count)
        try:
            for member in tar:
                _read_tar_member(archive, tar, member)
            source.drain()
        except NoTarError:
            what = _("not a bundle: neither a folder nor a tar, tar.gz, tgz or zip archive")
            raise UsageError(f"{archive.path}: {what}", _("`npudoctor collect` makes one")) from None
        except CutTarError as error:
            archive.cut(str(error))


def _read_tar_member(archive: Archive, tar: untar.Tar, member: untar.Member) -> None:
    name = archive.name(member.name)
    if member.kind == "link":
        archive.link(name, member.target, hard=member.hard)
    elif member.kind == "other":
        raise archive.refuse(_("{name} is not a plain file").format(name=_shown(name)))
    elif member.kind == "file":
        archive.expect(name, member.size)
        archive.members[name] = tar.content()


def _read_zip(archive: Archive) -> None:
    from zipfile import BadZipFile

    from npudoctor.collect.unzip import LargeDirectoryError, Zip

    try:
        with Zip(archive.path) as members:
            for member in members:
                archive.count()
                _read_zip_member(archive, members, member)
    except LargeDirectoryError:
        raise archive.refuse(_("it is larger than any bundle")) from None
    except (BadZipFile, NotImplementedError, ValueError) as error:
        archive.cut(str(error))
        _read_cut_zip(archive)


def _read_zip_member(archive: Archive, members: unzip.Zip, member: unzip.Member) -> None:
    name = archive.name(member.name)
    if member.kind == "folder":
        return
    if member.kind == "other":
        raise archive.refuse(_("{name} is not a plain file").format(name=_shown(name)))
    if not member.readable:
        raise archive.refuse(_("{name} is encrypted, or packed in an unknown way").format(name=_shown(name)))
    archive.expect(name, member.size)
    content = members.content(member)
    if content is None:
        archive.unread(name, _("damaged"))
    elif len(content) > member.size:
        raise archive.refuse(_("{name} is larger than the archive says").format(name=_shown(name)))
    elif member.kind == "link":
        archive.link(name, content.decode("utf-8", "replace"))
    else:
        archive.members[name] = content


def _read_cut_zip(archive: Archive) -> None:
    """What a zip whose directory (at its end) is lost still holds: the members one after the other."""
    from npudoctor.collect.unzip import members_of_cut

    if archive.path.stat().st_size > MOST_BYTES_IN_ALL:
        raise archive.refuse(_("it is larger than any bundle"))
    for member in members_of_cut(archive.path.read_bytes()):
        archive.count()
        name = archive.name(member.name)
        archive.expect(name, member.size)
        content = member.content()
        if content is not None and not name.endswith("/"):
            archive.members[name] = content
