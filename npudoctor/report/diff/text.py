"""The difference for a person: worse first, then better, then the facts that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.nodeset import fold
from npudoctor.report.diff.groups import ChangeGroup, FactGroup, group_changes, group_facts
from npudoctor.report.diff.words import counted, headings, notes, said, side, statuses, value, values
from npudoctor.report.width import clip, wrap
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.report.diff.difference import Difference
    from npudoctor.report.style import Style

_INDENT = " " * 8


def to_text(difference: Difference, style: Style) -> Iterator[str]:
    """The whole difference, line by line."""
    for line in _lines(difference, style):
        yield line + "\n"


def _lines(difference: Difference, style: Style) -> Iterator[str]:
    yield style.bold(f"- {side(difference.before)}")
    yield style.bold(f"+ {side(difference.after)}")
    for note in notes(difference):
        yield from wrap(note, style.width, "  ", "  ")
    groups = group_changes(difference.findings)
    for direction, heading in headings().items():
        told = [group for group in groups if group.change.direction is direction]
        if told:
            yield from ("", style.bold(heading))
            yield from (
                line for group in told for line in _change(group, style, len(difference.before.hosts))
            )
    if difference.facts:
        yield from ("", style.bold(_("Facts")))
        yield from (line for group in group_facts(difference.facts) for line in _fact(group, style))
    yield ""
    yield _("{counts}.").format(counts=counted(difference))


def _change(group: ChangeGroup, style: Style, hosts: int) -> Iterator[str]:
    finding = group.change.after or group.change.before
    assert finding
    words, id = " → ".join(dict.fromkeys(statuses(group))), group.change.id
    first, *rest = wrap(finding.title, style.width, f"{words}  {id}  ", _INDENT)
    yield f"{_painted(group, style)}  {style.bold(id)}{first.removeprefix(f'{words}  {id}')}"
    yield from rest
    yield from _pair(*said(group), style)
    if hosts > 1 and group.hosts:
        yield from wrap(_("on {hosts}").format(hosts=fold(group.hosts)), style.width, _INDENT, _INDENT)


def _painted(group: ChangeGroup, style: Style) -> str:
    """The status words of both sides as `statuses` gives them, coloured."""
    sides = (group.change.before, group.change.after)
    return " → ".join(dict.fromkeys("–" if one is None else style.word(one.status, 0) for one in sides))


def _pair(before: str, after: str, style: Style) -> Iterator[str]:
    """What was found, once or on both sides, marked as the headings are."""
    if before == after:
        yield from wrap(after, style.width, _INDENT, _INDENT)
        return
    for mark, text in (("- ", before), ("+ ", after)):
        yield from wrap(text, style.width, _INDENT + mark, _INDENT + "  ")


def _fact(group: FactGroup, style: Style) -> list[str]:
    count = f" ({group.count} ×)" if group.count > 1 else ""
    change = group.change
    sides = (value(change.before), value(change.after)) if style.verbose else values(change)
    before, after = (side if style.verbose else clip(side, 2 * style.width) for side in sides)
    told = f"{before} → {after}"
    return wrap(told, style.width, f"{group.name}{count}  ", _INDENT)
