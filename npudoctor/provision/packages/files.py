"""Files that are there wholly or not at all, and bytes that are hashed while they are copied."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, BinaryIO

from npudoctor.errors import UsageError, write_error
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CHUNK = 1 << 20


def tell_nobody(_bytes: int) -> None:
    """What is told of bytes as they are done, where nobody listens."""


def copy_hashed(
    source: IO[bytes], target: BinaryIO, tell: Callable[[int], None] = tell_nobody, most: int | None = None
) -> tuple[int, str]:
    """Copy all of it, or a little more than `most` bytes; the bytes copied, and their SHA-256."""
    hashed, done = hashlib.sha256(), 0
    while chunk := source.read(CHUNK):
        hashed.update(chunk)
        target.write(chunk)
        done += len(chunk)
        tell(len(chunk))
        if most is not None and done > most:
            break
    return done, hashed.hexdigest()


@contextmanager
def new_file(scratch: Path) -> Iterator[BinaryIO]:
    """A scratch file that is on the disk when the block ends, and gone where the block fails."""
    try:
        with scratch.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            scratch.unlink()
        raise


def put_in_place(scratch: Path, target: Path) -> None:
    """Give the finished file its name; power may fail at any moment."""
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(target: Path, text: str, scratch: Path | None = None) -> None:
    """Replace a file at once.

    Args:
        scratch: Where it is written first, on the same disk; beside it where none is given.
    """
    scratch = scratch or target.with_name(f".{target.name}.{os.getpid()}")
    with new_file(scratch) as file:
        file.write(text.encode())
    put_in_place(scratch, target)


@contextmanager
def telling(folder: Path) -> Iterator[None]:
    """Tell of a full disk or a place that may not be written in one line."""
    try:
        yield
    except OSError as error:
        raise write_error(
            error.filename or folder, error, _("free some room, or choose another folder")
        ) from None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One writer at a time; raises `UsageError` where another is at work."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            what = _("{folder}: another npudoctor is writing there").format(folder=folder)
            raise UsageError(what, _("wait until it is done")) from None
        yield
