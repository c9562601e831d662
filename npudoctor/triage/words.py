"""Many words at once: which of them stand in a line, in one pass over it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Words:
    """Words to look for, in small letters."""

    def __init__(self, words: Iterable[str]) -> None:
        import ahocorasick_rs

        self._words = sorted(filter(None, words))
        self._automaton = ahocorasick_rs.AhoCorasick(self._words)

    def found_in(self, small: str) -> set[str]:
        """Those that a text in small letters holds."""
        matches = self._automaton.find_matches_as_indexes(small, overlapping=True)
        return {self._words[word] for word, _start, _end in matches}


@cache
def prepared(words: frozenset[str]) -> Words:
    """The same, made ready once for each set of words."""
    return Words(words)
