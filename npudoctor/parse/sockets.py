"""`ss -ltnp`: who listens on which port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re


@dataclass(frozen=True, slots=True)
class Listener:
    """One listening socket. `process` is None where this user may not see whose it is."""

    address: str
    port: int
    process: str | None
    pid: int | None
    line: str


_ROW = regex(r"^(?:tcp\S*\s+)?LISTEN\s+\d+\s+\d+\s+(\S+):(\d{1,5})\s+\S+(?:\s+(.*))?$")
_USER = regex(r'\("([^"]*)",pid=(\d{1,9})')


@parser("ss", origin="ss -ltnp")
def parse_ss(text: str) -> tuple[Listener, ...]:
    """The listening TCP sockets; raises `ParseError` for text that is no answer of ss."""
    rows = (match for match in map(_ROW.match, (line.strip() for line in text.splitlines())) if match)
    found = tuple(map(_listener, rows))
    if not found and "Local Address:Port" not in text:
        raise ParseError("no LISTEN line and no header of ss")
    return found


def _listener(match: re.Match[str]) -> Listener:
    user = _USER.search(match[3] or "")
    process, pid = (user[1], int(user[2])) if user else (None, None)
    return Listener(match[1].strip("[]"), int(match[2]), process, pid, " ".join(match[0].split()))
