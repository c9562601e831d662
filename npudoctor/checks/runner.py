"""Run checks on one host: the one place where missing facts and crashes become `unknown`."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING

from npudoctor.checks.fleet_member import Member
from npudoctor.checks.safe import safe
from npudoctor.fact import Evidence, Unavailable
from npudoctor.finding import Action, Finding, Verdict, skip, unknown
from npudoctor.spill import Spill
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from npudoctor.checks.registry import Check
    from npudoctor.host import Host
    from npudoctor.matrix import Matrix


def run_checks(checks: Iterable[Check], host: Host, matrix: Matrix) -> list[Finding]:
    """One finding a check of one host, in the order given. Never raises."""
    return [_run(check, host, matrix) for check in checks if not check.of_fleet]


def members_of(checks: Iterable[Check], host: Host) -> dict[str, Member]:
    """What the checks of the fleet keep of one host, by their ids. Never raises."""
    found = {check.id: _member(check, host) for check in checks if check.of_fleet}
    return {id: member for id, member in found.items() if member is not None}


class FleetRun:
    """The checks of the fleet, and what they keep of the hosts until all of them are there."""

    def __init__(self, checks: Iterable[Check]) -> None:
        self._kept: dict[Check, Spill[Member]] = {check: Spill() for check in checks if check.of_fleet}
        self._left_out: dict[str, Counter[str]] = {check.id: Counter() for check in self._kept}

    def add(self, place: int, members: Mapping[str, Member]) -> None:
        """Take what `members_of` gave of one host; `place` is its number in the fleet."""
        for check, kept in self._kept.items():
            member = members.get(check.id)
            if member is None:
                continue
            if member.left_out:
                self._left_out[check.id][member.left_out] += 1
            else:
                kept.put(place, member)

    def findings(self, matrix: Matrix) -> list[Finding]:
        """One a check, in the order given. Never raises."""
        return [
            _run(check, kept, matrix) if len(kept) > 1 else _alone(check, self._left_out[check.id])
            for check, kept in self._kept.items()
        ]


def _member(check: Check, host: Host) -> Member | None:
    """What one check keeps of a host; None where the host has no part in it."""
    assert check.reads is not None
    try:
        facts = check.reads(host)
    except Unavailable as missing:
        return Member(host.name, {}, missing)
    except Exception as crash:  # as below: it costs this check only
        why = f"{type(crash).__name__}: {crash}"
        return Member(host.name, {}, Unavailable(why, f"check {check.id}", "failed"))
    if isinstance(facts, str):
        return Member(host.name, {}, left_out=facts)
    return Member(host.name, facts) if facts else None


def _run(check: Check, subject: Host | Collection[Member], matrix: Matrix) -> Finding:
    start = perf_counter()
    verdict = _judge(check, subject, matrix)
    return _finding(check, verdict, round(perf_counter() - start, 6))


def _alone(check: Check, left_out: Counter[str]) -> Finding:
    """Too few hosts have a part in it; with the reasons why others have not, those of most hosts first."""
    words = _("fewer than two hosts to compare")
    reasons = [f"{n} × {why}" for why, n in left_out.most_common(3)]
    return _finding(check, skip(": ".join([words, *filter(None, [_("; ").join(reasons)])])), 0.0)


def _finding(check: Check, verdict: Verdict, seconds: float) -> Finding:
    found = Finding(
        id=check.id,
        status=verdict.status,
        title=_(check.title),
        actual=verdict.actual,
        expected=verdict.expected,
        action=verdict.fix.action if verdict.fix else Action.NONE,
        seconds=seconds,
        evidence=verdict.evidence,
        fix=verdict.fix,
        references=verdict.references or check.sources,
    )
    return safe(found)


def _judge(check: Check, subject: Host | Collection[Member], matrix: Matrix) -> Verdict:
    try:
        return check.judge(subject, matrix)
    except Unavailable as missing:
        bare = missing.why.removeprefix(f"{missing.source}: ")
        why = _(bare)
        actual = f"{missing.source}: {why}" if bare != missing.why else why
        return unknown(Evidence(missing.source, why), actual=actual)
    except Exception as crash:  # a broken check must not cost the report: it becomes its own `unknown`
        why = f"{type(crash).__name__}: {crash}"
        return unknown(Evidence(f"check {check.id}", why), actual=_("the check itself failed: ") + why)
