"""A finding as it may be printed: reports are passed on, and a line of them may hold a password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.redact.quick import may_hold_secret

if TYPE_CHECKING:
    from npudoctor.fact import Evidence
    from npudoctor.finding import Edit, Finding, Fix


def safe(finding: Finding) -> Finding:
    """The same with each secret in its texts replaced by one word; names and addresses stay.

    A change of a line that holds a secret is left out: with a word in its place it could not be applied.
    """
    commands = finding.fix.commands if finding.fix else ()
    edits = finding.fix.edits if finding.fix else ()
    changed = (text for edit in edits for text in (edit.before, edit.after))
    texts = (finding.actual, finding.expected, *commands, *changed, *(line.text for line in finding.evidence))
    return _redacted(finding) if may_hold_secret("\n".join(texts)) else finding


def _redacted(finding: Finding) -> Finding:
    from dataclasses import replace

    from npudoctor.collect.redact.secrets import redact_words

    def line(line: Evidence) -> Evidence:
        return replace(line, text=redact_words(line.text))

    def is_safe(edit: Edit) -> bool:
        return all(redact_words(text) == text for text in (edit.before, edit.after))

    def fix(fix: Fix) -> Fix:
        commands = tuple(redact_words(command) for command in fix.commands)
        return replace(fix, commands=commands, edits=tuple(edit for edit in fix.edits if is_safe(edit)))

    return replace(
        finding,
        actual=redact_words(finding.actual),
        expected=redact_words(finding.expected),
        evidence=tuple(line(each) for each in finding.evidence),
        fix=fix(finding.fix) if finding.fix else None,
    )
