"""The formats by name: the one place where a new format is added."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

from npudoctor.report.report import Report
from npudoctor.report.style import Style

Format = Callable[[Report, Style, str], Iterable[str]]
"""A report, how text should look, and what the exit code means, to the text of the format, piece by piece.

It goes over the hosts one after the other and keeps none: there may be ten thousand.
"""

FORMATS = ("text", "json", "junit", "sarif", "html", "markdown", "prometheus")
"""Of a format NAME the function is `to_NAME` in `report/NAME.py`; it is imported when it is asked for."""


def load_format(name: str) -> Format:
    """The function of one of `FORMATS`."""
    module = import_module(f"{__package__}.{name}")
    function: Format = getattr(module, f"to_{name}")
    return function
