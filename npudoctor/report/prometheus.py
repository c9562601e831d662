"""The report as Prometheus text, for the textfile collector of the node exporter.

Labels are names of hosts, ids, states and words of fixed lists; what was found is no label, so that the
number of series does not grow from run to run.
"""

from __future__ import annotations

from calendar import timegm
from collections import Counter
from time import strptime
from typing import TYPE_CHECKING

from npudoctor.finding import Finding, Status
from npudoctor.report.names import hosts_apart
from npudoctor.report.report import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.report.report import Report
    from npudoctor.report.style import Style

Sample = tuple[dict[str, str], float]
_TROUBLE = (Status.FAIL, Status.UNKNOWN, Status.WARN, Status.WAIVED)


def to_prometheus(report: Report, _style: Style, _ending: str) -> Iterator[str]:
    """The whole report, a metric at a time."""
    info = {"version": report.version, "matrix_updated": report.matrix_updated}
    yield from _gauge("npudoctor_build_info", "The npudoctor that judged, and its matrix.", [(info, 1)])
    if report.when:
        seconds = timegm(strptime(report.when, "%Y-%m-%dT%H:%M:%SZ"))
        yield from _gauge("npudoctor_run_timestamp_seconds", "When the run ended.", [({}, seconds)])
    yield from _gauge("npudoctor_host_read", "1 where the host was read wholly, else 0.", _read(report))
    yield from _gauge("npudoctor_findings", "Findings of a host, by status.", _counts(report))
    help = "Findings of a check that are no pass; 1 but where a check speaks of several places."
    yield from _gauge("npudoctor_finding", help, _findings(report))
    if report.fleet:
        counts = [({"status": status.value}, n) for status, n in count(report.fleet).items()]
        yield from _gauge("npudoctor_fleet_findings", "Findings about the hosts together, by status.", counts)
        help = "Findings about the hosts together that are no pass."
        yield from _gauge("npudoctor_fleet_finding", help, _of_checks(report.fleet))
    if report.waivers:
        states = Counter(waiver.state for waiver in report.waivers)
        rows = [({"state": state}, n) for state, n in sorted(states.items())]
        yield from _gauge("npudoctor_waivers", "Waivers of the run, by what became of them.", rows)


def _read(report: Report) -> Iterator[Sample]:
    for name, host in hosts_apart(report.hosts):
        yield {"host": name, "source": host.source}, int(host.error is None)


def _counts(report: Report) -> Iterator[Sample]:
    for name, host in hosts_apart(report.hosts):
        for status, number in count(host.findings).items():
            yield {"host": name, "status": status.value}, number


def _findings(report: Report) -> Iterator[Sample]:
    for name, host in hosts_apart(report.hosts):
        yield from (({"host": name, **labels}, number) for labels, number in _of_checks(host.findings))


def _of_checks(findings: Iterable[Finding]) -> Iterator[Sample]:
    rows = Counter((f.id, f.status.value, f.action.value) for f in findings if f.status in _TROUBLE)
    for (id, status, action), number in rows.items():
        yield {"id": id, "status": status, "action": action}, number


def _gauge(name: str, help: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {help}\n# TYPE {name} gauge\n"
    for labels, value in samples:
        written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{{{written}}} {value}\n" if written else f"{name} {value}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
