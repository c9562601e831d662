"""From hosts to the report: what `check` does once it knows which hosts and what is wanted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from npudoctor.checks.registry import Check, all_checks
from npudoctor.checks.runner import run_checks, run_fleet_checks
from npudoctor.cli.deliver import deliver, refuse_unmatched
from npudoctor.cli.output import targets
from npudoctor.cli.sources import Source
from npudoctor.dataclass import dataclass
from npudoctor.errors import Exit, IncompleteError
from npudoctor.host import Host, load_areas
from npudoctor.matrix import Matrix, load_matrix
from npudoctor.policy import Policy, parse_fail_on, split_globs
from npudoctor.report.about import about
from npudoctor.report.formats import FORMATS
from npudoctor.report.report import HostReport, Report
from npudoctor.waivers import Waivers, read_waivers


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


def judge(sources: Sequence[Source], wishes: Wishes) -> Exit:
    """Judge every host and write the reports; the exit code."""
    wanted = targets(wishes.format, wishes.output or (), FORMATS)
    fail_on = parse_fail_on(wishes.fail_on)
    policy = Policy(split_globs(wishes.only or ()), split_globs(wishes.skip or ()), fail_on, wishes.exit_zero)
    waivers = read_waivers(wishes.waivers, time.strftime("%Y-%m-%d"))
    report = _report(sources, policy.select(all_checks()), load_matrix(wishes.matrix), waivers)
    code = deliver(report, policy, wanted, wishes.verbose)
    if wishes.strict_waivers:
        refuse_unmatched(report)
    return code


def _report(sources: Sequence[Source], checks: Sequence[Check], matrix: Matrix, waivers: Waivers) -> Report:
    load_areas()
    hosts: list[Host] = []
    reports = tuple(_host_report(source, checks, matrix, hosts, waivers) for source in sources)
    fleet = waivers.apply("", run_fleet_checks(checks, hosts, matrix))
    return Report(
        hosts=reports,
        fleet=fleet,
        matrix_updated=matrix.updated,
        matrix_sha256=matrix.sha256,
        when=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        waivers=waivers.told([check.id for check in checks], [check.id for check in all_checks()]),
    )


def _host_report(
    source: Source, checks: Sequence[Check], matrix: Matrix, hosts: list[Host], waivers: Waivers
) -> HostReport:
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
        findings=waivers.apply(host.name, run_checks(checks, host, matrix)),
        error="; ".join(host.snapshot.problems) or None,
        about=about(host),
    )
