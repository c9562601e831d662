"""`npudoctor` itself: finds the command that was asked for and imports that one only."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from npudoctor.cli.commands import COMMANDS, epilog
from npudoctor.cli.nearest import nearest
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _


class LazyGroup(TyperGroup):
    """A group whose commands stay unimported until one of them is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (Typer's signature)
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 (Typer's signature)
        """Import the module of one command."""
        return load(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that was asked for, or the nearest name there is."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UsageError(_("there is no command {name}").format(name=args[0]), nearest(args[0], COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 (Typer's signature)
        """The list that `--help` shows, without importing a command."""
        with formatter.section(_("Commands")):
            formatter.write_dl([(name, _(command.summary)) for name, command in COMMANDS.items()])


app = typer.Typer(
    cls=LazyGroup,
    name="npudoctor",
    rich_markup_mode=None,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=epilog(("npudoctor check", "npudoctor check --sample list")),
)


def load(name: str) -> Any:
    """The command `name`, ready to be called."""
    module = import_module(f"npudoctor.cli.{name}")
    own = getattr(module, "app", None)
    if own is None:
        own = typer.Typer(rich_markup_mode=None, add_completion=False)
        own.command()(getattr(module, name))
    own.rich_markup_mode = None  # plain help: rich costs more than everything else at start-up
    own._add_completion = False
    command = typer.main.get_command(own)
    command.name, command.epilog = name, epilog(COMMANDS[name].examples)
    for parameter in command.params:
        if getattr(parameter, "hidden", False):  # Typer hides an argument from the list, not from `Usage:`
            setattr(parameter, "get_usage_pieces", lambda _context: [])  # noqa: B010 (mypy)
    return command


def _print_version(wanted: bool) -> None:
    if wanted:
        from npudoctor import __version__

        typer.echo(f"npudoctor {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 (the callback answers it)
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help=_("Show the version.")),
    ] = False,
) -> None:
    """The environment doctor for Ascend NPU servers: what is wrong, why, and what to type next."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: list[str]) -> int:
    """Run one command line; the exit code."""
    command = typer.main.get_command(app)
    code = command.main(arguments, prog_name="npudoctor", standalone_mode=False)
    return code if isinstance(code, int) else Exit.OK
