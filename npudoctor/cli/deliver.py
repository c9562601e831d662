"""From the report to its readers: every format that was asked for, and the exit code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from npudoctor.cli.output import Target, put, style_for
from npudoctor.errors import Exit, UsageError
from npudoctor.report.formats import load_format
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.policy import Policy
    from npudoctor.report.report import Report


def deliver(
    report: Report, policy: Policy, wanted: Iterable[Target], verbose: bool, *, interrupted: bool = False
) -> Exit:
    """Write the report to every target; the exit code that it deserves.

    Where Ctrl-C cut the run short the process ends with another code, and the report says so.
    """
    code = policy.exit(report)
    ending = _("Exit code 130: interrupted before all hosts were read.") if interrupted else _meaning(code)
    for target in wanted:
        chunks = load_format(target.format)(report, style_for(target, verbose), ending)
        put(chunks, target)
    return code


def refuse_unmatched(report: Report) -> None:
    """Raise `UsageError` where a waiver matched nothing, for `--strict-waivers`."""
    unmatched = [waiver for waiver in report.waivers if waiver.state == "unmatched"]
    if unmatched:
        rows = ", ".join(f"{waiver.where} ({waiver.id})" for waiver in unmatched)
        raise UsageError(_("waivers that matched nothing: {rows}").format(rows=rows), _("take them out"))


def _meaning(code: Exit) -> str:
    meanings = {
        Exit.OK: _("Exit code 0: nothing that --fail-on counts."),
        Exit.FINDINGS: _("Exit code 1: something must be mended."),
        Exit.INCOMPLETE: _("Exit code 3: a host could not be read wholly."),
    }
    return meanings[code]
