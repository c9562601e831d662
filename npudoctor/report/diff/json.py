"""The difference as JSON: schema `npudoctor.diff/1`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor import __version__
from npudoctor.report.diff.difference import Direction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.finding import Finding
    from npudoctor.report.diff.difference import Change, Difference, Side
    from npudoctor.report.style import Style

SCHEMA = "npudoctor.diff/1"


def to_json(difference: Difference, _style: Style) -> Iterator[str]:
    """The whole difference as indented JSON text."""
    yield json.dumps(document(difference), indent=2, ensure_ascii=False) + "\n"


def document(difference: Difference) -> dict[str, Any]:
    """The difference as plain Python; `facts` is None where they were not compared."""
    directions = [change.direction for change in difference.findings]
    facts = difference.facts
    return {
        "schema": SCHEMA,
        "tool": {"name": "npudoctor", "version": __version__},
        "before": _side(difference.before),
        "after": _side(difference.after),
        "summary": {
            "same": difference.same,
            **{direction.value: directions.count(direction) for direction in Direction},
            "facts": None if facts is None else len(facts),
            "one_sided": difference.one_sided,
            "unread": difference.unread,
        },
        "hosts": {"only_before": list(difference.gone), "only_after": list(difference.come)},
        "findings": [_change(change) for change in difference.findings],
        "facts": None
        if facts is None
        else [{"name": fact.name, "before": fact.before, "after": fact.after} for fact in facts],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "kind": side.kind,
        "hosts": list(side.hosts),
        "when": side.when or None,
        "error": side.error,
    }


def _change(change: Change) -> dict[str, Any]:
    finding = change.after or change.before
    return {
        "id": change.id,
        "host": change.host or None,
        "direction": change.direction.value,
        "title": finding.title if finding else "",
        "before": _finding(change.before),
        "after": _finding(change.after),
    }


def _finding(finding: Finding | None) -> dict[str, str] | None:
    if finding is None:
        return None
    return {"status": finding.status.value, "actual": finding.actual, "action": finding.action.value}
