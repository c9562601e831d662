"""The formats of `diff` by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

from npudoctor.report.diff.difference import Difference
from npudoctor.report.style import Style

Format = Callable[[Difference, Style], Iterable[str]]

FORMATS = ("text", "json", "markdown")
"""Of a format NAME the function is `to_NAME` of the module NAME beside this one."""


def load_format(name: str) -> Format:
    """The function of one of `FORMATS`."""
    function: Format = getattr(import_module(f"{__package__}.{name}"), f"to_{name}")
    return function
