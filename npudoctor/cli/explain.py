"""`npudoctor explain ID`: what a check, an error code, a matrix row or a variable means, and its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from npudoctor.cli.nearest import nearest
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.checks.registry import Check

Id = Annotated[
    str | None,
    typer.Argument(help=_("A check, an area, an error code, a cause, a matrix row, or a variable.")),
]
List = Annotated[bool, typer.Option("--list", help=_("List every check with its title."))]


_WIDTH = 100
"""Columns of what is explained, whatever the terminal has."""


class TakesNumbers(TyperCommand):
    """A command whose argument may be a negative number, as many error codes are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Tell `-8005` from an option."""
        if len(args) == 1 and re.match(r"-[0-9]", args[0]):
            args = ["--", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(cls=TakesNumbers)
def explain(id: Id = None, list_all: List = False) -> int:
    """Say what a check, a code, a cause, a matrix row or a variable means, and where that is known from.

    A code is taken in any spelling, and out of a piece of a log line.
    """
    if list_all:
        typer.echo("\n".join(_checks()))
    elif id is None:
        raise UsageError(_("explain needs an id"), _("npudoctor explain --list names the checks"))
    else:
        typer.echo(_explanation(id))
    return Exit.OK


def _checks(area: str = "") -> Iterator[str]:
    for check in _all():
        if not area or check.id.startswith(f"{area}."):
            yield f"{check.id:<32} {_(check.title)}"


def _all() -> list[Check]:
    """The checks of hosts, and those of the gate alone."""
    from npudoctor.checks.registry import all_checks
    from npudoctor.gate.rules import own_checks

    return sorted([*all_checks(), *own_checks()], key=lambda check: check.id)


def _explanation(id: str) -> str:
    checks = {check.id: check for check in _all()}
    if id in checks:
        return _check(checks[id])
    if of_area := [*_checks(id), *_causes(id)]:
        return "\n".join(of_area)
    return _variable(id) or _codes(id) or _row(id, list(checks))


def _causes(word: str) -> list[str]:
    """The signature of triage that is called so, or all of that kind of cause."""
    from npudoctor.triage.describe_signature import describe_signature, of_category

    return of_category(word) or describe_signature(word)


def _check(check: Check) -> str:
    lines = [f"{check.id}: {_(check.title)}", "", check.why, ""]
    lines += [_("source: {source}").format(source=source) for source in check.sources]
    lines.append(_("as of: {date}").format(date=check.dated))
    if check.role:
        lines.append(_("mended on many hosts by the Ansible role: {role}").format(role=check.role))
    return "\n".join(lines)


def _variable(name: str) -> str | None:
    from npudoctor.envvars import describe

    return describe(name)


def _codes(word: str) -> str:
    """Every code that is written so: a bare number means another thing in each layer."""
    from npudoctor.triage.describe import describe, meant

    return "\n\n".join("\n".join(describe(code)) for code in meant(word))


def _row(id: str, others: list[str]) -> str:
    from npudoctor.envvars.table import table
    from npudoctor.matrix import load_matrix
    from npudoctor.triage.signatures import signatures

    matrix = load_matrix(None)
    row = matrix.row(id)
    if row is not None:
        return _wrapped(row.explain())
    names = [*others, *table().rows, *(row.id for row in matrix.rows()), *(one.id for one in signatures())]
    mend = nearest(id, names, _("npudoctor explain --list names the checks"))
    raise UsageError(_("nothing is called {id}").format(id=id), mend)


def _wrapped(text: str) -> str:
    """Long lines broken, and indented two columns more from the second on."""
    from npudoctor.report.width import wrap

    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines += wrap(line.lstrip(), _WIDTH, indent, indent + "  ")
    return "\n".join(lines)
