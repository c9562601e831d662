"""A signature in words, with its sources: what `explain` prints; and the signatures of one kind of cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.triage.signatures import rows, signatures
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def of_category(category: str) -> list[str]:
    """The ids of a kind of cause, each with its title; empty where nothing is of that kind."""
    return [f"{one.id:<32} {_(one.title)}" for one in signatures() if one.category == category]


def describe_signature(id: str) -> list[str]:
    """All that is known of a signature, a line each; empty where none is called so."""
    return [line for row in rows() if row["id"] == id for line in _lines(row)]


def _lines(row: dict[str, Any]) -> Iterator[str]:
    yield _("{name} ({kind}): {meaning}").format(
        name=row["id"], kind=row["category"], meaning=_(row["title"])
    )
    yield from _words(_("all of"), row.get("all", ()))
    yield from _words(_("one of"), row.get("any", ()))
    yield from _words(_("none of"), row.get("none", ()))
    yield "  " + _("what helps: {fix}").format(fix=_(row["fix"]["summary"]))
    yield from (f"    $ {command}" for command in (*row["fix"].get("commands", ()), *row.get("look", ())))
    if checks := [*row.get("for", ()), *row.get("against", ())]:
        yield "  " + _("weighed by the checks: {checks}").format(checks=", ".join(dict.fromkeys(checks)))
    if row.get("sets_off"):
        yield "  " + _("sets off: {names}").format(names=", ".join(row["sets_off"]))
    yield from ("  " + _("source: {source}").format(source=source) for source in row["references"])


def _words(lead: str, conditions: list[str]) -> Iterator[str]:
    if conditions:
        yield f"  {lead}: " + "; ".join(conditions)
