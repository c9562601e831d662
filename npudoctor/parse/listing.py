"""`ls -ld PATH…`: kind, owner and mode of named files and folders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser

Kind = Literal["folder", "file", "link", "device", "other"]

_ROW = re.compile(r"^([-dlcbpsD])([-rwxsStT]{9})[.+@]?\s+\d+\s+(\S+)\s+(\S+)\s+(.*?)(/.*)$")
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


@parser("ls-ld", origin="ls -ld PATH…")
def parse_listing(text: str) -> tuple[Listed, ...]:
    """Every row that names an absolute path; complaints of `ls` and other lines are passed over.

    Raises:
        ParseError: There is text, but neither a row nor a complaint of `ls`.
    """
    matches = [match for line in text.splitlines() if (match := _ROW.match(line.strip()))]
    if text.strip() and not matches and "ls: " not in text:
        raise ParseError("no row of ls -ld with an absolute path")
    return tuple(_listed(match) for match in matches)


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
