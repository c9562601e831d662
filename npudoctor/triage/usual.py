"""Lines that healthy systems write as well, or that only repeat what somebody said: no evidence."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.data import load
from npudoctor.triage.pattern import Text, parse
from npudoctor.triage.words import prepared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE = Path(__file__).with_name("usual.yaml")


def is_usual(line: str) -> bool:
    """Whether a line is one that nobody should look for a cause in."""
    known = _known()
    found = prepared(frozenset(known)).found_in(line.lower())
    return any(text.on(line) for word in found for text in known[word])


@cache
def _known() -> Mapping[str, Sequence[Text]]:
    """What such lines say, by the longest words of each."""
    known: dict[str, list[Text]] = {}
    for row in load(FILE).content["usual"]:
        for written in row["says"]:
            if isinstance(text := parse(written), Text):
                known.setdefault(text.literal, []).append(text)
    return known
