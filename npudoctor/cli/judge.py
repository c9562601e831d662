"""From hosts to the report: what `check` does once it knows which hosts and what is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from npudoctor.checks.registry import Check, all_checks
from npudoctor.checks.runner import run_checks, run_fleet_checks
from npudoctor.cli.output import put, style_for, targets
from npudoctor.cli.sources import Source
from npudoctor.dataclass import dataclass
from npudoctor.errors import Exit, IncompleteError
from npudoctor.host import Host, load_areas
from npudoctor.matrix import Matrix, load_matrix
from npudoctor.policy import Policy, parse_fail_on, split_globs
from npudoctor.report.about import about
from npudoctor.report.formats import FORMATS, load_format
from npudoctor.report.report import HostReport, Report
from npudoctor.words import _


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


def judge(sources: Sequence[Source], wishes: Wishes) -> Exit:
    """Judge every host and write the reports; the exit code."""
    wanted = targets(wishes.format, wishes.output or (), FORMATS)
    fail_on = parse_fail_on(wishes.fail_on)
    policy = Policy(split_globs(wishes.only or ()), split_globs(wishes.skip or ()), fail_on, wishes.exit_zero)
    report = _report(sources, policy.select(all_checks()), load_matrix(wishes.matrix))
    code = policy.exit(report)
    for target in wanted:
        style = style_for(target, wishes.verbose)
        put(load_format(target.format)(report, style, _meaning(code)), target)
    return code


def _report(sources: Sequence[Source], checks: Sequence[Check], matrix: Matrix) -> Report:
    load_areas()
    hosts: list[Host] = []
    reports = tuple(_host_report(source, checks, matrix, hosts) for source in sources)
    fleet = tuple(run_fleet_checks(checks, hosts, matrix))
    return Report(reports, fleet, matrix.updated, matrix.sha256)


def _host_report(source: Source, checks: Sequence[Check], matrix: Matrix, hosts: list[Host]) -> HostReport:
    """Judge one host; it joins `hosts` where it could be read."""
    try:
        host = Host(source.read())
    except IncompleteError as error:
        return HostReport(source.name, source.kind, error=str(error))
    hosts.append(host)
    return HostReport(
        name=host.name,
        source=host.snapshot.source,
        path=source.name if source.kind == "bundle" else "",
        findings=tuple(run_checks(checks, host, matrix)),
        error="; ".join(host.snapshot.problems) or None,
        about=about(host),
    )


def _meaning(code: Exit) -> str:
    meanings = {
        Exit.OK: _("Exit code 0: nothing that --fail-on counts."),
        Exit.FINDINGS: _("Exit code 1: something must be mended."),
        Exit.INCOMPLETE: _("Exit code 3: a host could not be read wholly."),
    }
    return meanings[code]
