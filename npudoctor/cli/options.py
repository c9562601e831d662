"""Options that several commands share, so that they are spelt and explained the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from npudoctor.cli.completing import complete_stack
from npudoctor.report.formats import FORMATS
from npudoctor.words import _

Hosts = Annotated[
    str | None,
    typer.Option(
        "--hosts",
        metavar="INVENTORY",
        help=_("Read other machines over SSH: an Ansible inventory, or a list with commas: a,b,"),
        show_default=False,
    ),
]
Limit = Annotated[
    str | None,
    typer.Option(metavar="PATTERN", help=_("Of --hosts only these: an Ansible pattern, npu:!node7.")),
]
Forks = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help=_("Read so many of --hosts at once. Default: what open files allow, at most 64."),
        show_default=False,
    ),
]
AskPass = Annotated[bool, typer.Option("--ask-pass", "-k", help=_("Ask for the password that logs in."))]
AskBecomePass = Annotated[
    bool, typer.Option("--ask-become-pass", "-K", help=_("Ask for the password that sudo wants."))
]
AskVaultPass = Annotated[
    bool, typer.Option("--ask-vault-pass", "-J", help=_("Ask for the password of vaulted values."))
]
From = Annotated[
    list[Path] | None,
    typer.Option(
        "--from",
        metavar="PATH...",
        help=_(
            "Read bundles instead of this machine: folders, .tar, .tgz, .tar.gz, .zip, output of collect.sh."
        ),
        show_default=False,
    ),
]
MorePaths = Annotated[list[Path] | None, typer.Argument(hidden=True)]
"""What a shell makes of `--from bundles/*.tgz`: all but the first path are left over."""
Sample = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help=_("Read a recorded host that ships with npudoctor; `list` names them.")
    ),
]
Container = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=_(
            "Read what runs in this container, and how it was started; with --from, --hosts or --sample the"
            " latter alone."
        ),
        show_default=False,
    ),
]
ModelFolder = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="PATH",
        help=_(
            "Look at this folder of a model, or this offline model (.om), too, on each host: is it whole?"
        ),
        show_default=False,
    ),
]
Pid = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help=_("Read the environment and limits of this process, not of this shell.")
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        min=0.1,
        help=_("The most that one probe may take; with --hosts, one host in all."),
        show_default=False,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help=_("Run these checks only: ids, areas or globs. Repeatable.")),
]
Skip = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help=_("Leave these checks out. Repeatable.")),
]
Waivers = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help=_(
            "Findings that are accepted, as YAML rows. Default: .npudoctor.yaml of this folder, if there."
        ),
        show_default=False,
    ),
]
StrictWaivers = Annotated[
    bool, typer.Option("--strict-waivers", help=_("A waiver that matched nothing is an error."))
]
MatrixFile = Annotated[
    Path | None,
    typer.Option(
        "--matrix", metavar="FILE", help=_("Use this compatibility matrix, not the one that ships.")
    ),
]
Stack = Annotated[
    str | None,
    typer.Option(
        "--stack",
        metavar="NAME",
        help=_("What the host should be, a stack of the matrix: versions that differ are findings."),
        autocompletion=complete_stack,
        show_default=False,
    ),
]
FailOn = Annotated[
    str,
    typer.Option(
        metavar="STATUS[,STATUS...]",
        help=_("Exit with 1 at or above this status (fail, unknown, warn), or at exactly those listed."),
    ),
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=", ".join(FORMATS) + ".")]
Output = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[FORMAT=]FILE",
        help=_("Write the report to FILE; as FORMAT=FILE, besides the one on the screen. Repeatable."),
    ),
]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help=_("Exit with 0 whatever was found."))]
Lang = Annotated[
    str | None,
    typer.Option(metavar="en|zh", help=_("The language of the report; from the locale where not given.")),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help=_("Show passes and skips, and all evidence."))]
Yes = Annotated[bool, typer.Option("--yes", "-y", help=_("Do it without asking."))]
AnswerFile = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        metavar="FILE",
        help=_("Blockers that you let pass, as YAML: npu-in-use: proceed."),
        show_default=False,
    ),
]
RunDir = Annotated[
    Path | None,
    typer.Option("--run-dir", metavar="DIR", help=_("Where runs are kept."), show_default=False),
]
