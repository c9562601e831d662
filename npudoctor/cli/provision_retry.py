"""`npudoctor provision retry`: a new run over the hosts of an earlier one that are not right."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.errors import UsageError
from npudoctor.provision.run.folder import RunFolder
from npudoctor.words import _, choose_language

Run = Annotated[
    str | None, typer.Argument(metavar="[RUN]", help=_("Its name; the newest where none is given."))
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=_("text or json."))]


def retry(
    run: Run = None,
    run_dir: options.RunDir = None,
    yes: options.Yes = False,
    limit: options.Limit = None,
    answers: options.AnswerFile = None,
    ask_pass: options.AskPass = False,
    ask_become_pass: options.AskBecomePass = False,
    ask_vault_pass: options.AskVaultPass = False,
    format: Format = "text",
    output: options.Output = None,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Plan anew for the hosts of a run that are not right, and try them again; also those that are stuck."""
    choose_language(lang)
    from npudoctor.cli.provision_again import Passwords, begun, remote_of
    from npudoctor.cli.provision_plan import Wishes, provision_hosts

    folder, call = begun(run, run_dir)
    names = _failed(folder)
    wanted = ",".join([*names, *([f"&{part}" for part in limit.split(",")] if limit else [])])
    passwords = Passwords(ask_pass, ask_become_pass, ask_vault_pass)
    wishes = Wishes(
        remote=remote_of(call, wanted, passwords), bundles=(), sample=None, plan=False, check=False, yes=yes,
        answers=answers, format=format, output=tuple(output or ()), verbose=verbose, retry=True,
    )  # fmt: skip
    return provision_hosts(replace(call, limit=wanted, run_folder=run_dir or call.run_folder), wishes)


def _failed(folder: RunFolder) -> list[str]:
    """The hosts that its report does not call right; of a run without a report all that were planned for."""
    if not (folder.path / "report.json").exists():
        what = _("the run {run} has not come to its end").format(run=folder.id)
        raise UsageError(what, _("type: npudoctor provision resume {run}").format(run=folder.words))
    report = folder.get("report.json")
    right = ("converged", "done", *(["rolled-back"] if report.get("rollback") else []))
    names = [host["name"] for host in report["hosts"] if host["word"] not in right]
    if not names:
        raise UsageError(_("every host of the run {run} is right").format(run=folder.id))
    return names
