"""Candidates out of exceptions and error lines alone: what their kind and words speak of."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.finding import Action, Fix
from npudoctor.regex import regex
from npudoctor.triage.pattern import Text, parse
from npudoctor.triage.signatures import Signature

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

    from npudoctor.triage.gather import Sight

FILE = Path(__file__).with_name("exceptions.yaml")
MOST = 3
"""Candidates of one dump that rest on nothing but words."""
SOURCE = "Python documentation, built-in exceptions"
_KINDS = "Error|Exception|NotFound|Conflict|Unsupported|Interrupt|Exit|Expired|Iteration|Enabled"
_RAISED = regex(
    # a rank of torchrun or a number of a listing, then pytest or a logger
    r"^(?:\[rank\d{1,6}\]: {0,3}|\d{1,6} {1,4})?(?:E {1,8}|\w{0,20}(?:ERROR|Error) {0,3}: {0,3})?\s{0,40}"
    rf"(?:\w{{1,60}}\.){{0,8}}([A-Z]\w{{0,60}}(?:{_KINDS})|Unsupported|Exception)(?: ?: |:?$)(.{{0,600}})"
)
_INSIDE = regex(r"[\s'\"(:]([A-Z]\w{1,60}(?:Error|Exception)): (.{0,600})")
"""An exception that another one, or a logger, quotes in the middle of its line."""
_OF_COMPILER = regex(
    r":\d{1,9}: (?:fatal |internal )?(?:error|warning)|\bld: |^collect2|^make|^ninja|^gmake|^CMake "
)
_MOST_LETTERS = 1000


@dataclass(frozen=True, slots=True)
class _Row:
    """Exceptions of these kinds (empty: of any) whose text has one of these words (empty: any text)."""

    raised: frozenset[str]
    says: tuple[Text, ...]
    signature: Signature | None

    def fits(self, name: str, said: str) -> bool:
        """Whether it is about an exception of this kind that says this."""
        if self.raised and name not in self.raised:
            return False
        small = said.lower()  # a dump may hold twenty thousand lines that fit nothing
        return not self.says or any(each.literal in small and each.on(said) for each in self.says)


def candidates(sights: Iterable[Sight]) -> list[tuple[Signature, tuple[Sight, ...]]]:
    """A signature for each kind of cause that these sights speak of, first ones first."""
    found: dict[str, tuple[Signature, list[Sight]]] = {}
    for sight in sights:
        known = signature(sight.line.text) if sight.error else None
        if known:
            found.setdefault(known.id, (known, []))[1].append(sight)
    return [(known, tuple(lines)) for known, lines in found.values()][:MOST]


def signature(line: str) -> Signature | None:
    """What an error line speaks of; None where nothing is known of it, or where it is what others see."""
    if raised := _RAISED.match(line):
        return _of(raised) or _of(_inside(raised[2]))
    if _OF_COMPILER.search(line):
        return None
    if inside := _inside(line[:_MOST_LETTERS]):
        return _of(inside)
    return _first(
        row for row in _rows() if row.says and not row.raised and row.fits("", line[:_MOST_LETTERS])
    )


def _inside(text: str) -> re.Match[str] | None:
    return _INSIDE.search(text) if "Error: " in text or "Exception: " in text else None  # most have neither


def _of(raised: re.Match[str] | None) -> Signature | None:
    return raised and _first(row for row in _rows() if row.fits(raised[1], raised[2]))


def _first(rows: Iterator[_Row]) -> Signature | None:
    row = next(rows, None)
    return row.signature if row else None


@cache
def _rows() -> Sequence[_Row]:
    content = load(FILE).content
    return tuple(_row(row, content["kinds"]) for row in content["exceptions"])


def _row(row: dict[str, Any], kinds: dict[str, Any]) -> _Row:
    raised = frozenset(row["raised"]) - {"*"}
    says = tuple(each for written in row.get("says", ()) if isinstance(each := parse(written), Text))
    any_at_all = not (raised or says)
    known = _signature(row["id"], row["category"], kinds[row["id"]], late=any_at_all) if "id" in row else None
    return _Row(raised, says, known)


def _signature(id: str, category: str, kind: dict[str, Any], late: bool) -> Signature:
    """What a row says of the cause; one that fits any exception at all stands behind all others (`late`)."""
    fix = Fix(Action.NONE, kind["summary"], tuple(kind["commands"]))
    name = f"exception-{id}"
    return Signature(
        name, category, kind["title"], "exception", late, (), (), (), (), (), (), fix, (), (SOURCE,)
    )
