"""The signatures: what in a dump speaks for which cause."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.finding import Action, Fix
from npudoctor.triage.pattern import Condition, Text, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER = Path(__file__).with_name("signatures")
SCHEMA = Path(__file__).with_name("signatures.schema.json")


@dataclass(frozen=True, slots=True)
class Signature:
    """One cause and how it shows.

    Attributes:
        id: Stable for ever.
        category: A word of the contract: `hccl`, `out-of-memory`…
        title: The cause in one sentence.
        grade: `states` where a line says the cause itself, `implies` where little else writes it, `hints`
            where it is one cause among several, `code` where nothing but a code speaks for it, `exception`
            where nothing but an exception of Python does.
        late: Whether it is what others see after one has failed (a time-out).
        all: Each must be on some line of the dump.
        any: One of them must; empty: none need.
        none: None may.
        sets_off: Ids of signatures that follow from it.
        speak_for: Checks whose failing speaks for it, and whose passing against.
        speak_against: Checks whose failing speaks against it.
        fix: What mends it.
        look: Commands that tell it from its rivals.
        references: Where this is known from.
    """

    id: str
    category: str
    title: str
    grade: str
    late: bool
    all: tuple[Condition, ...]
    any: tuple[Condition, ...]
    none: tuple[Condition, ...]
    sets_off: tuple[str, ...]
    speak_for: tuple[str, ...]
    speak_against: tuple[str, ...]
    fix: Fix
    look: tuple[str, ...]
    references: tuple[str, ...]


@cache
def signatures() -> Sequence[Signature]:
    """All that ship with npudoctor."""
    return tuple(_signature(row) for row in rows())


@cache
def words() -> frozenset[str]:
    """What any signature looks for in a line, in small letters."""
    conditions = (each for one in signatures() for each in (*one.all, *one.any, *one.none))
    return frozenset(each.literal for each in conditions if isinstance(each, Text))


def rows() -> Iterator[dict[str, Any]]:
    """As they stand in the files, samples included."""
    for file in sorted(FOLDER.glob("*.yaml")):
        yield from load(file, SCHEMA).content["signatures"]


def _signature(row: dict[str, Any]) -> Signature:
    fix = Fix(Action.NONE, row["fix"]["summary"], tuple(row["fix"].get("commands", ())))
    return Signature(
        row["id"],
        row["category"],
        row["title"],
        row["grade"],
        row.get("late", False),
        _conditions(row, "all"),
        _conditions(row, "any"),
        _conditions(row, "none"),
        tuple(row.get("sets_off", ())),
        tuple(row.get("for", ())),
        tuple(row.get("against", ())),
        fix,
        tuple(row.get("look", ())),
        tuple(row["references"]),
    )


def _conditions(row: dict[str, Any], key: str) -> tuple[Condition, ...]:
    return tuple(parse(written) for written in row.get(key, ()))
