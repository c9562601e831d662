"""`npudoctor triage`: error dumps in, ranked causes with their proof and a fix out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _, choose_language

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH...",
        help=_("Logs, folders, archives (tar, gz, zip and others, in one another), or - for standard input."),
        show_default=False,
    ),
]
Here = Annotated[
    bool, typer.Option("--here", help=_("The dump is of this machine: weigh it by what check finds here."))
]
FORMATS = ("text", "json")
Format = Annotated[str, typer.Option(metavar="FORMAT", help=", ".join(FORMATS) + ".")]


def triage(
    paths: Paths = None,
    from_: options.From = None,
    here: Here = False,
    format: Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Name the cause of a failure out of its logs, with the line that proves it and what to do.

    Exits with 1 where a cause was found, else with 3 where something could not be read wholly, else with 0.
    A bundle of collect that is among the paths says what its host is like, unless --from or --here does.
    """
    choose_language(lang)
    if not paths:
        raise UsageError(_("triage needs a log, a folder, an archive, or -"), "npudoctor triage dump.tgz")
    from npudoctor.cli.dump import gather, hide_secrets, number_lines
    from npudoctor.cli.evidence import findings_beside, findings_of
    from npudoctor.cli.output import put, style_for, targets
    from npudoctor.report import triage_json, triage_text
    from npudoctor.triage.verdict import judge_dump

    wanted = targets(format, output or (), FORMATS)
    gathered, told = gather(paths, sys.stdin.buffer)
    findings = findings_of(from_, here) or findings_beside(told)
    verdict = judge_dump(gathered.first_to_last(), findings, told.problems, told.passed, gathered.left_out)
    number_lines(verdict.shown())
    hide_secrets(verdict.shown())
    for target in wanted:
        if target.format == "json":
            put([triage_json.to_json(verdict)], target)
        else:
            put([triage_text.to_text(verdict, style_for(target, verbose))], target)
    if exit_zero:
        return Exit.OK
    if verdict.causes:
        return Exit.FINDINGS
    return Exit.INCOMPLETE if verdict.problems else Exit.OK
