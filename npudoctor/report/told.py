"""Sentences that several formats say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.finding import Finding
    from npudoctor.report.report import Waiver


def waivers_told(waivers: Iterable[Waiver]) -> list[str]:
    """One sentence for each waiver that does not count any more, or that was of no use."""
    told = {"expired": _expired, "unmatched": _unmatched}
    return [told[waiver.state](waiver) for waiver in waivers if waiver.state in told]


def found(finding: Finding) -> str:
    """`found: A; expected: B`, as much of it as there is."""
    parts = [_("found: {actual}").format(actual=finding.actual)] if finding.actual else []
    if finding.expected:
        parts.append(_("expected: {expected}").format(expected=finding.expected))
    return _("; ").join(parts)


def proof_lines(finding: Finding) -> Iterator[str]:
    """The evidence, `source: line` each; `source:number: line` in files."""
    for proof in finding.evidence:
        source = proof.source if proof.line is None else f"{proof.source}:{proof.line}"
        yield from (f"{source}: {line}" for line in proof.text.splitlines())


def _expired(waiver: Waiver) -> str:
    return _("The waiver of {id} expired on {date} and does not count ({where}).").format(
        id=waiver.id, date=waiver.expires, where=waiver.where
    )


def _unmatched(waiver: Waiver) -> str:
    return _("The waiver of {id} on {hosts} matched nothing ({where}).").format(
        id=waiver.id, hosts=waiver.hosts, where=waiver.where
    )
