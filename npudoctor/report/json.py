"""The report as JSON: schema `npudoctor.report/1`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from npudoctor.fact import Evidence
    from npudoctor.finding import Edit, Finding, Fix
    from npudoctor.report.report import HostReport, Report

SCHEMA = "npudoctor.report/1"


def to_json(report: Report) -> str:
    """The whole report as indented JSON text."""
    return json.dumps(document(report), indent=2, ensure_ascii=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain Python, with the keys of the schema."""
    counts = {status.value: number for status, number in report.counts.items()}
    return {
        "schema": SCHEMA,
        "tool": {"name": "npudoctor", "version": report.version},
        "matrix": {"updated": report.matrix_updated, "sha256": report.matrix_sha256},
        "summary": {"hosts": len(report.hosts), **counts},
        "hosts": [_host(host) for host in report.hosts],
        "fleet": [_finding(finding) for finding in report.fleet],
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
