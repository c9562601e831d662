"""Verdicts of rules: the words of a check, with lines of files as proof and edits as the fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.finding import Action, Edit, Fix, Status, Verdict
from npudoctor.gate.facts import evidence
from npudoctor.gate.rules.registry import Trouble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from npudoctor.gate.unit import Where


def trouble(
    id: str,
    status: Status,
    lines: Sequence[Where],
    actual: str,
    *,
    expected: str = "",
    summary: str = "",
    edits: Sequence[Edit] = (),
    references: Sequence[str] = (),
) -> Trouble:
    """What is wrong at a line.

    Args:
        id: The check.
        status: How bad it is.
        lines: What proves it; the first is the line to name.
        actual: What is there, for a person.
        expected: What would be right.
        summary: What to do, as one sentence; empty where there is nothing to do.
        edits: What to change.
        references: Sources beside those of the check.
    """
    fix = Fix(Action.CONFIGURE, summary, edits=tuple(edits)) if summary else None
    verdict = Verdict(status, actual, expected, evidence(*lines), fix, tuple(references))
    return Trouble(id, lines[0], verdict)


def replaced(where: Where, before: str, after: str) -> tuple[Edit, ...]:
    """The line with one text in place of another; nothing where it does not hold it."""
    if not before or before not in where.text:
        return ()
    return (Edit(where.path, where.line, where.text, where.text.replace(before, after, 1)),)


def added(where: Where, line: str) -> tuple[Edit, ...]:
    """One more line behind a line, indented like it."""
    indent = where.text[: len(where.text) - len(where.text.lstrip())]
    return (Edit(where.path, where.line, where.text, f"{where.text}\n{indent}{line}"),)
