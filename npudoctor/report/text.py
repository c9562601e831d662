"""The report for a person: worst first, what proves it and what to type next; passes are only counted."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from npudoctor.finding import Finding, Status
from npudoctor.report.lines import INDENT, TOLD, area_of, full, ids_told, line, reason_of, short
from npudoctor.report.told import waivers_told
from npudoctor.report.width import wrap
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.report.report import HostReport, Report
    from npudoctor.report.style import Style

_TOLD_VERBOSE = (*TOLD, Status.PASS, Status.SKIP)


def to_text(report: Report, style: Style, ending: str) -> Iterator[str]:
    """The whole report, line by line; `ending` is what the exit code means, for the last one.

    What many hosts share is told once, unless all was asked for.
    """
    return (line + "\n" for line in _lines(report, style, ending))


def _lines(report: Report, style: Style, ending: str) -> Iterator[str]:
    if _many_hosts(report) and not style.verbose:
        from npudoctor.report.text_fleet import fleet_lines

        yield from fleet_lines(report.hosts, style)
    elif _of_files(report):
        from npudoctor.report.text_files import file_lines

        yield from file_lines(report.hosts, style)
    else:
        for host in report.hosts:
            yield from _host(host, style)
            yield ""
    if together := list(_findings(report.fleet, style)):
        yield from (style.bold(_("All hosts together")), *together, "")
    yield from _summary(report, style, ending)


def _many_hosts(report: Report) -> bool:
    return len(report.hosts) > 1 and not _of_files(report)


def _of_files(report: Report) -> bool:
    """Whether deployment files were judged: what was found is a line of one."""
    return any(host.source == "files" for host in islice(report.hosts, 1))


def _host(host: HostReport, style: Style) -> Iterator[str]:
    yield from _heading(host, style)
    if host.error:
        yield from wrap(host.error, style.width, style.word(Status.UNKNOWN) + " ", INDENT)
    yield from _findings(host.findings, style)


def _heading(host: HostReport, style: Style) -> list[str]:
    source = f"{host.source} {host.path}".rstrip()
    facts = [f"({source})", *(f"· {name} {value}" for name, value in host.about.items())]
    first, *rest = wrap(" ".join(facts), style.width, host.name + " ", "  ")
    return [style.bold(host.name) + first[len(host.name) :], *rest]


def _findings(findings: Iterable[Finding], style: Style) -> Iterator[str]:
    by_status: defaultdict[Status, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=area_of):
        by_status[finding.status].append(finding)
    for status in _TOLD_VERBOSE if style.verbose else TOLD:
        group = by_status[status]
        if status is Status.UNKNOWN and not style.verbose:
            yield from _unknowns(group, style)
        elif status is Status.SKIP:
            yield from (line for finding in group for line in short(finding, style))
        else:
            yield from (line for finding in group for line in full(finding, style))


def _unknowns(findings: list[Finding], style: Style) -> Iterator[str]:
    """Many checks often lack the same thing: one line a reason, with the ids under it."""
    by_reason: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_reason[reason_of(finding)].append(finding)
    for reason, group in sorted(by_reason.items(), key=lambda item: len(item[1])):
        if len(group) == 1:
            yield from short(group[0], style)
            continue
        whole = {finding.actual for finding in group}
        why = reason if len(whole) > 1 else group[0].actual  # one place for all of them is told
        yield from line(style, Status.UNKNOWN, _("{count} checks: {why}").format(count=len(group), why=why))
        yield from wrap(ids_told([finding.id for finding in group]), style.width, INDENT, INDENT)


def _summary(report: Report, style: Style, ending: str) -> list[str]:
    counts = report.counts
    words = ", ".join(f"{number} {status.value}" for status, number in counts.items() if number)
    hosts = _judged(report) if len(report.hosts) > 1 else ""
    said = _("{counts}. {ending}").format(counts=hosts + (words or _("no checks ran")), ending=ending)
    lines = [line for told in waivers_told(report.waivers) for line in wrap(told, style.width)]
    lines += wrap(said, style.width)
    if any(counts[status] for status in TOLD):
        lines += wrap(_("npudoctor explain ID says why a check matters and how that is known."), style.width)
    return lines


def _judged(report: Report) -> str:
    text = _("{count} files: ") if _of_files(report) else _("{count} hosts: ")
    return text.format(count=len(report.hosts))
