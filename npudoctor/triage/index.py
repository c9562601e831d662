"""Which sights hold what a condition looks for: one pass over each, whatever the number of signatures."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.triage.pattern import Text
from npudoctor.triage.words import prepared

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from npudoctor.triage.gather import Sight
    from npudoctor.triage.pattern import Condition
    from npudoctor.triage.signatures import Signature


class Index:
    """The sights of a dump by the words of some signatures, and by their codes."""

    def __init__(self, sights: Sequence[Sight], signatures: Iterable[Signature]) -> None:
        conditions = {each for one in signatures for each in (*one.all, *one.any, *one.none)}
        words = prepared(frozenset(each.literal for each in conditions if isinstance(each, Text)))
        self._by_word: dict[str, list[Sight]] = defaultdict(list)
        self._by_code: dict[tuple[str, str], list[Sight]] = defaultdict(list)
        for sight in sights:
            for word in words.found_in(sight.small):
                self._by_word[word].append(sight)
            for code in sight.codes:
                self._by_code[code.family, code.code].append(sight)
        self._known: dict[Condition, list[Sight]] = {}

    def on(self, condition: Condition) -> list[Sight]:
        """The sights that hold a condition, in their order; those of a code, code by code."""
        if condition not in self._known:
            self._known[condition] = self._look(condition)
        return self._known[condition]

    def _look(self, condition: Condition) -> list[Sight]:
        if isinstance(condition, Text):
            return [sight for sight in self._by_word[condition.literal] if condition.on(sight.line.text)]
        kinds = (
            kind
            for kind in self._by_code
            if kind[0] == condition.family and fnmatchcase(kind[1], condition.token)
        )
        return [sight for kind in kinds for sight in self._by_code[kind]]
