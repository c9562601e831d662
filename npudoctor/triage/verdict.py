"""The whole answer to a dump: its codes, its causes, when each process first failed, what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.triage.diagnose import diagnose
from npudoctor.triage.signatures import signatures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from npudoctor.finding import Finding
    from npudoctor.triage.codes import Code
    from npudoctor.triage.diagnose import Cause
    from npudoctor.triage.gather import Sight

MOST_UNEXPLAINED = 50
MOST_PROCESSES = 200


@dataclass(frozen=True, slots=True)
class Decoded:
    """One code of the dump: how often, and where first."""

    code: Code
    count: int
    first: Sight


@dataclass(frozen=True, slots=True)
class Verdict:
    """What triage says of a dump.

    Attributes:
        codes: In the order in which they began.
        causes: Most likely first.
        timeline: The first error of each process, and when, in their order; at most `MOST_PROCESSES`. The
            line is that of the first process that said the same.
        unexplained: Errors that no signature and no code explains; at most `MOST_UNEXPLAINED`.
        problems: What could not be read wholly.
        passed: What is no log.
        left_out: Lines of kinds that are more than are kept.
    """

    codes: tuple[Decoded, ...] = ()
    causes: tuple[Cause, ...] = ()
    timeline: tuple[tuple[str, str, Sight], ...] = ()
    unexplained: tuple[Sight, ...] = ()
    problems: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    left_out: int = 0

    def shown(self) -> Iterator[Sight]:
        """All that a report may show a line of."""
        yield from (decoded.first for decoded in self.codes)
        yield from (sight for cause in self.causes for sight in cause.because)
        yield from (sight for _owner, _time, sight in self.timeline)
        yield from self.unexplained


def judge_dump(
    sights: Sequence[Sight],
    findings: Mapping[str, Finding],
    problems: Iterable[str] = (),
    passed: Iterable[str] = (),
    left_out: int = 0,
) -> Verdict:
    """The answer to the sights of a dump, in their order, weighed by the findings of its host."""
    causes = diagnose(sights, signatures(), findings)
    used = {id(sight) for cause in causes for sight in cause.explains}
    left = [sight for sight in sights if sight.error and not sight.codes and id(sight) not in used]
    return Verdict(
        tuple(_codes(sights)),
        tuple(causes),
        tuple(_timeline(sights))[:MOST_PROCESSES],
        tuple(left[:MOST_UNEXPLAINED]),
        tuple(problems),
        tuple(passed),
        left_out,
    )


def _codes(sights: Iterable[Sight]) -> list[Decoded]:
    found: dict[tuple[str, str], Decoded] = {}
    for sight in sights:
        for code in sight.codes:
            before = found.get((code.family, code.code))
            count = sight.count + (before.count if before else 0)
            found[code.family, code.code] = Decoded(code, count, before.first if before else sight)
    return list(found.values())


def _timeline(sights: Iterable[Sight]) -> list[tuple[str, str, Sight]]:
    first: dict[str, tuple[str, str, Sight]] = {}
    for sight in sights:
        if sight.error or sight.codes:
            for owner, time in (sight.owners or {sight.line.file: sight.line.time}).items():
                known = first.get(owner)
                if known is None or (time and _moment(time, known[1]) < _moment(known[1], time)):
                    first[owner] = (owner, time, sight)
    times = [time for _owner, time, _sight in first.values()]
    return sorted(first.values(), key=lambda row: (not row[1], _moment(row[1], *times)))


def _moment(time: str, *others: str) -> str:
    """A time as it compares with others: without the year where one of them has none."""
    return time[5:] if any(other.startswith("0000") for other in (time, *others)) else time
