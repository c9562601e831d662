"""A provisioning plan for a person: like hosts together, their steps, then what is in the way. One screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.nodeset import fold
from npudoctor.provision.plan.blockers import consequence
from npudoctor.provision.plan.groups import Group, Obstacle, groups_of, obstacles_of
from npudoctor.provision.planned import Outcome, Plan, Reboot, Step, Undo
from npudoctor.report.width import clip, columns, wrap
from npudoctor.words import _, ngettext

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npudoctor.report.style import Style

_GROUPS_IN_FULL = 5
_GROUPS_TOLD = 20
_MESSAGES_TOLD = 2
_VERSIONED = ("install", "upgrade", "downgrade", "undo")
"""Actions whose reason is plain from the versions beside them, or from the head of the plan."""
_INDENT = "    "


def to_text(plan: Plan, style: Style, sha256: str) -> Iterator[str]:
    """The whole plan, line by line. `sha256`: the digest that it is known by."""
    for line in _lines(plan, style, sha256):
        yield line + "\n"


def _lines(plan: Plan, style: Style, sha256: str) -> Iterator[str]:
    counts = ", ".join(f"{number} {word}" for word, number in _counts(plan))
    yield style.bold(_head(plan).format(hosts=len(plan.hosts), stack=plan.stack, counts=counts))
    yield style.dim(_("plan {digest}, made {when}").format(digest=sha256[:12], when=plan.made))
    groups = [group for group in groups_of(plan) if group.outcome is not Outcome.NOT_REACHED]
    for number, group in enumerate(groups[:_GROUPS_TOLD]):
        yield ""
        in_full = style.verbose or number < _GROUPS_IN_FULL
        yield from _group(group, style, in_full=in_full, back=not plan.stack)
    if len(groups) > _GROUPS_TOLD:
        yield style.dim(_more(groups[_GROUPS_TOLD:]))
    obstacles = obstacles_of(plan)
    if obstacles:
        yield ""
        yield style.bold(_("In the way"))
        yield from (line for obstacle in obstacles for line in _obstacle(obstacle, style))


def _head(plan: Plan) -> str:
    number = len(plan.hosts)
    if plan.stack:
        return ngettext("{hosts} host to {stack}: {counts}", "{hosts} hosts to {stack}: {counts}", number)
    return ngettext("{hosts} host back: {counts}", "{hosts} hosts back: {counts}", number)


def _more(groups: Sequence[Group]) -> str:
    text = ngettext(
        "and {groups} more group; --format json names its hosts ({hosts})",
        "and {groups} more groups; --format json names their hosts ({hosts})",
        len(groups),
    )
    return text.format(groups=len(groups), hosts=sum(len(group.hosts) for group in groups))


def _counts(plan: Plan) -> Iterator[tuple[str, int]]:
    words = {
        Outcome.CHANGE: _("to change"),
        Outcome.CONVERGED: _("right already") if plan.stack else _("back already"),
        Outcome.BLOCKED: _("blocked"),
        Outcome.NOT_REACHED: _("not reached"),
    }
    for outcome, word in words.items():
        number = sum(host.outcome is outcome for host in plan.hosts)
        if number:
            yield word, number


def _group(group: Group, style: Style, *, in_full: bool, back: bool) -> Iterator[str]:
    names = fold(group.hosts)
    first, *rest = wrap(f"{names}  {group.kind}", style.width, "", _INDENT)
    yield style.bold(first[: len(names)]) + first[len(names) :]
    yield from rest
    if not group.steps:
        right = _("back already: nothing is done") if back else _("right already: nothing is done")
        words = {Outcome.CONVERGED: right, Outcome.CHANGE: _("mended: it is verified, and given back")}
        yield _INDENT + words.get(group.outcome, _("blocked"))
        return
    effort = _("about {minutes:.0f} min, {reboots}").format(minutes=group.minutes, reboots=_reboots(group))
    blocked = len(group.blocked)
    if blocked:
        of_them = _("blocked") if blocked == len(group.hosts) else _("{n} blocked").format(n=blocked)
        effort = f"{effort}; {of_them}"
    yield _INDENT + effort
    if in_full:
        yield from _table(group.steps, style)
    else:
        yield from wrap(", ".join(map(_short, group.steps)), style.width, _INDENT, _INDENT)


def _reboots(group: Group) -> str:
    words = {Reboot.YES: _("one reboot"), Reboot.NO: _("no reboot"), Reboot.UNKNOWN: _("perhaps one reboot")}
    return words[group.reboot]


def _table(steps: Sequence[Step], style: Style) -> Iterator[str]:
    rows = [_row(step) for step in steps]
    widths = [max(columns(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row, step in zip(rows, steps, strict=True):
        cells = (cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True))
        line = clip(_INDENT + "  ".join(cells).rstrip(), style.width)
        yield line
        if reason := _reason(step):
            yield style.dim(clip(f"{_INDENT}  {reason}", style.width))


def _row(step: Step) -> tuple[str, ...]:
    return (step.component, _way(step), step.action, _("{n:.0f} min").format(n=step.minutes), *_ends(step))


def _way(step: Step) -> str:
    """From what to what, where that is a version."""
    if step.action == "configure":
        return ", ".join(dict.fromkeys(change.what.rpartition(".")[2] for change in step.changes))
    first = step.changes[0]
    return f"{first.before or '–'} → {first.after or '–'}"


def _ends(step: Step) -> tuple[str, str]:
    reboots = {Reboot.YES: _("reboot"), Reboot.UNKNOWN: _("reboot?"), Reboot.NO: ""}
    undo = {Undo.FULL: _("undo full"), Undo.FILES: _("undo files only"), Undo.FORWARD: _("no way back")}
    return reboots[step.reboot], undo[step.undo]


def _reason(step: Step) -> str:
    """Why, where the versions do not say it."""
    if step.action in _VERSIONED:
        return ""
    return "; ".join(dict.fromkeys(change.why for change in step.changes))


def _short(step: Step) -> str:
    return f"{step.component} {_way(step)}"


def _obstacle(obstacle: Obstacle, style: Style) -> Iterator[str]:
    told = obstacle.messages[:_MESSAGES_TOLD]
    first, *rest = wrap(fold(obstacle.hosts), style.width, f"{obstacle.key}  ", _INDENT)
    yield style.bold(obstacle.key) + first[len(obstacle.key) :]
    yield from rest
    for message in told:
        yield from wrap(message, style.width, _INDENT, _INDENT)
    if len(obstacle.messages) > len(told):
        more = _("and {n} more like it").format(n=len(obstacle.messages) - len(told))
        yield style.dim(_INDENT + more)
    yield from wrap(obstacle.fix.summary, style.width, f"{_INDENT}→ ", f"{_INDENT}  ")
    yield from (f"{_INDENT}  $ {command}" for command in obstacle.fix.commands)
    if obstacle.answer:
        answer = f"{obstacle.key}: {obstacle.answer}   # {consequence(obstacle.key)}"
        line = _("or answer, in the file of --answers: {line}").format(line=answer)
        yield from wrap(line, style.width, f"{_INDENT}→ ", f"{_INDENT}  ")
