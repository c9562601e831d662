"""Deployment files in the text report: `file:line` first, the worst first, what is fine only counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from npudoctor.finding import Finding, Status
from npudoctor.report.lines import full, line
from npudoctor.words import ngettext

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.report.report import HostReport
    from npudoctor.report.style import Style

Placed = tuple[str, Finding]
_FULL = (Status.FAIL, Status.WARN, Status.WAIVED)
_SHOWN = 3


def file_lines(files: Iterable[HostReport], style: Style) -> Iterator[str]:
    """All findings: failures and warnings in full, of what is unknown a line each, many of a kind counted."""
    by_status: defaultdict[Status, list[Placed]] = defaultdict(list)
    for file in files:
        for finding in file.findings:
            by_status[finding.status].append((place(file.name, finding), finding))
    for status in (*_FULL, *((Status.PASS,) if style.verbose else ())):
        yield from _told(by_status[status], style)
    unknown = list(_unknowns(by_status[Status.UNKNOWN], style))
    yield from [*unknown, ""] if unknown else []


def _told(findings: Iterable[Placed], style: Style) -> Iterator[str]:
    """The first few of each check in full, of the others the line and what is there."""
    told: Counter[str] = Counter()
    for where, finding in findings:
        told[finding.id] += 1
        if told[finding.id] <= _SHOWN or style.verbose:
            yield style.bold(where)
            yield from full(finding, style)
        else:
            yield from line(style, finding.status, f"{where}: {finding.id}: {finding.actual}")
        yield ""


def place(file: str, finding: Finding) -> str:
    """`file:line`, as editors and terminals open it."""
    lines = [proof.line for proof in finding.evidence[:1] if proof.line is not None]
    return f"{file}:{lines[0]}" if lines else file


def _unknowns(findings: Iterable[Placed], style: Style) -> Iterator[str]:
    by_id: defaultdict[str, list[Placed]] = defaultdict(list)
    for where, finding in findings:
        by_id[finding.id].append((where, finding))
    for id, group in by_id.items():
        shown = group if style.verbose else group[:_SHOWN]
        for where, finding in shown:
            yield from line(style, Status.UNKNOWN, f"{where}: {id}: {finding.actual}")
        if len(shown) < len(group):
            left = len(group) - len(shown)
            more = ngettext(
                "{id}: {count} more place (-v shows it)", "{id}: {count} more places (-v shows them)", left
            )
            yield from line(style, Status.UNKNOWN, more.format(id=id, count=left))
