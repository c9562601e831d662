"""Several reports as one: of a host that is in more than one of them the newest counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.finding import WORST_FIRST, Action, Finding, Status
from npudoctor.report.report import HostReport, Report
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Named:
    """A report and the file that it is from."""

    name: str
    report: Report


def merge(reports: Sequence[Named]) -> tuple[Report, list[str]]:
    """One report out of one or more, and what the person should know of how it came about.

    The run that ended last gives the version and the matrix; of those that ended together (or do not say
    when) it is the one named last. Findings of the fleets are put together by their id, the worst status
    wins, and each names its report: hosts of different reports were never looked at side by side.
    """
    if len(reports) == 1:
        return reports[0].report, []
    newest_last = sorted(reports, key=lambda named: named.report.when)
    newest = newest_last[-1].report
    hosts, notes = _hosts(reports, newest_last)
    if any(named.report.fleet for named in reports):
        notes.append(_("hosts of different reports were not compared with each other"))
    waivers = {waiver: None for named in newest_last for waiver in named.report.waivers}
    merged = Report(
        hosts=hosts,
        fleet=_fleet(reports),
        matrix_updated=newest.matrix_updated,
        matrix_sha256=newest.matrix_sha256,
        version=newest.version,
        when=newest.when,
        waivers=tuple(waivers),
    )
    return merged, notes


def _hosts(
    reports: Sequence[Named], newest_last: Sequence[Named]
) -> tuple[tuple[HostReport, ...], list[str]]:
    """Every host once, in the order of the command line; a note for each that was in several reports."""
    chosen = {host.name: named for named in newest_last for host in named.report.hosts}
    seen: dict[str, list[str]] = {}
    kept: list[HostReport] = []
    for named in reports:
        for name in dict.fromkeys(host.name for host in named.report.hosts):
            seen.setdefault(name, []).append(named.name)
        kept += [host for host in named.report.hosts if chosen[host.name] is named]
    twice = {name: files for name, files in seen.items() if len(files) > 1}
    return tuple(kept), [_note(name, files, chosen[name].name) for name, files in twice.items()]


def _note(host: str, files: list[str], chosen: str) -> str:
    return _("{host} is in {files}: {chosen} counts").format(
        host=host, files=_(" and ").join(files), chosen=chosen
    )


def _fleet(reports: Sequence[Named]) -> tuple[Finding, ...]:
    by_id: dict[str, list[tuple[str, Finding]]] = {}
    for named in reports:
        for finding in named.report.fleet:
            by_id.setdefault(finding.id, []).append((named.name, finding))
    return tuple(_joined(rows) for _id, rows in sorted(by_id.items()))


def _joined(rows: list[tuple[str, Finding]]) -> Finding:
    """One finding out of those of several fleets: the worst, with what each report says."""
    if len(rows) == 1:
        return rows[0][1]
    worst = min((finding for _name, finding in rows), key=lambda finding: WORST_FIRST.index(finding.status))
    told = [(name, finding) for name, finding in rows if finding.status is worst.status]
    proofs = dict.fromkeys(proof for _name, finding in told for proof in finding.evidence)
    return Finding(
        id=worst.id,
        status=worst.status,
        title=worst.title,
        actual=_("; ").join(f"{name}: {finding.actual}" for name, finding in told),
        expected=worst.expected,
        action=worst.action if worst.status is not Status.PASS else Action.NONE,
        seconds=round(sum(finding.seconds for _name, finding in rows), 6),
        evidence=tuple(proofs),
        fix=worst.fix,
        references=worst.references,
        waiver=worst.waiver,
    )
