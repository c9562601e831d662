"""What `${NAME…}` gives: defaults, cuts, replacements."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

from npudoctor.gate.shell.word import hole, holes
from npudoctor.regex import regex

OPERATOR = regex(r":-|:=|:\?|:\+|%%|##|//|/#|/%|\^\^|,,|[-=?+%#/:^,@]")
_SLICE = regex(r"\s*(-?\d{1,5}|\(-?\d{1,5}\))\s*(?::\s*(-?\d{1,5})\s*)?")


def defaulted(name: str, value: str | None, operator: str, other: str) -> str | None:
    """The text of `${NAME:-other}`, `=`, `+` and `?`; None for another operator.

    Args:
        name: The variable.
        value: Its raw text; None where it is not set in the text that was read.
        operator: Behind the name.
        other: The raw text behind the operator.
    """
    colon = operator.startswith(":") and len(operator) > 1
    missing = value is None or (colon and value == "")
    kind = operator[-1:]
    if kind in ("-", "="):
        return other if missing else value
    if kind == "+":
        return "" if missing else other
    if kind == "?":
        return hole(name) if value is None or missing else value
    return None


def altered(name: str, value: str, operator: str, other: str) -> str:
    """The text of a known variable after a cut, a replacement, a slice or a change of case."""
    if holes(value) or holes(other):
        return hole(name)
    if operator in ("%", "%%", "#", "##"):
        return _cut(value, operator, other)
    if operator in ("/", "//"):
        return _replaced(value, other, every=operator == "//")
    if operator == ":":
        return _sliced(name, value, other)
    if operator in ("^^", ",,") and not other:
        return value.upper() if operator == "^^" else value.lower()
    return hole(name)


def _cut(value: str, operator: str, pattern: str) -> str:
    """Take the shortest or longest match of a pattern off one end."""
    lengths = range(len(value) + 1) if len(operator) == 1 else range(len(value), -1, -1)
    matches = _pattern(pattern)
    for length in lengths:
        if operator[0] == "%" and matches.match(value[len(value) - length :]):
            return value[: len(value) - length]
        if operator[0] == "#" and matches.match(value[:length]):
            return value[length:]
    return value


def _replaced(value: str, other: str, every: bool) -> str:
    pattern, _slash, new = other.partition("/")
    if not pattern:
        return value
    if not any(sign in pattern for sign in "*?["):
        return value.replace(pattern, new, -1 if every else 1)
    body = translate(pattern).replace("(?s:", "").rpartition(")")[0]
    return re.sub(body, lambda _found: new, value[:4096], count=0 if every else 1)


def _sliced(name: str, value: str, other: str) -> str:
    match = _SLICE.fullmatch(other)
    if match is None:
        return hole(name)
    start = int(match[1].strip("()"))
    start = max(len(value) + start, 0) if start < 0 else start
    if match[2] is None:
        return value[start:]
    length = int(match[2])
    return value[start : start + length] if length >= 0 else value[start:length]


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))
