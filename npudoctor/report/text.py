"""The report for a person: worst first, what proves it and what to type next; passes are only counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from npudoctor.checks.registry import AREAS
from npudoctor.finding import Finding, Status
from npudoctor.report.report import HostReport, Report, count
from npudoctor.report.told import found, waivers_told
from npudoctor.report.width import clip, wrap
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.report.style import Style

_INDENT = " " * 8
_EVIDENCE_SHOWN = 3
_IDS_SHOWN = 24
_TOLD = (Status.FAIL, Status.UNKNOWN, Status.WARN, Status.WAIVED)
_TOLD_VERBOSE = (*_TOLD, Status.PASS, Status.SKIP)


def to_text(report: Report, style: Style, ending: str) -> Iterator[str]:
    """The whole report, line by line; `ending` is what the exit code means, for the last one."""
    return (line + "\n" for line in _lines(report, style, ending))


def _lines(report: Report, style: Style, ending: str) -> Iterator[str]:
    for host in report.hosts:
        yield from _host(host, style)
        yield ""
    if report.fleet:
        yield style.bold(_("All hosts together"))
        yield from _findings(report.fleet, style)
        yield ""
    yield from _summary(report, style, ending)


def _host(host: HostReport, style: Style) -> Iterator[str]:
    yield from _heading(host, style)
    if host.error:
        yield from wrap(host.error, style.width, style.word(Status.UNKNOWN) + " ", _INDENT)
    yield from _findings(host.findings, style)


def _heading(host: HostReport, style: Style) -> list[str]:
    source = f"{host.source} {host.path}".rstrip()
    facts = [f"({source})", *(f"· {name} {value}" for name, value in host.about.items())]
    first, *rest = wrap(" ".join(facts), style.width, host.name + " ", "  ")
    return [style.bold(host.name) + first[len(host.name) :], *rest]


def _findings(findings: Iterable[Finding], style: Style) -> Iterator[str]:
    by_status: defaultdict[Status, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=_area):  # the chips before the host under them
        by_status[finding.status].append(finding)
    for status in _TOLD_VERBOSE if style.verbose else _TOLD:
        group = by_status[status]
        if status is Status.UNKNOWN and not style.verbose:
            yield from _unknowns(group, style)
        elif status is Status.SKIP:
            yield from (line for finding in group for line in _short(finding, style))
        else:
            yield from (line for finding in group for line in _full(finding, style))


def _area(finding: Finding) -> int:
    area = finding.id.partition(".")[0]
    return AREAS.index(area) if area in AREAS else len(AREAS)  # a report of a later version is shown too


def _unknowns(findings: list[Finding], style: Style) -> Iterator[str]:
    """Many checks often lack the same thing: one line a reason, with the ids under it."""
    by_reason: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_reason[_reason(finding)].append(finding)
    for reason, group in sorted(by_reason.items(), key=lambda item: len(item[1])):
        if len(group) == 1:
            yield from _short(group[0], style)
            continue
        whole = {finding.actual for finding in group}
        why = reason if len(whole) > 1 else group[0].actual  # one place for all of them is told
        yield from _line(style, Status.UNKNOWN, _("{count} checks: {why}").format(count=len(group), why=why))
        yield from wrap(_names(group), style.width, _INDENT, _INDENT)


def _names(group: list[Finding]) -> str:
    """The ids, or where they would fill the screen how many of each area."""
    if len(group) <= _IDS_SHOWN:
        return ", ".join(finding.id for finding in group)
    areas = Counter(finding.id.partition(".")[0] for finding in group)
    listed = ", ".join(f"{area} {number}" for area, number in areas.items())
    return _("{areas} (-v names them)").format(areas=listed)


def _reason(finding: Finding) -> str:
    """Why it is unknown, without the place where it was looked for: the same reason has many places."""
    for line in finding.evidence:
        if line.source and finding.actual.startswith(f"{line.source}: "):
            return finding.actual[len(line.source) + 2 :]
    return finding.actual


def _short(finding: Finding, style: Style) -> list[str]:
    return _line(style, finding.status, f"{finding.id}: {finding.actual}")


def _full(finding: Finding, style: Style) -> Iterator[str]:
    first, *rest = wrap(finding.title, style.width, f"{_INDENT}{finding.id}  ", _INDENT)
    yield f"{style.word(finding.status)} {style.bold(finding.id)}{first[len(_INDENT + finding.id) :]}"
    yield from rest
    yield from _found(finding, style)
    yield from _evidence(finding, style)
    if finding.waiver:
        yield from wrap(_("waived: {reason}").format(reason=finding.waiver), style.width, _INDENT, _INDENT)
    yield from _fix(finding, style)


def _found(finding: Finding, style: Style) -> list[str]:
    said = found(finding)
    return wrap(said, style.width, _INDENT, _INDENT) if said else []


def _evidence(finding: Finding, style: Style) -> Iterator[str]:
    lines = [f"{proof.source}: {line}" for proof in finding.evidence for line in proof.text.splitlines()]
    shown = lines if style.verbose else lines[:_EVIDENCE_SHOWN]
    for line in shown:
        line = " ".join(line.split())  # noqa: PLW2901 (a table's blanks are of no use in one line of it)
        text = line if style.verbose else clip(line, 3 * style.width)
        yield from map(style.dim, wrap(text, style.width, f"{_INDENT}| ", f"{_INDENT}|   "))
    if len(shown) < len(lines):
        more = _("and {count} more lines (-v shows them)").format(count=len(lines) - len(shown))
        yield style.dim(f"{_INDENT}| {more}")


def _fix(finding: Finding, style: Style) -> Iterator[str]:
    if finding.fix is None:
        return
    summary = f"{finding.fix.summary} [{finding.fix.action.value}]"
    yield from wrap(summary, style.width, f"{_INDENT}→ ", f"{_INDENT}  ")
    yield from (f"{_INDENT}  $ {command}" for command in finding.fix.commands)


def _line(style: Style, status: Status, text: str) -> list[str]:
    first, *rest = wrap(text, style.width, _INDENT, _INDENT)
    return [f"{style.word(status)} {first[len(_INDENT) :]}", *rest]


def _summary(report: Report, style: Style, ending: str) -> list[str]:
    counts = count(report.findings)
    words = ", ".join(f"{number} {status.value}" for status, number in counts.items() if number)
    hosts = _("{count} hosts: ").format(count=len(report.hosts)) if len(report.hosts) > 1 else ""
    said = _("{counts}. {ending}").format(counts=hosts + (words or _("no checks ran")), ending=ending)
    lines = [line for told in waivers_told(report.waivers) for line in wrap(told, style.width)]
    lines += wrap(said, style.width)
    if any(counts[status] for status in _TOLD):
        lines += wrap(_("npudoctor explain ID says why a check matters and how that is known."), style.width)
    return lines
