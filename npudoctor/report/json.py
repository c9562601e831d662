"""The report as JSON: schema `npudoctor.report/1`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.fact import Evidence
    from npudoctor.finding import Edit, Finding, Fix
    from npudoctor.report.report import HostReport, Report, Waiver
    from npudoctor.report.style import Style

SCHEMA = "npudoctor.report/1"


def to_json(report: Report, _style: Style, _ending: str) -> Iterator[str]:
    """The whole report as indented JSON text, one host at a time."""
    head = _text(_head(report))
    yield head.removesuffix("\n}") + ',\n  "hosts": ['
    mark = ""
    for host in report.hosts:
        yield f"{mark}\n    " + _text(_host(host)).replace("\n", "\n    ")  # no text holds a bare line feed
        mark = ","
    fleet = _text({"fleet": [_finding(finding) for finding in report.fleet]}).removeprefix("{")
    yield ("\n  ]," if mark else "],") + fleet + "\n"


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False)


def _head(report: Report) -> dict[str, Any]:
    counts = {status.value: number for status, number in report.counts.items()}
    return {
        "schema": SCHEMA,
        "tool": {"name": "npudoctor", "version": report.version},
        "when": report.when or None,
        "matrix": {"updated": report.matrix_updated, "sha256": report.matrix_sha256},
        "summary": {"hosts": len(report.hosts), **counts},
        "waivers": [_waiver(waiver) for waiver in report.waivers],
    }


def _waiver(waiver: Waiver) -> dict[str, Any]:
    return {
        "id": waiver.id,
        "hosts": waiver.hosts,
        "reason": waiver.reason,
        "owner": waiver.owner or None,
        "expires": waiver.expires or None,
        "where": waiver.where,
        "state": waiver.state,
    }


def _host(host: HostReport) -> dict[str, Any]:
    return {
        "name": host.name,
        "source": host.source,
        "path": host.path or None,
        "status": host.status.value,
        "error": host.error,
        "about": dict(host.about),
        "findings": [_finding(finding) for finding in host.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    row = {
        "id": finding.id,
        "status": finding.status.value,
        "title": finding.title,
        "actual": finding.actual,
        "expected": finding.expected,
        "action": finding.action.value,
        "seconds": finding.seconds,
        "evidence": [_evidence(line) for line in finding.evidence],
        "fix": _fix(finding.fix),
        "references": list(finding.references),
    }
    return row if finding.waiver is None else {**row, "waiver": finding.waiver}


def _evidence(evidence: Evidence) -> dict[str, Any]:
    row = {"source": evidence.source, "text": evidence.text}
    return row if evidence.line is None else {**row, "line": evidence.line}


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    row = {"summary": fix.summary, "commands": list(fix.commands), "role": fix.role}
    return {**row, "edits": [_edit(edit) for edit in fix.edits]} if fix.edits else row


def _edit(edit: Edit) -> dict[str, Any]:
    return {"path": edit.path, "line": edit.line, "before": edit.before, "after": edit.after}
