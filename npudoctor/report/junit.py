"""The report as JUnit XML, for Jenkins, GitLab and whatever reads tests: a suite a host, a case a check.

A `fail` is a failure, a host that could not be read an error. `unknown`, `waived` and `skip` are skipped
cases that say why; a `warn` passes and says so in its output, since JUnit has no word for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from npudoctor.finding import Finding, Status
from npudoctor.regex import regex
from npudoctor.report.names import findings_apart, hosts_apart
from npudoctor.report.report import count
from npudoctor.report.told import found, proof_lines, waivers_told
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from npudoctor.report.report import HostReport, Report, Waiver
    from npudoctor.report.style import Style

_NOT_IN_XML = regex(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SKIPPED = (Status.UNKNOWN, Status.WAIVED, Status.SKIP)


def to_junit(report: Report, _style: Style, _ending: str) -> Iterator[str]:
    """The whole report, a suite at a time."""
    errors = sum(host.error is not None for host in report.hosts)
    counts = report.counts
    tests = sum(counts.values()) + errors + len(waivers_told(report.waivers))
    total = {"tests": tests, "failures": counts[Status.FAIL], "errors": errors}
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites{_attributes(name='npudoctor', **total)}>\n"
    for name, host in hosts_apart(report.hosts):
        yield from _suite(name, host.findings, host, report)
    if report.fleet:
        yield from _suite("fleet", report.fleet, None, report)
    yield from _waivers(report.waivers)
    yield "</testsuites>\n"


def _suite(name: str, findings: Iterable[Finding], host: HostReport | None, report: Report) -> Iterator[str]:
    findings = tuple(findings)
    counts = count(findings)
    error = host.error if host else None
    head = _attributes(
        name=name,
        tests=len(findings) + (error is not None),
        failures=counts[Status.FAIL],
        errors=int(error is not None),
        skipped=sum(counts[status] for status in _SKIPPED),
        time=_seconds(sum(finding.seconds for finding in findings)),
        timestamp=report.when.removesuffix("Z"),
        hostname=host.name if host else "",
    )
    yield f"  <testsuite{head}>\n"
    yield from _properties(host)
    if error is not None:
        yield _case("read", name, 0, f"<error{_attributes(type='unreadable', message=error)}/>")
    for id, finding in findings_apart(findings):
        yield _case(id, name, finding.seconds, _outcome(finding))
    yield "  </testsuite>\n"


def _waivers(waivers: Sequence[Waiver]) -> Iterator[str]:
    """Those that no longer count or matched nothing: skipped, so that they are seen and fail nothing."""
    told = waivers_told(waivers)
    if not told:
        return
    head = _attributes(name="waivers", tests=len(told), failures=0, errors=0, skipped=len(told))
    yield f"  <testsuite{head}>\n"
    for number, sentence in enumerate(told, 1):
        yield _case(f"waiver {number}", "waivers", 0, f"<skipped{_attributes(message=sentence)}/>")
    yield "  </testsuite>\n"


def _properties(host: HostReport | None) -> Iterator[str]:
    if host is None:
        return
    yield "    <properties>\n"
    for name, value in {"source": host.source, **host.about}.items():
        yield f"      <property{_attributes(name=name, value=value)}/>\n"
    yield "    </properties>\n"


def _case(name: str, suite: str, seconds: float, outcome: str) -> str:
    head = f"    <testcase{_attributes(name=name, classname=suite, time=_seconds(seconds))}"
    return f"{head}>{outcome}</testcase>\n" if outcome else f"{head}/>\n"


def _outcome(finding: Finding) -> str:
    if finding.status is Status.FAIL:
        head = _attributes(type=finding.status.value, message=f"{finding.title}: {found(finding)}")
        return f"<failure{head}>{_text(_told(finding))}</failure>"
    if finding.status in _SKIPPED:
        why = finding.waiver if finding.status is Status.WAIVED else finding.actual
        return f"<skipped{_attributes(message=f'{finding.status.value}: {why}')}/>"
    if finding.status is Status.WARN:
        told = f"WARN {finding.title}: {found(finding)}\n{_told(finding)}"
        return f"<system-out>{_text(told)}</system-out>"
    return ""


def _told(finding: Finding) -> str:
    """What proves it, what to do, what to type and where that is known from."""
    lines = [*proof_lines(finding)]
    if finding.fix:
        lines.append(finding.fix.summary)
        lines += [f"$ {command}" for command in finding.fix.commands]
    lines += [_("source: {source}").format(source=source) for source in finding.references]
    return "\n".join(lines)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _text(text: str) -> str:
    return escape(_NOT_IN_XML.sub("", text))


def _attributes(**values: object) -> str:
    kept = {name: _NOT_IN_XML.sub("", str(value)) for name, value in values.items() if value != ""}
    return "".join(f" {name}={quoteattr(value)}" for name, value in kept.items())
