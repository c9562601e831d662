"""The report as SARIF 2.1.0, for code scanning: a rule a check, a result a finding that is no pass.

GitHub takes 25,000 results of a run; where there are more the worst are kept and a notification counts the
rest.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from npudoctor.finding import Finding, Status
from npudoctor.regex import regex
from npudoctor.report.told import found, waivers_told
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.fact import Evidence
    from npudoctor.finding import Edit
    from npudoctor.report.report import HostReport, Report
    from npudoctor.report.style import Style

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
_MOST_PROOFS = 100
_LEVELS = {Status.FAIL: "error", Status.WARN: "warning", Status.UNKNOWN: "none", Status.WAIVED: "note"}
_ADDRESS = regex(r"(https?://)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+/[!-~]*[\w/#=-]")
_Row = dict[str, Any]


def to_sarif(report: Report, _style: Style, _ending: str) -> Iterator[str]:
    """The whole report as one run, a result at a time."""
    rules = {finding.id: _rule(finding) for finding in report.findings}
    tool = {"driver": {"name": "npudoctor", "version": report.version, "rules": list(rules.values())}}
    yield f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{{\n"tool": {_json(tool)},\n'
    yield '"columnKind": "unicodeCodePoints",\n"results": ['
    index = {id: number for number, id in enumerate(rules)}
    written = left = 0
    for host, finding in _worst_first(report):
        if written == MOST_RESULTS:
            left += 1
            continue
        result = {"ruleIndex": index[finding.id], **_result(finding, host)}
        yield ("," if written else "") + "\n" + _json(result)
        written += 1
    yield f'\n],\n"invocations": [{_json(_invocation(report, left))}]}}]}}\n'


def _worst_first(report: Report) -> Iterator[tuple[HostReport | None, Finding]]:
    for status in _LEVELS:
        for host in report.hosts:
            yield from ((host, finding) for finding in host.findings if finding.status is status)
        yield from ((None, finding) for finding in report.fleet if finding.status is status)


def _rule(finding: Finding) -> _Row:
    sources = ", ".join(finding.references)
    why = _("`npudoctor explain {id}` says why it matters.").format(id=finding.id)
    text = f"{finding.title}. {why} " + _("source: {source}").format(source=sources)
    rule: _Row = {
        "id": finding.id,
        "shortDescription": {"text": finding.title},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["ascend", finding.id.partition(".")[0]], "precision": "high"},
    }
    address = next((found[0] for text in finding.references if (found := _ADDRESS.match(text))), None)
    if address:
        rule["helpUri"] = address if "://" in address else f"https://{address}"
    return rule


def _result(finding: Finding, host: HostReport | None) -> _Row:
    places = [_location(proof, host) for proof in finding.evidence[:_MOST_PROOFS]]
    first = places[0] if places else _location(None, host)
    result: _Row = {
        "ruleId": finding.id,
        "level": _LEVELS[finding.status],
        "message": {"text": _message(finding)},
        "locations": [first],
        "partialFingerprints": {"primaryLocationLineHash": _fingerprint(finding, host)},
        "properties": {"status": finding.status.value, "action": finding.action.value},
    }
    if places[1:]:
        result["relatedLocations"] = [{"id": number, **place} for number, place in enumerate(places[1:], 1)]
    if finding.status is Status.UNKNOWN:
        result["kind"] = "open"
    if finding.status is Status.WAIVED:
        result["suppressions"] = [{"kind": "external", "justification": finding.waiver or ""}]
    if finding.fix and finding.fix.edits:
        result["fixes"] = [_fix(finding.fix.summary, finding.fix.edits)]
    return result


def _message(finding: Finding) -> str:
    parts = [f"{finding.title}: {found(finding)}"]
    if finding.fix:
        parts += [finding.fix.summary, *(f"$ {command}" for command in finding.fix.commands)]
    return "\n".join(parts).replace("](", "] (")  # which would be a link


def _location(proof: Evidence | None, host: HostReport | None) -> _Row:
    """Of a deployment file its path and line; of a host, which is in no repository, a path below its name."""
    physical: _Row = {"artifactLocation": {"uri": _uri(proof, host)}}
    if proof and proof.line is not None:
        physical["region"] = {"startLine": max(1, proof.line), "snippet": {"text": proof.text}}
    elif host and host.source == "files":
        physical["region"] = {"startLine": 1}
    row: _Row = {"physicalLocation": physical}
    if host and host.source != "files":
        row["logicalLocations"] = [{"fullyQualifiedName": host.name, "kind": "module"}]
    return {**row, "message": {"text": proof.text}} if proof and proof.text else row


def _uri(proof: Evidence | None, host: HostReport | None) -> str:
    source = proof.source if proof else ""
    if host and host.source == "files":
        return _file(source if proof and proof.line is not None else host.name)
    return quote("/".join(part for part in (host.name if host else "fleet", source.strip("/")) if part))


def _file(path: str) -> str:
    """A path as the user typed it, as a URI: relative to where they are, where it is not absolute."""
    if path.startswith("/"):
        return "file://" + quote(path)
    return quote(path.removeprefix("./"))


def _fingerprint(finding: Finding, host: HostReport | None) -> str:
    """The same for the same finding in the next run, wherever its line has moved."""
    from hashlib import sha256

    line = " ".join(finding.evidence[0].text.split()) if finding.evidence else ""
    text = "\0".join((host.name.removeprefix("./") if host else "fleet", finding.id, line))
    return sha256(text.encode()).hexdigest()[:16] + ":1"


def _fix(summary: str, edits: Iterable[Edit]) -> _Row:
    changes = [
        {"artifactLocation": {"uri": _file(edit.path)}, "replacements": [_replacement(edit)]}
        for edit in edits
    ]
    return {"description": {"text": summary}, "artifactChanges": changes}


def _replacement(edit: Edit) -> _Row:
    """Whole lines go, whole lines come; the line end stays, since the last line of a file may have none."""
    before = edit.before.split("\n")
    last = edit.line + len(before) - 1
    end = {"endLine": last, "endColumn": len(before[-1]) + 1}
    if not edit.after:
        end = {"endLine": last + 1, "endColumn": 1}
    region = {"startLine": edit.line, "startColumn": 1, **end}
    return {"deletedRegion": region, "insertedContent": {"text": edit.after}}


def _invocation(report: Report, left: int) -> _Row:
    """Whether all was read, and what was not; what the reader should know besides the results."""
    said = [_notice("error", f"{host.name}: {host.error}") for host in report.hosts if host.error]
    said += [_notice("warning", told) for told in waivers_told(report.waivers)]
    if left:
        said.append(_notice("warning", _("{count} results more are left out.").format(count=left)))
    row: _Row = {"executionSuccessful": not report.incomplete, "toolExecutionNotifications": said}
    return {**row, "endTimeUtc": report.when} if report.when else row


def _notice(level: str, text: str) -> _Row:
    return {"level": level, "message": {"text": text}}


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False)
