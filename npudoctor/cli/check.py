"""`npudoctor check`: read hosts, judge them, report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from npudoctor.cli import options
from npudoctor.cli.output import Target, put, style_for, targets
from npudoctor.cli.sources import Source, chosen, list_samples, reading
from npudoctor.errors import Exit
from npudoctor.policy import Policy, parse_fail_on, split_globs
from npudoctor.report.formats import FORMATS
from npudoctor.report.report import Report
from npudoctor.words import _, choose_language


def check(
    from_: options.From = None,
    more: options.MorePaths = None,
    sample: options.Sample = None,
    pid: options.Pid = None,
    timeout: options.Timeout = None,
    only: options.Only = None,
    skip: options.Skip = None,
    matrix: options.MatrixFile = None,
    fail_on: options.FailOn = "fail",
    format: options.Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Examine this machine, or recorded ones: what is wrong, why, and how to mend it.

    Exits with 0 where nothing is at or above --fail-on, with 1 where something is, with 3 where a host
    could not be read wholly.
    """
    choose_language(lang)
    if sample == "list":
        return list_samples()
    wanted = targets(format, output or (), FORMATS)
    policy = Policy(split_globs(only or ()), split_globs(skip or ()), parse_fail_on(fail_on), exit_zero)
    with reading(chosen(from_, more, sample, pid, timeout)) as sources:
        report = _judged(sources, policy, matrix)
    return _write(report, policy, wanted, verbose)


def _judged(sources: Sequence[Source], policy: Policy, matrix_file: Path | None) -> Report:
    """Get ready to judge while the host is being read, then judge it."""
    from npudoctor.checks.registry import all_checks
    from npudoctor.cli.judge import Judge
    from npudoctor.matrix import load_matrix

    return Judge(policy.select(all_checks()), load_matrix(matrix_file)).report(sources)


def _write(report: Report, policy: Policy, wanted: Sequence[Target], verbose: bool) -> Exit:
    code = policy.exit(report)
    for target in wanted:
        put(FORMATS[target.format](report, style_for(target, verbose), _meaning(code)), target)
    return code


def _meaning(code: Exit) -> str:
    meanings = {
        Exit.OK: _("Exit code 0: nothing that --fail-on counts."),
        Exit.FINDINGS: _("Exit code 1: something must be mended."),
        Exit.INCOMPLETE: _("Exit code 3: a host could not be read wholly."),
    }
    return meanings[code]
