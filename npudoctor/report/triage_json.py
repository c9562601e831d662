"""The answer of triage as JSON: schema `npudoctor.triage/1`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.triage.diagnose import Cause
    from npudoctor.triage.gather import Sight
    from npudoctor.triage.verdict import Decoded, Verdict

SCHEMA = "npudoctor.triage/1"


def to_json(verdict: Verdict) -> str:
    """The whole answer as indented JSON text."""
    document = {
        "schema": SCHEMA,
        "codes": [_code(decoded) for decoded in verdict.codes],
        "causes": [_cause(cause) for cause in verdict.causes],
        "timeline": [
            {"process": owner, **_line(sight), "time": time or None}
            for owner, time, sight in verdict.timeline
        ],
        "unexplained": [sight.line.text for sight in verdict.unexplained],
        "problems": list(verdict.problems),
        "passed_over": list(verdict.passed),
        "left_out": verdict.left_out,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _line(sight: Sight) -> dict[str, Any]:
    line = sight.line
    return {"file": line.file, "line": line.number, "time": line.time or None, "text": line.text.strip()}


def _code(decoded: Decoded) -> dict[str, Any]:
    code = decoded.code
    return {
        "code": code.code,
        "name": code.name or None,
        "family": code.family,
        "meaning": _(code.meaning),
        "count": decoded.count,
        "first": _line(decoded.first),
        "catch_all": code.catch_all,
        "same_as": [f"{family} {number}" for family, number in code.others],
        "source": code.source,
    }


def _cause(cause: Cause) -> dict[str, Any]:
    signature = cause.signature
    return {
        "id": signature.id,
        "category": signature.category,
        "title": _(signature.title),
        "confidence": cause.confidence,
        "because": [_line(sight) for sight in cause.because],
        "count": cause.count,
        "processes": cause.owners,
        "host_evidence": [finding.id for finding in (*cause.agree, *cause.disagree)],
        "agrees": [finding.id for finding in cause.agree],
        "disagrees": [finding.id for finding in cause.disagree],
        "set_off": list(cause.folded),
        "fix": {"summary": _(signature.fix.summary), "commands": list(signature.fix.commands)},
        "look": list(signature.look),
        "references": list(signature.references),
    }
