"""The environment of a shell or process: NAME=value lines, `export -p`, or /proc/PID/environ."""

from __future__ import annotations

import re
import shlex

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex
from npudoctor.text import decode

_SETS = regex(r"([A-Za-z_][A-Za-z0-9_.%()-]*)=(.*)", re.DOTALL)
_EXPORTS = regex(r"(?:export|declare -[a-z]*x[a-z]*|typeset -[a-z]*x[a-z]*) (?=[A-Za-z_])")


@parser("environ", origin="env")
def parse_environ(text: str) -> dict[str, str]:
    """`env`, `export -p` or a hand-made list to values by name; the last line of a name wins.

    A line that sets nothing goes on with the value before it, as values may hold line ends.

    Raises:
        ParseError: There is text, and no line of it sets a variable.
    """
    found: dict[str, str] = {}
    name = None
    for line in text.splitlines():
        match = _SETS.fullmatch(_EXPORTS.sub("", line, count=1))
        if match:
            name = match[1]
            found[name] = _unquoted(match[2]) if _EXPORTS.match(line) else match[2]
        elif _EXPORTS.match(line):  # exported, and not set
            name = None
        elif name is not None and not line.startswith("#"):
            found[name] += "\n" + line
    if not found and text.strip():
        raise ParseError("expected NAME=value lines, saw " + text.strip().splitlines()[0][:60])
    return {name: value.rstrip("\n") for name, value in found.items()}


def parse_environ_bytes(data: bytes) -> dict[str, str]:
    """The same from raw bytes, which NUL may part as in /proc/PID/environ.

    Raises:
        ParseError: As `parse_environ`.
    """
    if b"\0" not in data:
        return parse_environ(decode(data))
    pairs = (_SETS.fullmatch(decode(part)) for part in data.split(b"\0"))
    return {pair[1]: pair[2] for pair in pairs if pair}


def _unquoted(value: str) -> str:
    try:
        words = shlex.split(value)
    except ValueError:
        return value
    return words[0] if len(words) == 1 else value
