"""The vendor's zips: a package within, or within a zip within, beside its signature (`.cms`) and a `.crl`."""

from __future__ import annotations

import zlib
from contextlib import ExitStack, contextmanager
from errno import EINVAL
from lzma import LZMAError
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING
from zipfile import BadZipFile, ZipFile, is_zipfile

from npudoctor.errors import UsageError
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_METADATA = regex(r"[^/]+\.dist-info/METADATA")
_MOST_METADATA = 4 * 1024 * 1024
"""Bytes that are looked at: the longest descriptions of projects have some hundred thousand."""
DAMAGED = (BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error, LZMAError)
"""What reading a zip raises that is cut off, changed, or made to do harm."""


def is_whole(path: Path) -> bool:
    """Whether the file ends as a zip does."""
    return is_zipfile(path)


def members(path: Path) -> list[str]:
    """Names of the files in a zip and in the zips within it, without folders; none where it is damaged."""
    try:
        with ZipFile(path) as outer:
            names = outer.namelist()
            inner = [name for name in names if name.endswith(".zip")]
            for name in inner:
                with outer.open(name) as file, ZipFile(file) as nested:
                    names += nested.namelist()
    except (*DAMAGED, OSError):
        return []
    return [PurePosixPath(name).name for name in names]


def metadata(wheel: Path) -> str:
    """The head of a wheel's METADATA; empty where it is damaged or has none."""
    try:
        with ZipFile(wheel) as opened_wheel:
            name = next(name for name in opened_wheel.namelist() if _METADATA.fullmatch(name))
            with opened_wheel.open(name) as file:
                return file.read(_MOST_METADATA).decode("utf-8", "replace").partition("\n\n")[0]
    except (*DAMAGED, OSError, StopIteration):
        return ""


class DamagedError(UsageError):
    """A zip that cannot be read; `why`: what is wrong with it."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(_("{path}: damaged: {why}").format(path=path, why=why), _("fetch it again"))
        self.why = str(why)


@contextmanager
def opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    """The bytes of the file of that name, wherever in the zip it lies.

    Raises:
        DamagedError: It is not there, or the zip is damaged.
    """
    with ExitStack() as stack:
        try:
            yield _member(stack, stack.enter_context(ZipFile(path)), name)
        except (*DAMAGED, OSError) as error:
            if isinstance(error, OSError) and error.errno not in (EINVAL, None):
                raise  # the disk's; a place before the start is the zip's, and so is what bzip2 tells
            raise DamagedError(path, error) from None


def _member(stack: ExitStack, outer: ZipFile, name: str) -> IO[bytes]:
    """The vendor packs once or twice, never deeper."""
    inner = [member for member in outer.namelist() if member.endswith(".zip")]
    nested = (stack.enter_context(ZipFile(stack.enter_context(outer.open(member)))) for member in inner)
    for zipped in (outer, *nested):
        for member in zipped.namelist():
            if PurePosixPath(member).name.lower() == name.lower():
                return stack.enter_context(zipped.open(member))
    raise BadZipFile(_("no {name} in it").format(name=name))
