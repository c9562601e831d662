"""`npudoctor diff`: what differs between two reports, bundles or hosts."""

from __future__ import annotations

from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.cli.sources import list_samples, remote
from npudoctor.errors import Exit
from npudoctor.words import _, choose_language

Things = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="A [B]",
        help=_(
            "JSON reports or bundles (folders, .tar, .tgz, .zip, streams). Without B: A and this machine."
        ),
        show_default=False,
    ),
]
Samples = Annotated[
    list[str] | None,
    typer.Option(
        "--sample", metavar="NAME", help=_("Compare a recorded host; `list` names them. Repeatable.")
    ),
]
DiffFormat = Annotated[str, typer.Option("--format", metavar="FORMAT", help=_("text, json or markdown."))]


def diff(
    things: Things = None,
    hosts: options.Hosts = None,
    limit: options.Limit = None,
    forks: options.Forks = None,
    ask_pass: options.AskPass = False,
    ask_become_pass: options.AskBecomePass = False,
    ask_vault_pass: options.AskVaultPass = False,
    sample: Samples = None,
    timeout: options.Timeout = None,
    only: options.Only = None,
    skip: options.Skip = None,
    matrix: options.MatrixFile = None,
    format: DiffFormat = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Show what differs between two hosts, or before and after: findings, and the facts behind them.

    A and B may also be named by --sample and --hosts (two hosts); they come after those on the command line.
    What changes by itself (temperatures, free memory, processes) is left out; -v shows it too.

    Exits as diff does: with 0 where nothing differs, with 1 where something does, with 3 where a side could
    not be read wholly.
    """
    choose_language(lang)
    if sample == ["list"]:
        return list_samples()
    from npudoctor.cli.comparing import Wanted, reading_two
    from npudoctor.cli.output import put, style_for, targets
    from npudoctor.policy import Policy, split_globs
    from npudoctor.report.diff.formats import FORMATS, load_format

    wanted = targets(format, output or (), FORMATS)
    others = remote(hosts, limit, forks, ask_pass, ask_become_pass, ask_vault_pass)
    policy = Policy(split_globs(only or ()), split_globs(skip or ()))
    difference = reading_two(Wanted(things or [], sample or [], others, timeout), policy, matrix, verbose)
    for target in wanted:
        put(load_format(target.format)(difference, style_for(target, verbose)), target)
    if exit_zero or (difference.same and not difference.incomplete):
        return Exit.OK
    return Exit.INCOMPLETE if difference.same else Exit.FINDINGS
