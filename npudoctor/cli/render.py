"""`npudoctor render`: earlier JSON reports in another format, several as one."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.words import _, choose_language

Reports = Annotated[
    list[str],
    typer.Argument(metavar="REPORT.json...", help=_("JSON reports of npudoctor; - reads standard input.")),
]


def render(
    reports: Reports,
    fail_on: options.FailOn = "fail",
    format: options.Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Show earlier JSON reports in another format, several as one.

    Of a host that is in several reports the newest one counts. Exits as the check did that wrote the report:
    with 1 where a finding is at or above --fail-on, with 3 where a host could not be read wholly.
    """
    choose_language(lang)
    from npudoctor.cli.deliver import deliver
    from npudoctor.cli.output import targets
    from npudoctor.cli.report_file import read_report_file
    from npudoctor.policy import Policy, parse_fail_on
    from npudoctor.report.formats import FORMATS
    from npudoctor.report.merge import merge

    wanted = targets(format, output or (), FORMATS)
    policy = Policy(fail_on=parse_fail_on(fail_on), exit_zero=exit_zero)
    report, notes = merge([read_report_file(name) for name in reports])
    for note in notes:
        print(f"npudoctor: {note}", file=sys.stderr)
    return deliver(report, policy, wanted, verbose)
