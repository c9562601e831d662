"""One word of a command line, and what in it is open."""

from __future__ import annotations

from typing import NamedTuple

from npudoctor.regex import regex

_OPEN, _CLOSE = "\ue000", "\ue001"
_HOLE = regex(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_ONLY_HOLES = regex(f"({_OPEN}[^{_OPEN}{_CLOSE}]*{_CLOSE})+")
_PRIVATE = str.maketrans(dict.fromkeys("\ue000\ue001\ue002\ue003", "\ufffd"))


class Word(NamedTuple):
    """A word after all expansions; a tuple, as a large repository has hundreds of thousands.

    Attributes:
        raw: Its text, with a hole for each part that is not known.
        line: Where it stands, 1-based.
        spread: Whether it may stand for any number of words: a list of options that is not known.
    """

    raw: str
    line: int
    spread: bool = False

    @property
    def text(self) -> str:
        """For a person: open parts as `${NAME}`."""
        return shown(self.raw)

    @property
    def open(self) -> tuple[str, ...]:
        """Names of the variables that would have to be known."""
        return holes(self.raw)

    @property
    def value(self) -> str | None:
        """The text, or None while part of it is open."""
        return None if _OPEN in self.raw else self.raw


def hole(name: str) -> str:
    """The mark of a part that is not known, named after the variable or command that would give it."""
    return f"{_OPEN}{name.translate(_PRIVATE)}{_CLOSE}"


def holes(raw: str) -> tuple[str, ...]:
    """The names of all open parts of a text, each once."""
    return tuple(dict.fromkeys(_HOLE.findall(raw))) if _OPEN in raw else ()


def is_hole(raw: str) -> bool:
    """Whether nothing of a text is known."""
    return bool(_ONLY_HOLES.fullmatch(raw))


def shown(raw: str) -> str:
    """A text for a person: open parts as `${NAME}`, or `$(…)` for a command."""
    return _HOLE.sub(lambda found: f"${found[1]}" if found[1][:1] == "(" else f"${{{found[1]}}}", raw)


def cleaned(text: str) -> str:
    """A text of outside without the characters that mark holes here."""
    return text.translate(_PRIVATE)
