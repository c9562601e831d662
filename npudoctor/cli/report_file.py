"""JSON reports that a user names on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

from npudoctor.errors import UsageError
from npudoctor.report.load import read_report
from npudoctor.report.merge import Named
from npudoctor.words import _


def read_report_file(name: str) -> Named:
    """The report in a file, or on standard input (`-`); raises `UsageError` where it is none."""
    shown = _("standard input") if name == "-" else name
    return Named(shown, read_report(_text(name, shown), shown))


def _text(name: str, shown: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror}", _("give a report of --format json")) from None
    except UnicodeDecodeError:
        raise UsageError(f"{shown}: " + _("is no text"), _("give a report of --format json")) from None
