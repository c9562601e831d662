"""`npudoctor gate`: deployment files are judged before anything is deployed."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from npudoctor.cli import options
from npudoctor.errors import Exit
from npudoctor.words import _, choose_language

if TYPE_CHECKING:
    from npudoctor.gate.judge import FileFindings
    from npudoctor.matrix import Matrix

Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH...", help=_("Folders and deployment files.")),
]


def gate(
    paths: Paths,
    only: options.Only = None,
    skip: options.Skip = None,
    waivers: options.Waivers = None,
    strict_waivers: options.StrictWaivers = False,
    stack: options.Stack = None,
    matrix: options.MatrixFile = None,
    fail_on: options.FailOn = "fail",
    format: options.Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Judge Dockerfiles, requirements, manifests, scripts and env files, with no NPU at hand.

    Exits with 0 where nothing is at or above --fail-on, and where nothing is for Ascend; with 1 where
    something is.
    """
    choose_language(lang)
    from npudoctor.cli.deliver import deliver, refuse_unmatched
    from npudoctor.cli.output import targets
    from npudoctor.gate.judge import gate_checks
    from npudoctor.gate.reader import need_packages
    from npudoctor.matrix import load_matrix
    from npudoctor.policy import Policy, parse_fail_on, split_globs
    from npudoctor.report.formats import FORMATS
    from npudoctor.report.report import HostReport, Report
    from npudoctor.waivers import read_waivers

    need_packages()
    wanted = targets(format, output or (), FORMATS)
    policy = Policy(split_globs(only or ()), split_globs(skip or ()), parse_fail_on(fail_on), exit_zero)
    accepted = read_waivers(waivers, time.strftime("%Y-%m-%d"))
    checks, rules = gate_checks(), load_matrix(matrix, stack)
    ids = [check.id for check in policy.select(checks)]
    found = list({one.path: one for path in paths for one in _judged(path, rules, ids)}.values())
    if not found and format == "text" and not output:
        print(_("nothing for Ascend found in {paths}").format(paths=", ".join(paths)))
        return Exit.OK
    report = Report(
        hosts=[HostReport(one.path, "files", accepted.apply(one.path, one.findings)) for one in found],
        matrix_updated=rules.updated,
        matrix_sha256=rules.sha256,
        when=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        waivers=accepted.told(ids, [check.id for check in checks]),
    )
    code = deliver(report, policy, wanted, verbose)
    if strict_waivers:
        refuse_unmatched(report)
    return code


def _judged(path: str, matrix: Matrix, ids: list[str]) -> list[FileFindings]:
    """The findings of one path; what was passed over is told on standard error."""
    from npudoctor.gate.files import Repository
    from npudoctor.gate.judge import judge

    repository = Repository(path)
    found = judge(repository, matrix, ids)
    for note in repository.notes:
        print(f"npudoctor: {note}", file=sys.stderr)
    return found
