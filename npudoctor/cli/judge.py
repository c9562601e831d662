"""From hosts to the report: what `check` does once it knows which hosts and what is wanted."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from npudoctor.checks.registry import Check, all_checks
from npudoctor.checks.runner import FleetRun
from npudoctor.cli.deliver import deliver, refuse_unmatched
from npudoctor.cli.judging import Judged, Task, judge_host, judge_of, unread
from npudoctor.cli.output import targets
from npudoctor.cli.sources import Sources
from npudoctor.dataclass import dataclass
from npudoctor.errors import Exit, UsageError
from npudoctor.host import load_areas
from npudoctor.matrix import Matrix, load_matrix
from npudoctor.policy import Policy, parse_fail_on, split_globs
from npudoctor.report.formats import FORMATS
from npudoctor.report.report import HostReports, Report
from npudoctor.waivers import Waivers, read_waivers
from npudoctor.words import _

HOSTS_EACH = 32
"""Hosts that one process judges by the time that another would have started."""
MOST_WORKERS = 8


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of `check` ask for, as they were typed."""

    only: list[str] | None
    skip: list[str] | None
    matrix: Path | None
    fail_on: str
    exit_zero: bool
    format: str
    output: list[str] | None
    verbose: bool
    waivers: Path | None = None
    strict_waivers: bool = False
    stack: str | None = None


def judge(sources: Sources, wishes: Wishes) -> Exit:
    """Judge every host and write the reports; the exit code."""
    wanted = targets(wishes.format, wishes.output or (), FORMATS)
    fail_on = parse_fail_on(wishes.fail_on)
    policy = Policy(split_globs(wishes.only or ()), split_globs(wishes.skip or ()), fail_on, wishes.exit_zero)
    waivers = read_waivers(wishes.waivers, time.strftime("%Y-%m-%d"))
    matrix = load_matrix(wishes.matrix, wishes.stack)
    report = _report(sources, _chosen(policy, matrix), matrix, waivers, wishes.matrix)
    code = deliver(report, policy, wanted, wishes.verbose, interrupted=sources.interrupted)
    if wishes.strict_waivers:
        refuse_unmatched(report)
    return code


def _chosen(policy: Policy, matrix: Matrix) -> list[Check]:
    """The checks that are wanted; those of a stack where one is given."""
    wanted = policy.select(all_checks())
    chosen = [check for check in wanted if matrix.wanted or not check.of_stack]
    if wanted and not chosen:
        raise UsageError(_("these checks hold a host against a stack"), _("give --stack NAME"))
    return chosen


def _report(
    sources: Sources, wanted: Sequence[Check], matrix: Matrix, waivers: Waivers, file: Path | None
) -> Report:
    """Each host is judged as it comes, then forgotten: the reports of many lie on a disk."""
    load_areas()
    checks = [check for check in wanted if len(sources) > 1 or not check.of_fleet]
    hosts, fleet = HostReports(), FleetRun(checks)
    for place, judged in _judged(sources, checks, matrix, file):
        found = judged.report
        hosts.put(place, replace(found, findings=waivers.apply(found.name, found.findings)))
        fleet.add(place, judged.members)
    return Report(
        hosts=hosts,
        fleet=waivers.apply("", fleet.findings(matrix)),
        matrix_updated=matrix.updated,
        matrix_sha256=matrix.sha256,
        when=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        waivers=waivers.told([check.id for check in wanted], [check.id for check in all_checks()]),
    )


def _judged(
    sources: Sources, checks: Sequence[Check], matrix: Matrix, file: Path | None
) -> Iterator[tuple[int, Judged]]:
    """Every host with its place, in the order in which they come; many of them in several processes."""
    tasks = ((source.place, Task(source.name, source.kind, source.read)) for source in sources)
    number = workers_for(len(sources))
    if number < 2:
        for place, task in tasks:
            yield place, judge_host(task, checks, matrix)
        return
    from npudoctor.cli.workers import Workers

    stack = matrix.wanted.name if matrix.wanted else None
    judging = partial(judge_of, frozenset(check.id for check in checks), file, stack)
    with Workers(number, judging, unread) as workers:
        yield from workers.judge(tasks)


def workers_for(hosts: int) -> int:
    """How many processes are worth while: each takes half a second to start, and about 60 MB."""
    return min(len(os.sched_getaffinity(0)), hosts // HOSTS_EACH, MOST_WORKERS)
