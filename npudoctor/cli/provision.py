"""`npudoctor provision`: bring hosts to a named stack: plan, ask, apply, verify."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from npudoctor.cli import options
from npudoctor.cli.commands import Command, epilog
from npudoctor.cli.completing import complete_stack
from npudoctor.cli.nearest import nearest
from npudoctor.errors import UsageError
from npudoctor.words import N_, _, choose_language

SUBCOMMANDS: dict[str, Command] = {
    "resume": Command(
        N_("Go on with a run that was interrupted."),
        (
            "npudoctor provision resume",
            "npudoctor provision resume 20261130-021438-0140 --ask-become-pass",
        ),
    ),
    "retry": Command(
        N_("Try the hosts of a run again that are not right."),
        (
            "npudoctor provision retry --yes",
            "npudoctor provision retry 20261130-021438-0140 --limit node7",
        ),
    ),
    "packages": Command(
        N_("Which packages a stack needs, from where, and what is missing."),
        (
            "npudoctor provision packages --stack a2-cann8.5.0-vllm0.13.0 --packages /mnt/ascend",
            "npudoctor provision packages --stack a2-cann8.5.0-vllm0.13.0 --packages ./ascend --fetch",
        ),
    ),
    "store": Command(
        N_("Build, verify and take in a store of packages for sites without a network."),
        (
            "npudoctor provision store build --stack a2-cann8.5.0-vllm0.13.0 --packages . --output ./store",
            "npudoctor provision store import store.tar --output /srv/npudoctor",
        ),
    ),
    "image": Command(
        N_("The command that builds the serving image of a stack, or the build itself."),
        (
            "npudoctor provision image --stack a2-cann8.5.0-vllm0.13.0",
            "npudoctor provision image --stack a2-cann8.5.0-vllm0.13.0 --kind torch-npu --build",
        ),
    ),
}
"""Commands below `provision`: the command `name` is what `npudoctor.cli.provision_name` has under that name,
a function or a Typer application `app`. `--help` and completion read this table and import none of them."""


class SubcommandGroup(TyperGroup):
    """Its commands stay unimported until one of them is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (Typer's signature)
        """The names, in the order of the table."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 (Typer's signature)
        """Import the module of one command."""
        return _load(cmd_name) if cmd_name in SUBCOMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that was asked for, or the nearest name there is."""
        if args[0] not in SUBCOMMANDS and not args[0].startswith("-"):
            what = _("provision has no command {name}").format(name=args[0])
            raise UsageError(what, nearest(args[0], SUBCOMMANDS, _("see npudoctor provision --help")))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 (Typer's signature)
        """The list that `--help` shows, without importing a command."""
        if not SUBCOMMANDS:
            return
        with formatter.section(_("Commands")):
            formatter.write_dl([(name, _(command.summary)) for name, command in SUBCOMMANDS.items()])


def _load(name: str) -> Any:
    module = import_module(f"npudoctor.cli.provision_{name}")
    own = getattr(module, "app", None)
    if own is None:
        own = typer.Typer(rich_markup_mode=None, add_completion=False)
        own.command()(getattr(module, name))
    command = typer.main.get_command(own)
    command.name, command.epilog = name, epilog(SUBCOMMANDS[name].examples)
    return command


app = typer.Typer(
    cls=SubcommandGroup, rich_markup_mode=None, add_completion=False, invoke_without_command=True
)

Stack = Annotated[
    str | None,
    typer.Option(
        "--stack",
        metavar="NAME",
        help=_("What the hosts are to be: a stack of the matrix."),
        autocompletion=complete_stack,
    ),
]
Packages = Annotated[
    str | None,
    typer.Option(
        metavar="DIR|URL",
        help=_("Where the packages are: a folder or an HTTP mirror. Default: the store of this user."),
        show_default=False,
    ),
]
PlanOnly = Annotated[bool, typer.Option("--plan", help=_("Print the plan and change nothing."))]
CheckOnly = Annotated[
    bool, typer.Option("--check", help=_("The same, and exit with 1 where a host is not what it should be."))
]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="ROLE,...", help=_("Touch these components only: driver,firmware. Repeatable.")),
]
Skip = Annotated[
    list[str] | None, typer.Option(metavar="ROLE,...", help=_("Leave these components alone. Repeatable."))
]
Canary = Annotated[
    int, typer.Option(metavar="N", min=0, help=_("So many hosts of each kind go first, and must verify."))
]
MaxUnavailable = Annotated[
    str,
    typer.Option(metavar="N|SHARE", help=_("So many hosts may be out of service at a time: 4, or 10%.")),
]
MaxFailed = Annotated[
    str,
    typer.Option(metavar="N|SHARE", help=_("Begin no other host once so many have failed: 2, or 10%.")),
]
Drain = Annotated[
    str, typer.Option(metavar="WHO", help=_("Who takes work off a host first: none, slurm or kubernetes."))
]
Rollback = Annotated[
    bool, typer.Option("--rollback", help=_("Bring hosts back to what they had before the last run."))
]
RestartDocker = Annotated[
    bool, typer.Option("--restart-docker", help=_("Docker may be restarted while containers run."))
]
RackCache = Annotated[
    int,
    typer.Option(
        "--rack-cache",
        metavar="N",
        min=0,
        help=_("In racks of so many hosts or more one gives the packages to the others; 0: in none."),
    ),
]
RunDir = Annotated[
    Path | None,
    typer.Option(
        "--run-dir", metavar="DIR", help=_("Where plans and journals are kept."), show_default=False
    ),
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=_("text or json."))]
From = Annotated[
    list[Path] | None,
    typer.Option(
        "--from", metavar="PATH", help=_("Plan for bundles of collect; repeatable."), show_default=False
    ),
]
Sample = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=_("Plan for a recorded host that ships; `list` names them.")),
]


@app.callback()
def provision(
    context: typer.Context,
    hosts: options.Hosts = None,
    stack: Stack = None,
    packages: Packages = None,
    plan: PlanOnly = False,
    check: CheckOnly = False,
    yes: options.Yes = False,
    limit: options.Limit = None,
    only: Only = None,
    skip: Skip = None,
    answers: options.AnswerFile = None,
    canary: Canary = 1,
    max_unavailable: MaxUnavailable = "10%",
    max_failed: MaxFailed = "10%",
    drain: Drain = "none",
    rollback: Rollback = False,
    restart_docker: RestartDocker = False,
    rack_cache: RackCache = 4,
    from_: From = None,
    sample: Sample = None,
    forks: options.Forks = None,
    timeout: options.Timeout = None,
    ask_pass: options.AskPass = False,
    ask_become_pass: options.AskBecomePass = False,
    ask_vault_pass: options.AskVaultPass = False,
    matrix: options.MatrixFile = None,
    run_dir: RunDir = None,
    format: Format = "text",
    output: options.Output = None,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int | None:
    """Bring hosts to a stack of the matrix: shows the plan, asks, applies it, and checks every host after it.

    Without --yes, and where nobody can be asked, it plans and stops. Exits with 0 where every host is right
    in the end, with 1 where one failed or is blocked, with 3 where one could not be reached.
    """
    if context.invoked_subcommand is not None:
        return None
    choose_language(lang)
    from npudoctor.cli.sources import list_samples, remote

    if sample == "list":
        return list_samples()
    from npudoctor.cli.provision_plan import Wishes, call_of, provision_hosts

    call = call_of(
        hosts=hosts, stack=stack, limit=limit, packages=packages, only=only, skip=skip, canary=canary,
        max_unavailable=max_unavailable, max_failed=max_failed, drain=drain, rollback=rollback,
        restart_docker=restart_docker, rack_cache=rack_cache, forks=forks, timeout=timeout,
        run_folder=run_dir, matrix=matrix,
    )  # fmt: skip
    others = remote(hosts, limit, forks, ask_pass, ask_become_pass, ask_vault_pass)
    wishes = Wishes(
        others, tuple(from_ or ()), sample, plan, check, yes, answers, format, tuple(output or ()), verbose
    )
    return provision_hosts(call, wishes)
