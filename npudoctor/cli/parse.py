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

_MOST = 16 << 20
"""Bytes that are read at most: the largest output that was seen is a kernel log of some MiB."""


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
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as stream:
            data = stream.read(_MOST + 1)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", _("give a file that can be read, or -")) from None
    if len(data) > _MOST:
        what = _("{file} is larger than 16 MiB; no tool prints that much").format(file=_name(file))
        raise UsageError(what, _("give the output of one command"))
    return data


def _name(file: str) -> str:
    return _("standard input") if file == "-" else file
