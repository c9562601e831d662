"""`ls -l FOLDER`: what is in a folder, with owners, modes and where links point to."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.listing import mode_of
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

Kind = Literal["folder", "file", "link", "other"]

_DATE = r"(?:[A-Z][a-z]{2}\s+\d+\s+[\d:]+|\d{4}-\d\d-\d\d\s+\d\d:\d\d\S*)"
_ROW = regex(rf"^([-dlcbps])([-rwxsStT]{{9}})[.+@]?\s+\d+\s+(\S+)\s+(\S+)\s+(\d{{1,18}})\s+{_DATE}\s+(\S.*)$")
_KINDS: dict[str, Kind] = {"d": "folder", "-": "file", "l": "link"}


@dataclass(frozen=True, slots=True)
class Member:
    """One row of `ls -l FOLDER`.

    Attributes:
        name: Without its folder.
        kind: `folder`, `file`, `link` or `other`.
        mode: Permission bits, 0o000 to 0o777.
        owner: Name, or the number where it has no name here.
        group: Likewise.
        size: In bytes; of a link that of the link itself.
        target: Where a link points to; None for anything else.
        line: As printed.
    """

    name: str
    kind: Kind
    mode: int
    owner: str
    group: str
    size: int
    target: str | None
    line: str


@parser("ls-l", origin="ls -l FOLDER")
def parse_folder(text: str) -> tuple[Member, ...]:
    """The rows of `ls -l` of one folder; an empty folder prints `total 0` and has none.

    Raises:
        ParseError: There is neither a row nor a `total` line.
    """
    rows = _rows(text)
    if not rows and not re.search(r"^total \d+", text, re.MULTILINE):
        raise ParseError("no row of ls -l and no 'total' line")
    return rows


@lru_cache(maxsize=64)
def _rows(text: str) -> tuple[Member, ...]:
    """The same few folders are asked for many times: who leads to whom."""
    return tuple(_member(match) for line in text.splitlines() if (match := _ROW.match(line.strip())))


def _member(match: re.Match[str]) -> Member:
    name, arrow, target = match[6].partition(" -> ")
    return Member(
        name=name,
        kind=_KINDS.get(match[1], "other"),
        mode=mode_of(match[2]),
        owner=match[3],
        group=match[4],
        size=int(match[5]),
        target=target if arrow else None,
        line=match[0],
    )
