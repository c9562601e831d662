"""`npudoctor parse KIND [FILE|-]`: one tool's output to JSON."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from npudoctor.errors import UsageError
from npudoctor.fact import ParseError
from npudoctor.parse import Parser, all_parsers
from npudoctor.parse.as_json import as_json
from npudoctor.text import decode
from npudoctor.words import _


def parse(
    kind: Annotated[str | None, typer.Argument(help="What the text is; --list names the kinds.")] = None,
    file: Annotated[str, typer.Argument(help="The file with the text; - is standard input.")] = "-",
    list_kinds: Annotated[bool, typer.Option("--list", help="Name the kinds and what prints them.")] = False,
) -> None:
    """Turn the output of one tool into JSON."""
    if list_kinds:
        _list()
        return
    if kind is None:
        raise UsageError(_("parse needs a kind"), _("`npudoctor parse --list` names them"))
    parser = _parser(kind)
    try:
        parsed = parser.function(decode(_read(file)))
    except ParseError as error:
        what = _("{file} is no output of `{origin}`: {error}")
        raise UsageError(
            what.format(file=_name(file), origin=parser.origin, error=error),
            _("give the whole output of that command"),
        ) from None
    typer.echo(as_json(parsed))


def _list() -> None:
    parsers = all_parsers()
    width = max(len(kind) for kind in parsers)
    for kind, parser in parsers.items():
        typer.echo(f"{kind.ljust(width)}  {parser.origin}")


def _parser(kind: str) -> Parser:
    parsers = all_parsers()
    if kind in parsers:
        return parsers[kind]
    near = get_close_matches(kind, parsers, n=3, cutoff=0.5)
    mend = _("did you mean {near}?").format(near=", ".join(near)) if near else ""
    raise UsageError(
        _("there is no parser for {kind}").format(kind=kind), mend or _("`npudoctor parse --list` names them")
    )


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", _("give a file that can be read, or -")) from None


def _name(file: str) -> str:
    return _("standard input") if file == "-" else file
