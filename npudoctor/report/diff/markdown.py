"""The difference as Markdown: a table of findings and a table of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.nodeset import fold
from npudoctor.report.diff.groups import group_changes, group_facts
from npudoctor.report.diff.words import counted, headings, notes, said, side, statuses, values
from npudoctor.report.markdown import one_line
from npudoctor.report.width import clip
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.report.diff.difference import Difference, FactChange
    from npudoctor.report.style import Style

_WIDE = 300


def to_markdown(difference: Difference, _style: Style) -> Iterator[str]:
    """The whole difference."""
    yield f"## npudoctor diff: {counted(difference)}\n\n"
    yield f"- {one_line(side(difference.before))}\n- {one_line(side(difference.after))}\n"
    yield from (f"\n{one_line(note)}\n" for note in notes(difference))
    if difference.findings:
        yield from _table((_("Change"), _("Check"), _("Found"), _("Hosts")), _findings(difference))
    if difference.facts:
        yield from _table((_("Fact"), _("Before"), _("After")), _facts(difference.facts))


def _findings(difference: Difference) -> Iterator[tuple[str, ...]]:
    order = list(headings())
    for group in sorted(
        group_changes(difference.findings), key=lambda group: order.index(group.change.direction)
    ):
        before, after = statuses(group)
        old, new = said(group)
        found = new if old == new else f"{old} → {new}"
        yield (f"{before} → {after}", group.change.id, found, fold(group.hosts))


def _facts(facts: Iterable[FactChange]) -> Iterator[tuple[str, ...]]:
    for group in group_facts(facts):
        count = f" ({group.count} ×)" if group.count > 1 else ""
        yield (group.name + count, *values(group.change))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield "\n| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|\n"
    for row in rows:
        yield "| " + " | ".join(one_line(clip(text, _WIDE)) for text in row) + " |\n"
