"""`df -Pk` (space) and `df -Pi` (inodes)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

_ROW = regex(r"^(\S.*?)\s+(\d{1,18}|-)\s+(\d{1,18}|-)\s+(-?\d{1,18}|-)\s+(\d{1,5}%|-)\s+(/.*?)\s*$")


@dataclass(frozen=True, slots=True)
class FileSystem:
    """One row of `df`: KiB for `-Pk`, inodes for `-Pi`.

    Attributes:
        device: `/dev/sda2`, `tmpfs`, `server:/export`.
        total: All; 0 where the file system does not count them.
        used: Of these, in use.
        free: What an ordinary user may still take.
        mount: `/var/lib/docker`.
        line: The row as printed.
    """

    device: str
    total: int
    used: int
    free: int
    mount: str
    line: str

    @property
    def used_percent(self) -> float:
        """As `df` counts it, of what ordinary users may take; 0 where nothing is counted."""
        all_of_it = self.used + max(self.free, 0)
        return 100 * self.used / all_of_it if all_of_it else 0.0


@parser("df", origin="df -Pk")
def parse_df(text: str) -> tuple[FileSystem, ...]:
    """One record a row, in the order printed.

    Raises:
        ParseError: No row could be read.
    """
    return _rows(text)


@parser("df-inodes", origin="df -Pi")
def parse_df_inodes(text: str) -> tuple[FileSystem, ...]:
    """One record a row; file systems that count no inodes have a total of 0.

    Raises:
        ParseError: No row could be read.
    """
    return _rows(text)


@parser("df-places", origin="df places")
def parse_df_places(text: str) -> Mapping[str, FileSystem]:
    """The file system of each path: lines of `PATH`, a blank, and a line of `df -Pk`.

    Raises:
        ParseError: No row could be read.
    """
    parted = (line.partition(" ") for line in text.splitlines() if line.startswith("/"))
    found = {path: _row(match) for path, _blank, row in parted if (match := _ROW.match(row))}
    if not found:
        raise ParseError("no row of `df -P`")
    return found


def _rows(text: str) -> tuple[FileSystem, ...]:
    rows = tuple(_row(found) for line in text.splitlines() if (found := _ROW.match(line)))
    if not rows:
        raise ParseError("no row of `df -P`")
    return rows


def _row(found: re.Match[str]) -> FileSystem:
    total, used, free = (0 if cell == "-" else int(cell) for cell in found.group(2, 3, 4))
    return FileSystem(found[1], total, used, free, found[6], found[0].strip())
