"""The shell's grammar: text to a syntax tree, by tree-sitter-bash."""

from __future__ import annotations

from functools import cache
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LARGEST = 1 << 20
"""Bytes of a script: longer ones are installers with an archive behind them, or generated."""
_SECONDS = 0.5
"""For one script: what people write takes milliseconds; a line of 100,000 pipes would take the memory."""

_PIECE = 64 * 1024


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(source: bytes) -> Node | None:
    """The root of the syntax tree; None where the parser does not come to an end."""
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
