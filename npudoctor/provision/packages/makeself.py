"""A `.run` package proves itself: the header that makeself writes holds size and checksum of what follows it.

The file is read, never run. The lines are those of makeself 2.3 to 2.5.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, BinaryIO

from npudoctor.dataclass import dataclass
from npudoctor.regex import regex
from npudoctor.words import _, ngettext

if TYPE_CHECKING:
    from pathlib import Path

_HEADER_BYTES = 256 * 1024
"""More than any header: makeself's own has about 20 KB."""
_CHUNK = 1 << 20
_MADE = regex(rb"^# This script was generated using Makeself", re.MULTILINE)
_SIZES = regex(rb'^filesizes="([0-9 ]+)"', re.MULTILINE)
_LINES = regex(rb'^skip="([0-9]+)"|^offset=`head -n ([0-9]+) ', re.MULTILINE)
_LABEL = regex(rb'^label="([^"\n]{0,200})"', re.MULTILINE)
_SHA = regex(rb'^SHA="([0-9a-f]{64})[ "]', re.MULTILINE)
_MD5 = regex(rb'^MD5="([0-9a-f]{32})[ "]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Header:
    """What a makeself header says.

    Attributes:
        offset: Where the archive begins, in bytes.
        size: Of the archive, in bytes.
        algorithm: `sha256`, `md5`, or empty where the header holds no checksum of the whole.
        checksum: Of the archive, in hex.
        label: What the installer prints first: `ASCEND-HDK-310P-NPU FIRMWARE RUN PACKAGE`.
    """

    offset: int
    size: int
    algorithm: str
    checksum: str
    label: str


def wrong_with(path: Path) -> str | None:
    """Why the package is not whole; None where its own checksum holds.

    Raises:
        ValueError: The file is no makeself archive, or its header holds no checksum: it proves nothing.
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        header = read_header(file)
        present = path.stat().st_size - header.offset
        if present < header.size:
            return _cut_off(header.size - present)
        if not header.algorithm:
            raise ValueError("no checksum")
        if _digest(file, header) != header.checksum:
            return _("the checksum in its own header does not hold")
    return None


def _cut_off(missing: int) -> str:
    text = ngettext(
        "it is cut off: {missing} byte is missing", "it is cut off: {missing} bytes are missing", missing
    )
    return text.format(missing=missing)


def read_header(file: BinaryIO) -> Header:
    """The header of an open package; raises `ValueError` where there is none."""
    text = file.read(_HEADER_BYTES)
    sizes, lines = _SIZES.search(text), _LINES.search(text)
    if not _MADE.search(text) or sizes is None or lines is None:
        raise ValueError("no makeself archive")
    offset = _end_of_line(text, int(lines[1] or lines[2]))
    parts = [int(size) for size in sizes[1].split()]
    algorithm, checksum = _checksum(text) if len(parts) == 1 else ("", "")
    label = _LABEL.search(text)
    told = label[1].decode("utf-8", "replace") if label else ""
    return Header(offset, sum(parts), algorithm, checksum, told)


def _end_of_line(text: bytes, number: int) -> int:
    """Where the line of that number ends."""
    place = 0
    for _line in range(number):
        place = text.find(b"\n", place) + 1
        if not place:
            raise ValueError("a header without an end")
    return place


def _checksum(text: bytes) -> tuple[str, str]:
    """Zeros stand for none."""
    for algorithm, pattern in (("sha256", _SHA), ("md5", _MD5)):
        found = pattern.search(text)
        if found and found[1].strip(b"0"):
            return algorithm, found[1].decode("ascii")
    return "", ""


def _digest(file: BinaryIO, header: Header) -> str:
    file.seek(header.offset)
    hashed, left = hashlib.new(header.algorithm, usedforsecurity=False), header.size
    while left and (chunk := file.read(min(left, _CHUNK))):
        hashed.update(chunk)
        left -= len(chunk)
    return hashed.hexdigest()
