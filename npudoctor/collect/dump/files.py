"""From what the user named to the pieces of work: whole files, and ranges of large ones."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from npudoctor.collect.dump.names import is_source
from npudoctor.collect.dump.told import shown
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from npudoctor.collect.dump.told import Told

MOST_FILES = 1_000_000
PIECE = 256 << 20
"""Bytes of a large file that one process reads at a time."""
_AT_ONCE = 256 << 10
_OF_THE_KERNEL = ("/proc", "/sys", "/dev")
"""Folders that hold no files of a disk: some have no end, and some wait for ever."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or a range of one.

    Attributes:
        path: On this machine.
        name: As it is shown: below what the user named.
        start: Where it begins, in bytes; the line that is cut there belongs to the part before.
        size: How many bytes; 0 where only reading tells.
    """

    path: str
    name: str
    start: int
    size: int


def parts(paths: Sequence[Path], told: Told) -> Iterator[Part]:
    """All files that the paths name or hold, each once, large ones in pieces.

    Links in a folder are not followed: what they lead to inside is read under its own name.

    Raises:
        UsageError: A path is not there, cannot be read, or holds too many files.
    """
    count = 0
    for path in _distinct(paths):
        for file in _files(path, told):
            count += 1
            if count > MOST_FILES:
                what = _("more than {count} files").format(count=MOST_FILES)
                raise UsageError(f"{path}: {what}", _("name the folder of one run"))
            yield from _pieces(file, told)


def line_numbers(path: str, offsets: Iterable[int]) -> dict[int, int]:
    """The number of the line, from 1, that begins at each of some bytes of a file; raises `OSError`."""
    numbers: dict[int, int] = {}
    line, at = 1, 0
    with open(path, "rb", buffering=0) as file:
        for offset in sorted(set(offsets)):
            while at < offset and (data := file.read(min(_AT_ONCE, offset - at))):
                line += data.count(b"\n")
                at += len(data)
            numbers[offset] = line
    return numbers


def _distinct(paths: Sequence[Path]) -> Iterator[Path]:
    """Without those that stand twice, or below another."""
    real = [path.resolve() for path in paths]
    for place, path in enumerate(paths):
        here = real[place]
        if here not in real[:place] and not any(other in here.parents for other in real):
            yield path


def _files(path: Path, told: Told) -> Iterator[str]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        mend = _("name a log, a folder or an archive")
        raise UsageError(f"{shown(str(path))}: {error.strerror}", mend) from None
    if stat.S_ISDIR(mode):
        yield from _below(path, told)
    elif stat.S_ISREG(mode) or stat.S_ISFIFO(mode):
        yield str(path)
    else:
        raise UsageError(
            f"{path}: " + _("neither a file nor a folder"), _("name a log, a folder or an archive")
        )


def _below(top: Path, told: Told) -> Iterator[str]:
    root = os.path.realpath(top)
    if any(f"{root}/".startswith(f"{folder}/") for folder in _OF_THE_KERNEL):
        raise UsageError(f"{top}: " + _("holds no logs"), _("name a log, a folder or an archive"))
    for folder, folders, names in os.walk(top, onerror=lambda error: _unread(error, told)):
        folders[:] = sorted(name for name in folders if os.path.join(folder, name) not in _OF_THE_KERNEL)
        for name in sorted(names):
            file = os.path.join(folder, name)
            if is_source(os.path.abspath(file)):
                told.pass_over(f"{shown(file)}: " + _("source code or documentation"))
            elif _is_plain(file, root, told):
                yield file


def _unread(error: OSError, told: Told) -> None:
    told.problem(f"{shown(str(error.filename))}: {error.strerror}")


def _is_plain(file: str, root: str, told: Told) -> bool:
    """Whether a name in a folder is a file of its own that can hold a log."""
    try:
        status = os.lstat(file)
    except OSError as error:
        _unread(error, told)
        return False
    if stat.S_ISLNK(status.st_mode):
        if os.path.exists(file) and not os.path.realpath(file).startswith(f"{root}/"):
            told.pass_over(f"{shown(file)}: " + _("leads out of the folder"))
        return False
    if not stat.S_ISREG(status.st_mode):
        told.problem(f"{shown(file)}: " + _("neither a file nor a folder"))
        return False
    return status.st_size > 0


def _pieces(file: str, told: Told) -> Iterator[Part]:
    try:
        size = os.stat(file).st_size
    except OSError as error:  # it was there a moment ago
        _unread(error, told)
        return
    for start in range(0, max(size, 1), PIECE):
        yield Part(file, shown(file), start, min(PIECE, size - start))
