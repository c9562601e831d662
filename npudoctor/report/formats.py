"""The formats by name: the one place where a new format is added."""

from __future__ import annotations

from collections.abc import Callable

from npudoctor.report.json import to_json
from npudoctor.report.report import Report
from npudoctor.report.style import Style
from npudoctor.report.text import to_text

Format = Callable[[Report, Style, str], str]
"""A report, how text should look, and what the exit code means, to the words of the format."""

FORMATS: dict[str, Format] = {
    "text": to_text,
    "json": lambda report, _style, _ending: to_json(report),
}
