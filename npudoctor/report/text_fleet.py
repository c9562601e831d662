"""Many hosts on one screen: each finding once, with the hosts that have it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.fact import Evidence
from npudoctor.finding import WORST_FIRST, Status
from npudoctor.nodeset import fold
from npudoctor.report.group import Gap, Group, Groups, Hosts
from npudoctor.report.lines import INDENT, TOLD, full, ids_told, line
from npudoctor.report.width import wrap
from npudoctor.words import _, ngettext

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.report.report import HostReport
    from npudoctor.report.style import Style

_RANGES = 8
"""Ranges of host names in one line."""
_KINDS = 6
_REASONS = 12
_WORDS = 3
"""How much is told of what the hosts are, of why they are not known, and of what was found on them."""


def fleet_lines(hosts: Iterable[HostReport], style: Style) -> Iterator[str]:
    """What the hosts are and what was found on them, worst first; `-v` tells each host by itself."""
    groups = Groups(hosts)
    yield from _kinds(groups.kinds, style)
    yield ""
    for same in groups.unread[:_REASONS]:
        yield from _unread(same, style)
    yield from _others_unread(groups.unread[_REASONS:], style)
    for status in (status for status in WORST_FIRST if status in TOLD):
        if status is Status.UNKNOWN:
            for gap in groups.gaps[:_REASONS]:
                yield from _gap(gap, style)
            yield from _left(len(groups.gaps) - _REASONS, style)
        for group in groups.findings:
            if group.finding.status is status:
                yield from _group(group, style)
    if groups.unread or groups.gaps or groups.findings:
        yield ""


def _kinds(kinds: list[Hosts], style: Style) -> Iterator[str]:
    for same in kinds[:_KINDS]:
        names = fold(same.names, _RANGES)
        number = _("{n} hosts").format(n=len(same.names)) + " · " if len(same.names) > 1 else ""
        first, *rest = wrap(f"({number}{same.words})", style.width, names + " ", "  ")
        yield style.bold(names) + first[len(names) :]
        yield from rest
    if others := kinds[_KINDS:]:
        left = sum(len(same.names) for same in others)
        text = ngettext(
            "and {n} more, of another kind (-v shows each)",
            "and {n} hosts more, of {kinds} other kinds (-v shows each)",
            len(others),
        )
        yield from wrap(text.format(n=left, kinds=len(others)), style.width)


def _where(names: list[str]) -> str:
    """`(37 hosts: node[1-37])`, or `(node7)`."""
    if len(names) == 1:
        return f"({names[0]})"
    return "(" + _("{n} hosts: {hosts}").format(n=len(names), hosts=fold(names, _RANGES)) + ")"


def _unread(same: Hosts, style: Style) -> list[str]:
    first = same.names[0]
    said = same.words if same.words.startswith(first) else f"{first}: {same.words}"
    if len(same.names) == 1:
        return line(style, Status.UNKNOWN, said)
    head = _("{n} hosts could not be read wholly: {hosts}")
    head = head.format(n=len(same.names), hosts=fold(same.names, _RANGES))
    return [*line(style, Status.UNKNOWN, head), *wrap(said, style.width, INDENT, INDENT)]


def _others_unread(others: list[Hosts], style: Style) -> list[str]:
    """The hosts of reasons that are not told: whoever reads on knows at least which they are."""
    if not others:
        return []
    hosts = fold([name for same in others for name in same.names], _RANGES)
    said = ngettext(
        "and {n} other reason (-v shows it): {hosts}",
        "and {n} other reasons (-v shows them): {hosts}",
        len(others),
    )
    return wrap(said.format(n=len(others), hosts=hosts), style.width, INDENT, INDENT)


def _gap(gap: Gap, style: Style) -> Iterator[str]:
    why = gap.whole if gap.one_place else gap.reason
    where, ids = _where(list(gap.hosts)), list(gap.checks)
    if len(ids) == 1:
        yield from line(style, Status.UNKNOWN, f"{ids[0]} {where}: {why}")
        return
    said = _("{count} checks {where}: {why}").format(count=len(ids), where=where, why=why)
    yield from line(style, Status.UNKNOWN, said)
    yield from wrap(ids_told(ids), style.width, INDENT, INDENT)


def _group(group: Group, style: Style) -> Iterator[str]:
    first = group.hosts[0]
    proofs = (
        Evidence(f"{first}: {proof.source}", proof.text, proof.line) for proof in group.finding.evidence
    )
    finding = replace(group.finding, actual=_found(group), evidence=tuple(proofs))
    yield from full(finding, style, _where(group.hosts))


def _found(group: Group) -> str:
    """What was found; where it is not the same on all, the first few with their hosts."""
    if len(group.words) == 1:
        return group.finding.actual
    told = list(group.words.items())[:_WORDS]
    said = [f"{actual} ({fold(names, _RANGES)})" for actual, names in told]
    left = len(group.hosts) - sum(len(names) for _actual, names in told)
    more = ngettext("likewise on {n} host", "likewise on {n} hosts", left).format(n=left)
    return _("; ").join([*said, *([more] if left else [])])


def _left(number: int, style: Style) -> list[str]:
    if number <= 0:
        return []
    said = ngettext("and {n} other reason (-v shows it)", "and {n} other reasons (-v shows them)", number)
    return wrap(said.format(n=number), style.width, INDENT, INDENT)
