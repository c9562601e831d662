"""From the sights of a dump to ranked causes: what matches, what set off what, what the host says."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.finding import Finding, Status
from npudoctor.triage import by_code, by_exception
from npudoctor.triage.index import Index

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from npudoctor.triage.gather import Sight
    from npudoctor.triage.signatures import Signature

CONFIDENCE = {"states": 0.9, "implies": 0.7, "hints": 0.4, "code": 0.3, "exception": 0.25}
"""By grade; see `docs/triage.md` for how often each was right on recorded dumps."""
LIFT = 0.6
"""What agreeing findings of the host take away from the doubt."""
LOWER = 0.45
"""What disagreeing ones leave of the confidence."""
BEHIND = 0.6
"""What is left to a cause of another kind that began later than the first."""
QUOTED = 0.5
"""What is left to a cause of which all lines stand in texts that only quote errors."""
WARNED = 0.5
"""What is left to a cause of which all lines say themselves that they are no error."""
MOST_CAUSES = 8
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Cause:
    """One possible cause.

    Attributes:
        signature: What it is.
        confidence: 0 to 1; below a half it is a candidate.
        because: The lines that speak for it, first ones first, at most three.
        count: How many lines of the dump said so.
        owners: How many processes said so; 0 where the lines do not say whose they are.
        agree: Findings of the host that speak for it; `disagree`: against.
        folded: What it set off, as signature ids.
        explains: All lines that speak for it or for what it set off.
    """

    signature: Signature
    confidence: float
    because: tuple[Sight, ...]
    count: int
    owners: int
    agree: tuple[Finding, ...] = ()
    disagree: tuple[Finding, ...] = ()
    folded: tuple[str, ...] = ()
    explains: tuple[Sight, ...] = ()


@dataclass(frozen=True, slots=True)
class _Match:
    """A signature whose conditions hold, and the sights that made them hold."""

    signature: Signature
    sights: tuple[Sight, ...]

    @property
    def began(self) -> tuple[bool, tuple[str, int, int]]:
        """When the first of them came."""
        return self.sights[0].when


def diagnose(
    sights: Sequence[Sight], signatures: Sequence[Signature], findings: Mapping[str, Finding]
) -> list[Cause]:
    """The causes of a dump, most likely first.

    Args:
        sights: Of the dump, in their order.
        signatures: That may match.
        findings: Of the host that it came from, by check id; empty where nothing is known of it.
    """
    index = Index(sights, signatures)
    matches = [match for signature in signatures if (match := _match(signature, index))]
    matches += _less_sure(matches, sights)
    leading, folded = _fold(matches)
    by_id = {match.signature.id: match for match in matches}
    causes = [
        _cause(match, leading, findings, [by_id[name] for name in folded[match.signature.id]])
        for match in leading
    ]
    causes.sort(key=lambda cause: (-cause.confidence, cause.signature.late, cause.because[0].when))
    return causes[:MOST_CAUSES]


def _less_sure(matches: Sequence[_Match], sights: Sequence[Sight]) -> list[_Match]:
    """What codes speak of beyond the signatures; where neither knows but what follows, what exceptions do."""
    explained = {id(sight) for match in matches for sight in match.sights}
    kinds = {match.signature.category for match in matches}
    alone = by_code.candidates(sight for sight in sights if id(sight) not in explained)
    coded = [_Match(signature, lines) for signature, lines in alone if signature.category not in kinds]
    if coded or not all(match.signature.late for match in matches):
        return coded
    unexplained = (sight for sight in sights if id(sight) not in explained)
    return [_Match(signature, lines) for signature, lines in by_exception.candidates(unexplained)]


def _match(signature: Signature, index: Index) -> _Match | None:
    if any(map(index.on, signature.none)):
        return None
    needed = [index.on(condition) for condition in signature.all]
    choices = [sight for condition in signature.any for sight in index.on(condition)]
    if not all(needed) or (signature.any and not choices):
        return None
    unique = {id(sight): sight for sight in itertools.chain(*needed, choices)}
    return _Match(signature, tuple(sorted(unique.values(), key=lambda sight: sight.when)))


def _fold(matches: Sequence[_Match]) -> tuple[list[_Match], dict[str, tuple[str, ...]]]:
    """Those that nothing else set off, and what each of them did."""
    by_id = {match.signature.id: match for match in matches}
    off = {match.signature.id: _set_off(match.signature.id, by_id) for match in matches}
    gone = {name for cause, names in off.items() for name in names if cause not in off.get(name, ())}
    leading = [match for match in matches if match.signature.id not in gone]
    return [match for match in leading if not _is_said_better(match, leading)], off


def _is_said_better(match: _Match, others: Sequence[_Match]) -> bool:
    """Whether another of its kind that says more rests on the same lines."""
    mine = {id(sight) for sight in match.sights}
    weight = CONFIDENCE[match.signature.grade]
    better = [
        other
        for other in others
        if other.signature.category == match.signature.category
        and CONFIDENCE[other.signature.grade] > weight
        and not match.signature.speak_for
    ]
    return any(mine <= {id(sight) for sight in other.sights} for other in better)


def _set_off(name: str, by_id: Mapping[str, _Match]) -> tuple[str, ...]:
    """The ids that follow from one, over any number of steps."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for next_id in by_id[waiting.pop()].signature.sets_off:
            if next_id in by_id and next_id not in found and next_id != name:
                found[next_id] = None
                waiting.append(next_id)
    return tuple(found)


def _cause(
    match: _Match, leading: Sequence[_Match], findings: Mapping[str, Finding], folded: Sequence[_Match]
) -> Cause:
    signature = match.signature
    told = {name: finding for name, finding in findings.items() if finding.status is not Status.SKIP}
    agree, disagree = _speak(signature, told)
    weight = CONFIDENCE[signature.grade] * _behind(match, leading) * _meant(match)
    confidence = _weighed(weight, bool(agree), bool(disagree))
    return Cause(
        signature,
        round(confidence, 2),
        because=match.sights[:_SHOWN],
        count=sum(sight.count for sight in match.sights),
        owners=len({owner for sight in match.sights for owner in sight.owners}),
        agree=agree,
        disagree=disagree,
        folded=tuple(other.signature.id for other in folded),
        explains=tuple(sight for each in (match, *folded) for sight in each.sights),
    )


def _speak(
    signature: Signature, told: Mapping[str, Finding]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings of the host that agree, and those that disagree."""
    bad = (Status.FAIL, Status.WARN)
    mine = [told[name] for name in signature.speak_for if name in told]
    rivals = [told[name] for name in signature.speak_against if name in told]
    agree = tuple(finding for finding in mine if finding.status in bad)
    against = [finding for finding in mine if finding.status is Status.PASS]
    return agree, (*against, *(finding for finding in rivals if finding.status in bad))


def _weighed(confidence: float, agree: bool, disagree: bool) -> float:
    if agree:
        return confidence + (1 - confidence) * LIFT
    return confidence * LOWER if disagree else confidence


def _meant(match: _Match) -> float:
    """Less where nothing of it is written as an error of the program that ran."""
    if all(sight.quoted for sight in match.sights):
        return QUOTED
    return WARNED if all(sight.mild for sight in match.sights) else 1.0


def _explains_waiting(match: _Match) -> bool:
    """Whether it may be what others waited for; a code alone is too little for that."""
    return not match.signature.late and match.signature.grade != "code"


def _behind(match: _Match, leading: Sequence[_Match]) -> float:
    """Less for a time-out, and for what came after a cause of another kind that says as much."""
    weight = CONFIDENCE[match.signature.grade]
    rivals = [other for other in leading if other.signature.category != match.signature.category]
    strong = [other for other in rivals if CONFIDENCE[other.signature.grade] >= weight]
    if match.signature.late and any(_explains_waiting(other) for other in leading if other is not match):
        return BEHIND
    earlier = [other for other in strong if not other.signature.late and other.began < match.began]
    return BEHIND if earlier else 1.0
