"""The shell's grammar: text to a syntax tree, by tree-sitter-bash."""

from __future__ import annotations

from functools import cache
from time import monotonic
from typing import TYPE_CHECKING

from npudoctor.regex import regex

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LARGEST = 1 << 20
"""Bytes of a script: longer ones are installers with an archive behind them, or generated."""
_SHORT = 16 * 1024
"""Bytes that take less than a second whatever they hold."""
_SECONDS = 0.5
"""For a longer script: what people write takes milliseconds, garbage takes the square of its length."""
_MOST_PIPES = 500
"""In one line; the parser's memory grows with their square."""
_PIECE = 64 * 1024
_JOINED = regex(rb"(\||\\)\s*\n")


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(source: bytes) -> Node | None:
    """The root of the syntax tree; None where the parser would not come to an end."""
    if max(line.count(b"|") for line in _JOINED.sub(rb"\1", source).split(b"\n")) > _MOST_PIPES:
        return None
    if len(source) <= _SHORT:
        return _parser().parse(source).root_node
    return _parse_in_time(source)


def _parse_in_time(source: bytes) -> Node | None:
    end = monotonic() + _SECONDS
    parser = _parser()
    try:  # it asks for the time only where it reads the text piece by piece
        return parser.parse(
            lambda offset, _point: source[offset : offset + _PIECE],
            progress_callback=lambda _offset, _error: monotonic() > end,
        ).root_node
    except ValueError:
        parser.reset()
        return None
