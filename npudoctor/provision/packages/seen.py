"""What was found out about a file on a disk: its digest, and whether it is whole. Kept until it changes."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.provision.packages import archives, makeself
from npudoctor.provision.packages.files import CHUNK, write_whole
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Seen:
    """One file.

    Attributes:
        wrong: Why it is not whole by what it says of itself; empty where nothing speaks against it.
        itself: Whether its own checksum vouches for all of it.
        label: What a `.run` calls itself; empty for others.
    """

    size: int
    sha256: str
    wrong: str
    itself: bool
    label: str


class Memory:
    """Remembers by path, inode, size and time of change; a store and a target look again all the same."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or _cache_file()
        self._known: dict[str, list[Any]] = _read(self._file)

    def look(self, path: Path, member: str = "", tell: Callable[[int], None] = lambda _bytes: None) -> Seen:
        """The file, or the file of that name within a zip; raises `OSError` where it cannot be read."""
        state = path.stat()
        key = f"{path.resolve()}\n{member}"
        stamp = [state.st_ino, state.st_size, state.st_mtime_ns]
        kept = self._known.get(key)
        if kept is not None and kept[:3] == stamp:
            return Seen(*kept[3:])
        seen = _member(path, member, tell) if member else _file(path, tell)
        self._known[key] = [*stamp, seen.size, seen.sha256, seen.wrong, seen.itself, seen.label]
        with suppress(OSError):  # a read-only home costs time, nothing else
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file, json.dumps(self._known))
        return seen


def _file(path: Path, tell: Callable[[int], None]) -> Seen:
    with path.open("rb") as file:
        size, sha256 = _hashed(iter(lambda: file.read(CHUNK), b""), tell)
    wrong, itself, label = said_of_itself(path)
    return Seen(size, sha256, wrong, itself, label)


def _member(path: Path, member: str, tell: Callable[[int], None]) -> Seen:
    """The checksum of a zip vouches for nothing but a slip; that of the archive's digest is what counts."""
    with archives.opened(path, member) as file:
        size, sha256 = _hashed(iter(lambda: file.read(CHUNK), b""), tell)
    return Seen(size, sha256, "", False, "")


def said_of_itself(path: Path) -> tuple[str, bool, str]:
    """What is wrong with a file by its own words, whether it proves itself, and what it calls itself."""
    try:
        if path.suffix == ".run":
            with path.open("rb") as file:
                label = makeself.read_header(file).label
            return makeself.wrong_with(path) or "", True, label
    except ValueError:
        return "", False, ""
    if path.suffix in (".zip", ".whl") and not archives.is_whole(path):
        return _("it is cut off: no zip ends so"), False, ""
    if path.suffix in (".zip", ".whl") and not archives.members(path):
        return _("it lists no file that it holds"), False, ""
    return "", False, ""


def _hashed(chunks: Iterator[bytes], tell: Callable[[int], None]) -> tuple[int, str]:
    import hashlib

    hashed, size = hashlib.sha256(), 0
    for chunk in chunks:
        hashed.update(chunk)
        size += len(chunk)
        tell(len(chunk))
    return size, hashed.hexdigest()


def _cache_file() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "npudoctor" / "packages.json"


def _read(file: Path) -> dict[str, list[Any]]:
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    sound = isinstance(known, dict) and all(isinstance(row, list) and len(row) == 8 for row in known.values())
    return known if sound else {}
