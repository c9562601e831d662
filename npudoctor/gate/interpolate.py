"""`$NAME`, `${NAME}`, `${NAME:-default}` in Dockerfiles and Compose files; defaults may nest."""

from __future__ import annotations

from collections.abc import Callable

from npudoctor.gate.shell.parameter import defaulted
from npudoctor.gate.shell.word import hole
from npudoctor.regex import regex

Lookup = Callable[[str], str | None]
"""The raw text of a variable (with holes where it is open); None where it is not set here."""

_NAME = regex(r"[A-Za-z_]\w*")
_OPERATOR = regex(r":?[-+?]")


def interpolate(text: str, lookup: Lookup, escape: str) -> str:
    """The raw text after substitution; a variable that is not set and has no default is a hole.

    Args:
        text: As it is written.
        lookup: What each variable holds.
        escape: What stands for a plain `$`: `\\$` in a Dockerfile, `$$` in Compose.
    """
    parts: list[str] = []
    at = 0
    while at < len(text):
        if text.startswith(escape, at):
            parts.append("$")
            at += len(escape)
        elif text[at] == "$":
            part, at = _variable(text, at + 1, lookup, escape)
            parts.append(part)
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts)


def _variable(text: str, at: int, lookup: Lookup, escape: str) -> tuple[str, int]:
    """What stands for the variable behind a `$` at `at` - 1, and where the text goes on."""
    braced = text.startswith("{", at)
    name = _NAME.match(text, at + braced)
    if name is None:
        return "$", at
    if not braced:
        return _plain(name[0], lookup), name.end()
    end = _closing(text, name.end())
    if end is None:
        return "$", at
    inner = text[name.end() : end]
    operator = _OPERATOR.match(inner)
    if operator is None:
        return (_plain(name[0], lookup) if not inner else hole(name[0])), end + 1
    other = interpolate(inner[operator.end() :], lookup, escape)
    value = defaulted(name[0], lookup(name[0]), operator[0], other)
    return (hole(name[0]) if value is None else value), end + 1


def _plain(name: str, lookup: Lookup) -> str:
    value = lookup(name)
    return hole(name) if value is None else value


def _closing(text: str, at: int) -> int | None:
    """Where the `}` stands that closes a `${` whose name ends before `at`."""
    depth = 1
    for index in range(at, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0:
            return index
    return None
