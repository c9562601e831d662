"""What the formats for people say alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.nodeset import fold
from npudoctor.report.diff.difference import Direction
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.finding import Finding
    from npudoctor.report.diff.difference import Difference, FactChange, Side
    from npudoctor.report.diff.groups import ChangeGroup


def side(side: Side) -> str:
    """What the user named, the host where its name is another, and the time where it is known."""
    hosts = _("{count} hosts").format(count=len(side.hosts)) if len(side.hosts) != 1 else side.hosts[0]
    more = [hosts] if hosts != side.name else []
    return f"{side.name} ({', '.join([side.kind, *more, *filter(None, [side.when])])})"


def counted(difference: Difference) -> str:
    """`2 worse, 1 better, facts that differ: 3`, or that nothing differs."""
    numbers = dict.fromkeys(Direction, 0)
    for change in difference.findings:
        numbers[change.direction] += 1
    words = {
        _("{count} worse"): numbers[Direction.WORSE],
        _("{count} better"): numbers[Direction.BETTER],
        _("{count} otherwise"): numbers[Direction.OTHER],
        _("facts that differ: {count}"): len(difference.facts or ()),
        _("hosts on one side only: {count}"): len(difference.gone) + len(difference.come),
    }
    told = [word.format(count=count) for word, count in words.items() if count]
    if told:
        return ", ".join(told)
    return _("nothing that could be compared differs") if difference.incomplete else _("nothing differs")


def headings() -> dict[Direction, str]:
    """What stands over the changes of each direction, in the order in which they are told."""
    return {Direction.WORSE: _("Worse"), Direction.BETTER: _("Better"), Direction.OTHER: _("Otherwise")}


def notes(difference: Difference) -> Iterator[str]:
    """What the reader must know of how the two were compared."""
    for one in (difference.before, difference.after):
        if one.error:
            yield f"{one.name}: {one.error}"
    if difference.gone:
        yield _("only in {side}: {hosts}").format(side=difference.before.name, hosts=fold(difference.gone))
    if difference.come:
        yield _("only in {side}: {hosts}").format(side=difference.after.name, hosts=fold(difference.come))
    if difference.facts is None and not difference.incomplete:
        yield _("Only findings were compared: a report holds no facts, and facts are those of one host.")
    if difference.unread:
        yield _(
            "Checks and facts that one side was cut off before, and that are not compared: {count}"
        ).format(count=difference.unread)
    if difference.one_sided:
        yield _("Checks that one side alone made, and that found nothing: {count}").format(
            count=difference.one_sided
        )


def said(group: ChangeGroup) -> tuple[str, str]:
    """What was found before and after; twice the same where only the status is another."""
    before, after = group.change.before, group.change.after
    return _actual(before or after), _actual(after or before)


def _actual(finding: Finding | None) -> str:
    return (finding.actual if finding else "") or _("nothing")


def values(change: FactChange) -> tuple[str, str]:
    """A fact's values; of a list of folders (`PATH`) what one side alone has."""
    before, after = (change.before or "").split(":"), (change.after or "").split(":")
    if len(before) < 3 or len(after) < 3:
        return value(change.before), value(change.after)
    gone = [part for part in before if part not in after]
    come = [part for part in after if part not in before]
    if not gone and not come:
        return _("the same parts"), _("in another order")
    return ":".join(gone) or value(None), ":".join(come) or value(None)


def value(text: str | None) -> str:
    """A fact's value, or that there is none."""
    return _("(none)") if text is None else text


def statuses(group: ChangeGroup) -> tuple[str, str]:
    """The status words of both sides; `–` where a side has no such finding."""
    sides = (group.change.before, group.change.after)
    before, after = ("–" if one is None else one.status.value.upper() for one in sides)
    return before, after
