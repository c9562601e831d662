"""Compare the findings of two reports, host by host."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.checks.registry import AREAS
from npudoctor.finding import Status
from npudoctor.report.diff.difference import Change, Difference, Direction, FactChange, Side
from npudoctor.report.diff.facts import table
from npudoctor.report.names import findings_apart, hosts_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from npudoctor.finding import Finding
    from npudoctor.report.report import Report

_DIRECTIONS = (Direction.WORSE, Direction.BETTER, Direction.OTHER)
_QUIET = (Status.PASS, Status.SKIP)
Findings = dict[str, "Finding"]


def compare(
    before: tuple[Side, Report],
    after: tuple[Side, Report],
    facts: tuple[FactChange, ...] | None = None,
    *,
    verbose: bool = False,
) -> Difference:
    """What differs. Hosts are matched by name; where each side has one host, those two whatever their names.

    Args:
        before: The first side and its report.
        after: The second.
        facts: What differs in the facts, where both sides have them.
        verbose: Also passes that found something else, and new measurements.
    """
    (first, old), (second, new) = before, after
    left, right = _by_host(old), _by_host(new)
    if len(left) == len(right) == 1:
        right = {next(iter(left)): next(iter(right.values()))}
    both = [name for name in left if left[name] and right.get(name)]  # a host that was not read has none
    cut = _cut(old), _cut(new)
    if len(left) == len(right) == 1:
        cut = set(left) if cut[0] else set(), set(left) if cut[1] else set()
    found = [change for name in both for change in _changes(name, left[name], right[name], verbose)]
    changes = [change for change in found if not _unread(change, *cut)]
    known = None if facts is None else tuple(fact for fact in facts if not _not_there(fact, first, second))
    unread = len(found) - len(changes) + len(facts or ()) - len(known or ())
    changes += _changes("", _by_id(old.fleet), _by_id(new.fleet), verbose)
    return Difference(
        before=first,
        after=second,
        findings=tuple(sorted(changes, key=_importance)),
        facts=known,
        gone=tuple(name for name in left if name not in right),
        come=tuple(name for name in right if name not in left),
        one_sided=sum(_one_sided(left[name], right[name]) for name in both),
        unread=unread,
    )


def _cut(report: Report) -> set[str]:
    """The hosts that were not read wholly."""
    return {name for name, host in hosts_apart(report.hosts) if host.error}


def _unread(change: Change, old: set[str], new: set[str]) -> bool:
    """Whether a change only says that one side's host was cut off before what the check asks for."""
    sides = ((change.before, old), (change.after, new))
    return any(
        change.host in hosts and (finding is None or finding.status is Status.UNKNOWN)
        for finding, hosts in sides
    )


def _not_there(fact: FactChange, before: Side, after: Side) -> bool:
    """Whether a fact is missing on a side that was not read wholly."""
    return any(side.error and value is None for side, value in ((before, fact.before), (after, fact.after)))


def _by_host(report: Report) -> dict[str, Findings]:
    return {name: _by_id(host.findings) for name, host in hosts_apart(report.hosts)}


def _by_id(findings: Iterable[Finding]) -> Findings:
    return dict(findings_apart(findings))


def _changes(host: str, left: Findings, right: Findings, verbose: bool) -> Iterator[Change]:
    for id in dict.fromkeys([*left, *right]):
        before, after = left.get(id), right.get(id)
        if _differ(id, before, after, verbose):
            yield Change(id, host, before, after)


def _differ(id: str, before: Finding | None, after: Finding | None, verbose: bool) -> bool:
    if before is None or after is None:
        there = before or after
        return there is not None and there.status not in _QUIET
    if before.status is not after.status:
        return verbose or not {before.status, after.status} <= set(_QUIET)
    if before.actual == after.actual:
        return False
    return verbose or (after.status not in _QUIET and not _measured(id))


def _measured(id: str) -> bool:
    return any(fnmatchcase(id, pattern) for pattern in table()["measured"])


def _one_sided(left: Mapping[str, Finding], right: Mapping[str, Finding]) -> int:
    quiet = [id for one, other in ((left, right), (right, left)) for id in one if id not in other]
    return sum((left.get(id) or right[id]).status in _QUIET for id in quiet)


def _importance(change: Change) -> tuple[int, int, int]:
    area = change.id.partition(".")[0]
    place = AREAS.index(area) if area in AREAS else len(AREAS)
    return _DIRECTIONS.index(change.direction), change.worst, place
