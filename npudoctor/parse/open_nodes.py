"""Which processes have a device node of an NPU open, as /proc says it: `PID NAME NODE` lines."""

from __future__ import annotations

from npudoctor.parse.fuser import Holder
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

_LINE = regex(r"^(\d{1,9}) (.+) (/dev/\S+)$")


@parser("open-nodes", origin="ls /proc/fd davinci")
def parse_open_nodes(text: str) -> tuple[Holder, ...]:
    """One a process and node, each once; an empty text is nobody."""
    found = (_LINE.match(line) for line in text.splitlines())
    return tuple(dict.fromkeys(Holder(match[3], None, int(match[1]), match[2]) for match in found if match))
