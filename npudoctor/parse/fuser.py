"""`fuser -v /dev/davinci*`: which processes have a device node open."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.parse.registry import parser
from npudoctor.regex import regex


@dataclass(frozen=True, slots=True)
class Holder:
    """One process that has a node open."""

    node: str
    user: str | None
    pid: int
    command: str | None


_NODE = regex(r"^(/dev/\S+?):\s*(.*)$")
_ROW = regex(r"^(?:([A-Za-z_][\w.+-]*)\s+)?(\d{1,9})\s+[A-Za-z.]{3,8}\s+(\S.*)$")
_PIDS = regex(r"\b(\d{1,9})[a-z]{0,3}\b")


@parser("fuser", origin="fuser -v /dev/davinci*")
def parse_fuser(text: str) -> tuple[Holder, ...]:
    """The holders, node by node; an empty text is "nobody", which is how fuser says it."""
    found: list[Holder] = []
    node = ""
    for line in text.splitlines():
        rest = line.strip()
        if match := _NODE.match(rest):
            node, rest = match[1], match[2]
        if node:
            found.extend(_holders(node, rest))
    return tuple(found)


def _holders(node: str, rest: str) -> list[Holder]:
    if match := _ROW.match(rest):
        return [Holder(node, match[1], int(match[2]), match[3].strip())]
    if re.fullmatch(r"[\da-z\s]+", rest):
        return [Holder(node, None, int(pid), None) for pid in _PIDS.findall(rest)]
    return []
