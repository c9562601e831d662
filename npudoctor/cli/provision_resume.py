"""`npudoctor provision resume`: go on with a run that was interrupted, from wherever each host is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from npudoctor.cli import options
from npudoctor.words import _, choose_language

if TYPE_CHECKING:
    from npudoctor.provision.run.folder import RunFolder

Run = Annotated[
    str | None,
    typer.Argument(metavar="[RUN]", help=_("Its name; where none is given the newest that has not ended.")),
]
RunDir = Annotated[
    Path | None,
    typer.Option("--run-dir", metavar="DIR", help=_("Where runs are kept."), show_default=False),
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=_("text or json."))]


def resume(
    run: Run = None,
    run_dir: RunDir = None,
    ask_pass: options.AskPass = False,
    ask_become_pass: options.AskBecomePass = False,
    ask_vault_pass: options.AskVaultPass = False,
    format: Format = "text",
    output: options.Output = None,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Go on with a run that was interrupted: what was begun is brought to its end, by the same plan.

    Hosts that have come to their end are left as they are. A host that changed since the plan, and was not
    begun, is left alone too, and said so.
    """
    choose_language(lang)
    from npudoctor.cli.output import targets
    from npudoctor.cli.provision_again import Passwords, begun, check_hosts, files_of, remote_of
    from npudoctor.cli.provision_plan import FORMATS, check_logins, planner_of
    from npudoctor.cli.provision_run import go_on
    from npudoctor.cli.remote import targets_of, vault_of
    from npudoctor.collect.ssh_config import SshConfig
    from npudoctor.matrix import load_matrix
    from npudoctor.provision.plan.canonical import of_json
    from npudoctor.provision.run.start import Means

    reports = targets(format, output or (), FORMATS)
    folder, call = begun(run, run_dir, unended=True)
    if run is None:
        typer.echo(_which(folder), err=True)
    plan = of_json(folder.get("plan.json"))
    matrix = load_matrix(call.matrix)
    remote = remote_of(call, call.limit, Passwords(ask_pass, ask_become_pass, ask_vault_pass))
    hosts = targets_of(remote)
    check_hosts(plan, hosts)
    planner = planner_of(call, matrix)
    check_logins(hosts, planner.controller)
    by_name = {host.name: host for host in hosts}
    means = Means(by_name, SshConfig(), matrix, planner, files_of(plan, call), vault_of(remote))
    folder.take()
    return go_on(plan, call, means, folder, reports, verbose=verbose)


def _which(folder: RunFolder) -> str:
    if folder.ended:
        return _("every run has come to its end; goes on with the newest, {run}").format(run=folder.id)
    return _("goes on with run {run}").format(run=folder.id)
