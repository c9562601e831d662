"""Fetch one file over HTTP: it goes on where it stopped, and is hashed while it is written."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from npudoctor.errors import Exit, IncompleteError, NpudoctorError
from npudoctor.provision.packages.files import CHUNK, put_in_place, tell_nobody
from npudoctor.provision.packages.web import Answer, ask
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

_TRIES = 5
PART = ".part"
"""What the name of a half-fetched file ends with."""


class WrongBytesError(NpudoctorError):
    """A server gave other bytes than the published ones."""

    exit = Exit.FINDINGS


def fetch(
    url: str,
    target: Path,
    wanted: Collection[str] = (),
    size: int | None = None,
    tell: Callable[[int], None] = tell_nobody,
) -> tuple[int, str]:
    """Fetch a file; its size in bytes and its SHA-256.

    Args:
        url: HTTP or HTTPS.
        target: Where it is put when it is whole; until then it grows beside it as `NAME.part`.
        wanted: The digests that it may have; any where there are none.
        size: In bytes, where it is known.
        tell: Is told of bytes as they come.

    Raises:
        IncompleteError: The server does not answer, lacks the file, or breaks off again and again.
        WrongBytesError: It gave other bytes; nothing of them is kept.
        OSError: The disk is full, or the folder may not be written.
    """
    part = target.with_name(target.name + PART)
    whole = _expected(url, size)
    for attempt in range(1, _TRIES + 1):
        try:
            done, digest = _go_on(url, part, whole, tell)
        except IncompleteError:
            if attempt == _TRIES:
                raise
            continue
        if whole is None or done >= whole:
            return _finish(url, part, target, done, digest, wanted, whole)
    what = _("{url}: cut off after {done} of {whole} bytes").format(url=url, done=done, whole=whole)
    raise IncompleteError(what, _("run it again: it goes on where it stopped"))


def _expected(url: str, size: int | None) -> int | None:
    """How many bytes there are to be; also whether the file is there at all."""
    answer = ask(url, "HEAD")
    if answer is None:
        raise IncompleteError(_("{url}: not there").format(url=url), _("carry the file over by hand"))
    with answer:
        there: int | None = answer.size
    if size is not None and there is not None and size != there:
        what = _("{url}: has {there} bytes, not {size}").format(url=url, there=there, size=size)
        raise WrongBytesError(what, _("mend the mirror"))
    return there if size is None else size


def _go_on(url: str, part: Path, whole: int | None, tell: Callable[[int], None]) -> tuple[int, str]:
    """Append what is missing; all bytes that are there now, and their digest."""
    hashed = hashlib.sha256()
    done = _hash_present(part, hashed.update, tell)
    if whole is not None and done == whole:
        return done, hashed.hexdigest()
    answer: Answer | None = ask(url, "GET", done)
    if answer is None:
        raise IncompleteError(_("{url}: not there").format(url=url), _("carry the file over by hand"))
    with answer, part.open("r+b" if part.exists() else "wb") as file:
        if answer.start != done:  # the server knows nothing of ranges
            hashed, done = hashlib.sha256(), 0
        file.truncate(done)
        file.seek(done)
        while chunk := answer.read(CHUNK):
            file.write(chunk)
            hashed.update(chunk)
            done += len(chunk)
            tell(len(chunk))
        file.flush()
        os.fsync(file.fileno())
    return done, hashed.hexdigest()


def _hash_present(part: Path, update: Callable[[bytes], None], tell: Callable[[int], None]) -> int:
    if not part.exists():
        return 0
    done = 0
    with part.open("rb") as file:
        while chunk := file.read(CHUNK):
            update(chunk)
            done += len(chunk)
            tell(len(chunk))
    return done


def _finish(
    url: str, part: Path, target: Path, done: int, digest: str, wanted: Collection[str], whole: int | None
) -> tuple[int, str]:
    if (whole is not None and done != whole) or (wanted and digest not in wanted):
        part.unlink()
        what = _("{url}: gave other bytes: SHA-256 {digest}, not {wanted}")
        told = what.format(url=url, digest=digest[:16], wanted=" ".join(one[:16] for one in wanted) or "-")
        raise WrongBytesError(told, _("mend the mirror; nothing of it was kept"))
    put_in_place(part, target)
    return done, digest
