"""From what the user named to the pieces of work: whole files, and ranges of large ones."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MOST_FILES = 1_000_000
PIECE = 256 << 20
"""Bytes of a large file that one process reads at a time."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or a range of one.

    Attributes:
        path: On this machine.
        name: As it is shown: below what the user named.
        start: Where it begins, in bytes; the line that is cut there belongs to the part before.
        size: How many bytes.
    """

    path: str
    name: str
    start: int
    size: int


def parts(paths: Sequence[Path]) -> Iterator[Part]:
    """All files that the paths name or hold, large ones in pieces; links to folders are not followed.

    Raises:
        UsageError: A path is not there, cannot be read, or holds too many files.
    """
    count = 0
    for path in paths:
        for file, name in _files(path):
            count += 1
            if count > MOST_FILES:
                what = _("more than {count} files").format(count=MOST_FILES)
                raise UsageError(f"{path}: {what}", _("name the folder of one run"))
            yield from _pieces(file, name)


def _files(path: Path) -> Iterator[tuple[str, str]]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", _("name a log, a folder or an archive")) from None
    if not stat.S_ISDIR(mode):
        yield str(path), str(path)
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from ((os.path.join(folder, name),) * 2 for name in sorted(names))


def _pieces(file: str, name: str) -> Iterator[Part]:
    try:
        status = os.stat(file)
    except OSError:  # a link to nowhere
        return
    if not stat.S_ISREG(status.st_mode):
        yield from [Part(file, name, 0, 0)] if stat.S_ISFIFO(status.st_mode) else []
        return
    for start in range(0, max(status.st_size, 1), PIECE):
        yield Part(file, name, start, min(PIECE, status.st_size - start))
