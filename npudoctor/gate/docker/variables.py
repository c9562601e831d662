"""Build arguments and variables of a Dockerfile: their scopes, their values, the lines that set them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from npudoctor.gate.interpolate import interpolate
from npudoctor.gate.shell.word import hole, holes, shown
from npudoctor.gate.unit import Setting, Where
from npudoctor.regex import regex

if TYPE_CHECKING:
    from npudoctor.gate.unit import Scope

_ESCAPE = "\\$"
_HIDDEN = "\ue010"
_SET_BY_BUILD = regex(r"(?:TARGET|BUILD)(?:PLATFORM|OS|ARCH|VARIANT)")
_NAMES = regex(r"\$\{?([A-Za-z_]\w*)")


class Variables:
    """Build arguments and variables at one point of a Dockerfile: raw texts, and the lines that set them."""

    def __init__(self) -> None:
        self.raw: dict[str, str] = {}
        self.where: dict[str, Where] = {}

    def copy(self) -> Variables:
        """A copy whose changes stay its own."""
        other = Variables()
        other.raw, other.where = dict(self.raw), dict(self.where)
        return other

    def set(self, name: str, raw: str, where: Where) -> None:
        """Give a name a value."""
        self.raw[name] = raw
        self.where[name] = where

    def expand(self, text: str) -> str:
        """The raw text after substitution."""
        return interpolate(text, self.raw.get, _ESCAPE)

    def lines_of(self, text: str) -> tuple[Where, ...]:
        """The lines that set the variables in a text."""
        return tuple(self.where[name] for name in dict.fromkeys(_NAMES.findall(text)) if name in self.where)

    def setting(self, text: str, where: Where) -> Setting:
        """A value that a line gives."""
        return as_setting(self.expand(text), where, self.lines_of(text))


def as_setting(raw: str, where: Where, parts: tuple[Where, ...] = ()) -> Setting:
    """A raw text with its place."""
    return Setting(shown(raw), where, holes(raw), parts=parts)


def take_argument(
    into: Variables,
    name: str,
    value: str | None,
    where: Where,
    given: Scope,
    outer: Variables,
    seen: Variables,
) -> None:
    """Declare a build argument: as the build gives it, its default, the ARG before FROM, or not set."""
    if name in given:
        one = given[name]
        into.set(name, hole(name) if not one.known else one.text, one.where)
    elif value is not None:
        into.set(name, seen.expand(value), where)
    elif name in outer.raw:
        into.set(name, outer.raw[name], outer.where[name])
    elif _SET_BY_BUILD.fullmatch(name):
        into.set(name, hole(name), where)


def pairs(value: str, old_form: bool = False) -> list[tuple[str, str | None]]:
    """`A=1 B="x y" C` of ARG and ENV; `ENV NAME a value with blanks` is an older form."""
    words = words_of(value)
    if old_form and words and "=" not in words[0]:
        name, _blank, rest = value.partition(" ")
        return [(name, rest.strip())]
    split = [word.partition("=") for word in words]
    return [(name, text if equals else None) for name, equals, text in split]


def words_of(value: str) -> list[str]:
    """Words as Docker splits them: quotes group, `\\$` stays."""
    try:
        words = shlex.split(value.replace(_ESCAPE, _HIDDEN))
    except ValueError:
        words = value.replace(_ESCAPE, _HIDDEN).split()
    return [word.replace(_HIDDEN, _ESCAPE) for word in words]
