"""The parsers by kind, for `npudoctor parse KIND`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from npudoctor.dataclass import dataclass

F = TypeVar("F", bound=Callable[[str], Any])


@dataclass(frozen=True, slots=True)
class Parser:
    """One kind of text.

    Attributes:
        kind: `npu-smi-board`: what `npudoctor parse` calls it.
        origin: The command or file that prints such text.
        function: Clean text to a dataclass, a tuple, a mapping or a number; raises `ParseError`.
    """

    kind: str
    origin: str
    function: Callable[[str], Any]


_parsers: dict[str, Parser] = {}
_KEPT = 64
"""Texts of a kind whose facts are remembered: the hosts of a fleet have many in common."""
_LONGEST = 1 << 16
"""Characters of a text that is remembered."""


def parser(kind: str, origin: str) -> Callable[[F], F]:
    """Register a pure function of clean text as the parser of `kind`."""

    def register(function: F) -> F:
        remembering = _remembering(function)
        _parsers[kind] = Parser(kind, origin, remembering)
        return remembering

    return register


def _remembering(function: F) -> F:
    """The function, which reads the same text once only; what it returns is never changed by anybody."""
    kept = lru_cache(_KEPT)(function)

    @wraps(function)
    def read(text: str) -> Any:
        return kept(text) if len(text) <= _LONGEST else function(text)

    return read  # type: ignore[return-value]


def all_parsers() -> dict[str, Parser]:
    """Every parser in this folder, by kind."""
    for module in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"{__package__}.{module.stem}")
    return dict(sorted(_parsers.items()))
