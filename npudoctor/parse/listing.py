"""`ls -ld PATH…`: kind, owner and mode of named files and folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re

Kind = Literal["folder", "file", "link", "device", "other"]

_ROW = regex(r"^([-dlcbpsD])([-rwxsStT]{9})[.+@]?\s+\d+\s+(\S+)\s+(\S+)\s+(.*?)(/.*)$")
_MISSING = regex(r"^ls: [^/]*?['\"‘]?(/[^'\"’:]+)['\"’]?: (?:No such file|没有那个文件)")
_KINDS: dict[str, Kind] = {"d": "folder", "-": "file", "l": "link", "c": "device", "b": "device"}
_BITS = (0o400, 0o200, 0o100, 0o040, 0o020, 0o010, 0o004, 0o002, 0o001)


@dataclass(frozen=True, slots=True)
class Listed:
    """One row of `ls -l` that names an absolute path.

    Attributes:
        path: Absolute.
        kind: `folder`, `file`, `link`, `device` or `other`.
        mode: Permission bits, 0o000 to 0o777.
        owner: Name, or the number where it has no name here.
        group: Likewise.
        target: Where a link points to; None for anything else.
        line: As printed.
    """

    path: str
    kind: Kind
    mode: int
    owner: str
    group: str
    target: str | None
    line: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What `ls -ld` found, and the paths of which it says that they are not there."""

    rows: tuple[Listed, ...]
    missing: tuple[str, ...]


@parser("ls-ld", origin="ls -ld PATH…")
def parse_listing(text: str) -> Listing:
    """Every row that names an absolute path, and every path that `ls` did not find (its standard error).

    Raises:
        ParseError: There is text, but neither a row nor a complaint of `ls`.
    """
    lines = [line.strip() for line in text.splitlines()]
    rows = tuple(_listed(match) for line in lines if (match := _ROW.match(line)))
    missing = tuple(match[1].rstrip("/") for line in lines if (match := _MISSING.match(line)))
    if text.strip() and not rows and not any(line.startswith("ls: ") for line in lines):
        raise ParseError("no row of ls -ld with an absolute path")
    return Listing(rows, missing)


def mode_of(letters: str) -> int:
    """Permission bits of nine letters such as `rw-rw----`."""
    return sum(bit for bit, letter in zip(_BITS, letters, strict=True) if letter not in "-ST")


def _listed(match: re.Match[str]) -> Listed:
    path, arrow, target = match[6].partition(" -> ")
    return Listed(
        path=path.rstrip("/") or "/",
        kind=_KINDS.get(match[1], "other"),
        mode=mode_of(match[2]),
        owner=match[3],
        group=match[4],
        target=target if arrow else None,
        line=match[0],
    )
