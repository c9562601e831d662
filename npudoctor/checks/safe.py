"""A finding as it may be printed: reports are passed on, and a line of them may hold a password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.redact.quick import may_hold_secret

if TYPE_CHECKING:
    from npudoctor.fact import Evidence
    from npudoctor.finding import Finding, Fix


def safe(finding: Finding) -> Finding:
    """The same with each secret in its texts replaced by one word; names and addresses stay."""
    commands = finding.fix.commands if finding.fix else ()
    texts = (finding.actual, finding.expected, *commands, *(line.text for line in finding.evidence))
    return _redacted(finding) if may_hold_secret("\n".join(texts)) else finding


def _redacted(finding: Finding) -> Finding:
    from dataclasses import replace

    from npudoctor.collect.redact.secrets import redact_words

    def line(line: Evidence) -> Evidence:
        return replace(line, text=redact_words(line.text))

    def fix(fix: Fix) -> Fix:
        return replace(fix, commands=tuple(redact_words(command) for command in fix.commands))

    return replace(
        finding,
        actual=redact_words(finding.actual),
        expected=redact_words(finding.expected),
        evidence=tuple(line(each) for each in finding.evidence),
        fix=fix(finding.fix) if finding.fix else None,
    )
