"""`npudoctor provision resume`: go on with a run that was interrupted, from wherever each host is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from npudoctor.cli import options
from npudoctor.errors import UsageError
from npudoctor.words import _, choose_language

if TYPE_CHECKING:
    from npudoctor.provision.call import Call
    from npudoctor.provision.run.folder import RunFolder

Run = Annotated[
    str | None,
    typer.Argument(metavar="[RUN]", help=_("Its name; where none is given the newest that has not ended.")),
]
Hosts = Annotated[
    str | None,
    typer.Option(
        metavar="INVENTORY", help=_("Without a name: the newest over this inventory."), show_default=False
    ),
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=_("text or json."))]


def resume(
    run: Run = None,
    hosts: Hosts = None,
    run_dir: options.RunDir = None,
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
    from npudoctor.cli.provision_again import Passwords, check_hosts, files_of, remote_of
    from npudoctor.cli.provision_plan import FORMATS, check_logins, planner_of
    from npudoctor.cli.provision_run import go_on
    from npudoctor.cli.remote import targets_of, vault_of
    from npudoctor.collect.ssh_config import SshConfig
    from npudoctor.matrix import load_matrix
    from npudoctor.provision.plan.canonical import of_json
    from npudoctor.provision.run.start import Means

    reports = targets(format, output or (), FORMATS)
    folder, call = _unended(run, run_dir, hosts)
    if run is None:
        typer.echo(_("goes on with run {run}").format(run=folder.id), err=True)
    plan = of_json(folder.get("plan.json"))
    matrix = load_matrix(call.matrix)
    remote = remote_of(call, call.limit, Passwords(ask_pass, ask_become_pass, ask_vault_pass))
    there = targets_of(remote)
    check_hosts(plan, there)
    planner = planner_of(call, matrix)
    check_logins(there, planner.controller)
    by_name = {host.name: host for host in there}
    means = Means(by_name, SshConfig(), matrix, planner, files_of(plan, call), vault_of(remote))
    folder.take()
    return go_on(plan, call, means, folder, reports, verbose=verbose)


def _unended(run: str | None, run_dir: Path | None, hosts: str | None) -> tuple[RunFolder, Call]:
    """The run of that name, or the newest that fits; raises `UsageError` where none waits for it."""
    from npudoctor.cli.provision_again import begun
    from npudoctor.provision.run.folder import default_runs, unended_runs

    folder, call = begun(run, run_dir)
    if run is not None:
        if folder.ended:
            raise _over(_("run {run} has come to its end").format(run=run), folder)
        return folder, call
    fitting = (_fitting(each, hosts) for each in unended_runs(run_dir or default_runs()))
    if found := next(filter(None, fitting), None):
        return found
    if hosts:
        what = _("no run over {hosts} waits to be gone on with").format(hosts=hosts)
        raise UsageError(
            what, _("call anew: npudoctor provision --hosts {hosts} --stack …").format(hosts=hosts)
        )
    raise _over(_("no run waits to be gone on with"), folder)


def _over(what: str, folder: RunFolder) -> UsageError:
    again = _("to try hosts again that are not right: npudoctor provision retry {run}; else call anew")
    return UsageError(what, again.format(run=folder.words))


def _fitting(folder: RunFolder, hosts: str | None) -> tuple[RunFolder, Call] | None:
    """It with its call, if that is of this inventory and the inventory is still there."""
    from npudoctor.provision.run.call_file import call_of_json, in_full

    call = call_of_json(folder.get("call.json"))
    if hosts and in_full(hosts) != call.hosts:
        return None
    if "," in call.hosts or Path(call.hosts).exists():
        return folder, call
    words = _("passes over run {run}: its inventory {hosts} is not there any more")
    typer.echo(words.format(run=folder.id, hosts=call.hosts), err=True)
    return None
