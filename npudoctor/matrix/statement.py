"""What one row says of a pair, and how the rows of a pair become one verdict."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Verdict(str, Enum):
    """How a pair stands. `unknown` means that no source speaks of it."""

    SUPPORTED = "supported"
    CAUTION = "caution"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"


BEST_FIRST = (Verdict.SUPPORTED, Verdict.CAUTION, Verdict.UNKNOWN, Verdict.UNSUPPORTED)
_SOURCES_SHOWN = 6
_NOTES_SHOWN = 2


class Grade(str, Enum):
    """How far to trust it: the vendor or owning project, a field report, or a conclusion."""

    VENDOR = "vendor"
    FIELD = "field"
    INFERRED = "inferred"


class Weight(IntEnum):
    """How much a statement counts beside others: the heaviest decide."""

    EXPLICIT_NO = 100
    PAIR = 90
    FAILS = 85
    LIST = 80
    RANGE = 70
    FLOOR = 65
    ACCEPTED = 60
    SEEN = 50
    COMPONENT = 45
    DECLARED = 40
    OTHER_CHIP = 35
    NEIGHBOUR = 30


@dataclass(frozen=True, slots=True)
class Statement:
    """What one row says of a pair.

    Attributes:
        rows: Ids of the rows that it rests on.
        sources: Where they are from, as addresses.
    """

    verdict: Verdict
    grade: Grade
    weight: Weight
    rows: tuple[str, ...]
    sources: tuple[str, ...]
    note: str = ""

    def weaker(self, weight: Weight, note: str) -> Statement:
        """The same as a conclusion about something near: no better than `caution`."""
        verdict = Verdict.CAUTION if self.verdict is Verdict.SUPPORTED else self.verdict
        return replace(
            self, verdict=verdict, grade=Grade.INFERRED, weight=weight, note=joined([note, self.note])
        )


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of them; `unknown` of none."""
    return max(verdicts, key=BEST_FIRST.index, default=Verdict.UNKNOWN)


def joined(notes: Iterable[str]) -> str:
    """Notes as one text, each once."""
    text = " ".join(dict.fromkeys(note for note in notes if note))
    return text.replace("。 ", "。")  # Chinese sentences stand without a blank between them


def decide(statements: Sequence[Statement]) -> Statement | None:
    """One statement out of many: the heaviest decide, the worst of these wins; None of none.

    Sources that say the same with less weight are kept as witnesses.
    """
    if not statements:
        return None
    ordered = sorted(statements, key=lambda statement: -statement.weight)
    top = [statement for statement in ordered if statement.weight == ordered[0].weight]
    verdict = worst(statement.verdict for statement in top)
    deciding = [statement for statement in top if statement.verdict is verdict]
    agreeing = [statement for statement in ordered if statement.verdict is verdict]
    return Statement(
        verdict=verdict,
        grade=min((statement.grade for statement in deciding), key=list(Grade).index),
        weight=ordered[0].weight,
        rows=tuple(dict.fromkeys(row for statement in agreeing for row in statement.rows)),
        sources=tuple(dict.fromkeys(source for statement in agreeing for source in statement.sources))[
            :_SOURCES_SHOWN
        ],
        note=joined(
            list(dict.fromkeys(statement.note for statement in deciding if statement.note))[:_NOTES_SHOWN]
        ),
    )
