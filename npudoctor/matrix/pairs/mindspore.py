"""MindSpore with CANN and the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pairs.near import asked_near
from npudoctor.matrix.pattern import any_speaks_of
from npudoctor.matrix.statement import Statement, Verdict, Weight, decide
from npudoctor.versions import Cann, MindSpore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack

_VERDICTS = {
    "matched": (Verdict.SUPPORTED, Weight.PAIR),
    "component": (Verdict.SUPPORTED, Weight.RANGE),
    "tested": (Verdict.CAUTION, Weight.SEEN),
    "third-party": (Verdict.CAUTION, Weight.SEEN),
}


def judge_cann(matrix: Matrix, stack: Stack) -> Statement | None:
    """MindSpore and CANN: its own page counts for more than the tables of others."""
    mindspore, cann = stack.get("mindspore", MindSpore), stack.get("cann", Cann)
    if mindspore is None or cann is None:
        return None
    rows = _of(matrix, mindspore)
    said = [*_direct(matrix, rows, cann)]
    return decide(said or asked_near(cann, _named(rows), lambda other: [*_direct(matrix, rows, other)]))


def _of(matrix: Matrix, mindspore: MindSpore) -> list[dict[str, Any]]:
    return [row for row in matrix.section("mindspore") if any_speaks_of(row["mindspore"], mindspore)]


def _named(rows: list[dict[str, Any]]) -> list[str]:
    return [text for row in rows for text in row["cann"]]


def _direct(matrix: Matrix, rows: list[dict[str, Any]], cann: Cann) -> Iterator[Statement]:
    own = [text for row in rows if row["says"] == "matched" for text in row["cann"]]
    for row in rows:
        if not _names(row, cann):
            continue
        verdict, weight = _VERDICTS[row["says"]]
        if row["says"] == "component" and own and not any(_is(text, cann) for text in own):
            verdict = Verdict.CAUTION
        yield matrix.says(row, verdict, weight)


def _names(row: dict[str, Any], cann: Cann) -> bool:
    return any(_is(text, cann) for text in row["cann"])


def _is(text: str, cann: Cann) -> bool:
    """The page names a community edition (`8.0.0.beta1`), an alpha by its own name."""
    return Cann(text).edition == cann.edition or any_speaks_of([str(Cann(text).edition)], cann)


def judge_driver(matrix: Matrix, stack: Stack) -> Statement | None:
    """MindSpore and the driver, where a row names both."""
    mindspore, driver = stack.get("mindspore", MindSpore), stack.driver
    if mindspore is None or driver is None:
        return None
    rows = [row for row in _of(matrix, mindspore) if any_speaks_of(row.get("driver", ()), driver)]
    return decide([matrix.says(row, *_VERDICTS[row["says"]]) for row in rows])


def fixes_cann(matrix: Matrix, stack: Stack) -> list[str]:
    """The CANN of this MindSpore, and the MindSpore of this CANN."""
    mindspore, cann = stack.get("mindspore", MindSpore), stack.get("cann", Cann)
    if mindspore is None or cann is None:
        return []
    wanted = [
        f"cann {Cann(text).edition}"
        for row in _of(matrix, mindspore)
        if row["says"] == "matched"
        for text in row["cann"]
    ]
    rows = [row for row in matrix.section("mindspore") if row["says"] == "matched" and _names(row, cann)]
    return list(dict.fromkeys([*wanted, *(f"mindspore {text}" for row in rows for text in row["mindspore"])]))
