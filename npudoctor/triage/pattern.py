"""What a signature looks for in a line: text (`*`: anything, `#`: a number, `~`: a name), or a code."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.regex import regex

MOST_BETWEEN = 300
"""Letters that `*` stands for at most, so that no line takes long."""
MOST_OF_NUMBER = 30
"""Digits that `#` stands for at most."""
MOST_OF_NAME = 100
"""Letters that `~` stands for at most."""
_CODE = "code: "


@dataclass(frozen=True, slots=True)
class Text:
    """Words of a line, in small or capital letters.

    Attributes:
        literal: The longest piece of plain text, in small letters: a line without it cannot match.
    """

    literal: str
    _pattern: re.Pattern[str]

    def on(self, text: str) -> bool:
        """Whether a line holds it."""
        return self._pattern.search(text) is not None


@dataclass(frozen=True, slots=True)
class OfCode:
    """A code that was decoded in the line; `*` in the token stands for any rest."""

    family: str
    token: str


Condition = Text | OfCode


def parse(written: str) -> Text | OfCode:
    """A condition as it stands in `signatures`: `code: drv 87`, or text such as `port[#] fail*in use`."""
    if written.startswith(_CODE):
        family, _, token = written.removeprefix(_CODE).partition(" ")
        return OfCode(family, token)
    literal = max(re.split(r'[*#~"]', written), key=len).lower()  # " is \" in JSON
    return Text(literal, regex(_expression(written), re.I))


def _expression(written: str) -> str:
    number, name = rf"-?\d{{1,{MOST_OF_NUMBER}}}", rf"\w{{1,{MOST_OF_NAME}}}"
    pieces = {"*": f".{{0,{MOST_BETWEEN}}}?", "#": number, "~": name}
    return "".join(pieces.get(part, re.escape(part)) for part in re.split(r"([*#~])", written))
