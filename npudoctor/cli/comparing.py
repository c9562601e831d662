"""From what `diff` is asked to compare to the difference."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from npudoctor.checks.registry import Check, all_checks
from npudoctor.cli.judging import Task, judge_host
from npudoctor.cli.report_file import read_report_file
from npudoctor.cli.sources import Chosen, Remote, Source, reading
from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError, UsageError
from npudoctor.host import Host
from npudoctor.matrix import Matrix, load_matrix
from npudoctor.policy import Policy
from npudoctor.report.diff.compare import compare
from npudoctor.report.diff.difference import Difference, Side
from npudoctor.report.diff.facts import compare_facts
from npudoctor.report.report import HostReport, Report
from npudoctor.words import _


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user named: paths, then samples, then hosts over SSH."""

    paths: list[str]
    samples: list[str]
    remote: Remote | None
    timeout: float | None


@dataclass(frozen=True, slots=True)
class Loaded:
    """One side: a report, and the host behind it where it is one that was read now."""

    side: Side
    report: Report
    host: Host | None = None


def reading_two(wanted: Wanted, policy: Policy, matrix: Path | None, verbose: bool) -> Difference:
    """Read and judge both sides, and compare them; raises `UsageError` where there are not two."""
    checks = [check for check in policy.select(all_checks()) if not check.of_fleet]
    table = load_matrix(matrix)
    with ExitStack() as stack:
        things = _things(wanted, stack)
        if len(things) == 1:
            things += stack.enter_context(reading(Chosen(timeout=wanted.timeout)))
        if len(things) != 2:
            what = _("diff compares two, not {count}").format(count=len(things))
            raise UsageError(
                what, _("name two reports, bundles or hosts; or one to compare with this machine")
            )
        before, after = (_load(thing, checks, table, policy) for thing in things)
    facts = None
    if before.host and after.host:
        facts = compare_facts(before.host, after.host, verbose=verbose)
    return compare((before.side, before.report), (after.side, after.report), facts, verbose=verbose)


def _things(wanted: Wanted, stack: ExitStack) -> list[str | Source]:
    """Reports by their name, hosts as sources of which each begins to be read."""
    things: list[str | Source] = []
    for path in wanted.paths:
        things += [path] if _is_report(path) else stack.enter_context(reading(Chosen((Path(path),))))
    for sample in wanted.samples:
        things += stack.enter_context(reading(Chosen(sample=sample)))
    if wanted.remote:
        choice = Chosen(timeout=wanted.timeout, remote=wanted.remote)
        things += sorted(stack.enter_context(reading(choice)), key=attrgetter("place"))
    return things


def _is_report(path: str) -> bool:
    """A JSON text is a report; all else is read as a bundle, which says what is wrong with it."""
    if path == "-":
        return True
    try:
        with open(path, "rb") as file:
            return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    except OSError:
        return False


def _load(thing: str | Source, checks: list[Check], matrix: Matrix, policy: Policy) -> Loaded:
    return _judged(thing, checks, matrix) if isinstance(thing, Source) else _saved(thing, policy)


def _saved(name: str, policy: Policy) -> Loaded:
    named = read_report_file(name)
    report = replace(named.report, hosts=[_chosen(host, policy) for host in named.report.hosts])
    errors = [f"{host.name}: {host.error}" for host in report.hosts if host.error]
    names = tuple(host.name for host in report.hosts)
    return Loaded(Side(named.name, "report", names, report.when, "; ".join(errors) or None), report)


def _chosen(host: HostReport, policy: Policy) -> HostReport:
    return replace(host, findings=tuple(found for found in host.findings if policy.wants(found.id)))


def _judged(source: Source, checks: list[Check], matrix: Matrix) -> Loaded:
    try:
        snapshot = source.read()
    except IncompleteError as error:
        report = Report([HostReport(source.name, source.kind, error=str(error))])
        return Loaded(Side(source.name, source.kind, (source.name,), error=str(error)), report)
    judged = judge_host(Task(source.name, source.kind, lambda: snapshot), checks, matrix).report
    side = Side(source.name, snapshot.source, (judged.name,), error=judged.error)
    return Loaded(side, Report([judged]), Host(snapshot))
