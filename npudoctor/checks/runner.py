"""Run checks on one host: the one place where missing facts and crashes become `unknown`."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from npudoctor.fact import Evidence, Unavailable
from npudoctor.finding import Action, Finding, Verdict, unknown
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from npudoctor.checks.registry import Check
    from npudoctor.host import Host
    from npudoctor.matrix import Matrix


def run_checks(checks: Iterable[Check], host: Host, matrix: Matrix) -> list[Finding]:
    """One finding a check of one host, in the order given. Never raises."""
    return [_run(check, host, matrix) for check in checks if not check.of_fleet]


def run_fleet_checks(checks: Iterable[Check], hosts: Sequence[Host], matrix: Matrix) -> list[Finding]:
    """One finding a check of the fleet; none where there is but one host to look at. Never raises."""
    if len(hosts) < 2:
        return []
    return [_run(check, tuple(hosts), matrix) for check in checks if check.of_fleet]


def _run(check: Check, subject: Host | tuple[Host, ...], matrix: Matrix) -> Finding:
    start = perf_counter()
    verdict = _judge(check, subject, matrix)
    return Finding(
        id=check.id,
        status=verdict.status,
        title=_(check.title),
        actual=verdict.actual,
        expected=verdict.expected,
        action=verdict.fix.action if verdict.fix else Action.NONE,
        seconds=round(perf_counter() - start, 6),
        evidence=verdict.evidence,
        fix=verdict.fix,
        references=verdict.references or check.sources,
    )


def _judge(check: Check, subject: Host | tuple[Host, ...], matrix: Matrix) -> Verdict:
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
