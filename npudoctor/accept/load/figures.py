"""From the record of each request to the figures of each step, and to the step that is too much.

A record is one line of JSON with `step`, `tokens`, `error` (null or text) and, in seconds, `late` (by how
much the request was sent after its time), `first` (or null) and `last` (how long after it was sent these
tokens came), `ended` (when it was over, from the start of the test) and `began` (that start, of the clock).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Record = dict[str, Any]
_KEPT_UP = 0.9
_FAILURES = 0.01
_LATE_MS = 50.0


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles, in milliseconds; None where nothing was measured."""

    p50: float | None
    p90: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """One step, or all of them.

    Attributes:
        rate: Requests a second that were sent; None for all steps together.
        requests: How many were sent.
        failures: How many of them failed.
        reasons: How often by reason, the most frequent first.
        latency: From sending to the last token; what ran into the time limit counts with the limit.
        ttft: Time to the first token.
        tpot: Time per output token after the first, of each request.
        requests_per_second: How fast the answers to these requests came; see `_pace`.
        tokens_per_second: Output tokens likewise.
        late: By how much the requests were sent after their time: of the machine that sends.
    """

    rate: float | None
    seconds: float
    requests: int
    failures: int
    reasons: tuple[tuple[str, int], ...]
    latency: Spread
    ttft: Spread
    tpot: Spread
    requests_per_second: float
    tokens_per_second: float
    late: Spread

    @property
    def failure_share(self) -> float | None:
        """Of all that were sent; None where none was."""
        return self.failures / self.requests if self.requests else None

    @property
    def kept_up(self) -> bool:
        """Whether the service answered about as many as were sent, and hardly any failed."""
        if self.rate is None or not self.requests:
            return True
        answered = self.requests_per_second >= _KEPT_UP * (self.requests - 1) / self.seconds
        return answered and self.failures <= _FAILURES * self.requests

    @property
    def sent_late(self) -> bool:
        """Whether the sending machine was too slow itself, so that the figures speak of it."""
        return self.late.p99 is not None and self.late.p99 > _LATE_MS


def figures_of(records: Iterable[Record], rates: Sequence[float], seconds: float) -> list[Figures]:
    """The figures of each step, in order.

    Args:
        records: All requests.
        rates: Of each step, requests a second.
        seconds: Of each step.
    """
    by_step: list[list[Record]] = [[] for _rate in rates]
    for record in records:
        by_step[record["step"]].append(record)
    return [_figures(rows, rate, seconds) for rows, rate in zip(by_step, rates, strict=True)]


def together(records: Sequence[Record], seconds: float) -> Figures:
    """The figures of the whole test."""
    return _figures(records, None, seconds)


def saturated(steps: Sequence[Figures]) -> Figures | None:
    """The first step that the service did not keep up with."""
    return next((step for step in steps if not step.kept_up), None)


def _figures(rows: Sequence[Record], rate: float | None, seconds: float) -> Figures:
    good = [row for row in rows if row["error"] is None]
    timed = [row for row in rows if row["error"] in (None, "time limit")]
    pace = _pace([row["ended"] for row in good], seconds)
    return Figures(
        rate,
        seconds,
        len(rows),
        len(rows) - len(good),
        _reasons(rows),
        _spread([row["last"] for row in timed]),
        _spread([row["first"] for row in good if row["first"] is not None]),
        _spread([each for row in good if (each := _per_token(row)) is not None]),
        pace,
        pace * sum(row["tokens"] for row in good) / len(good) if good else 0.0,
        _spread([row["late"] for row in rows]),
    )


def _pace(ends: list[float], seconds: float) -> float:
    """Answers a second, over the time in which the middle four fifths of them came.

    A service that keeps up answers as fast as it is asked, however long each answer takes; counting answers
    within the step would miss those that come after its end, and call long answers a slow service.
    """
    ends.sort()
    cut = len(ends) // 10
    middle = ends[cut : len(ends) - cut]
    if cut == 0 or middle[-1] <= middle[0]:
        return len(ends) / max([seconds, *ends[-1:]])
    return (len(middle) - 1) / (middle[-1] - middle[0])


def _per_token(row: Record) -> float | None:
    if row["first"] is None or row["tokens"] < 2:
        return None
    return float((row["last"] - row["first"]) / (row["tokens"] - 1))


def _reasons(rows: Iterable[Record]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for row in rows:
        if row["error"] is not None:
            counts[row["error"]] = counts.get(row["error"], 0) + 1
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _spread(seconds: list[float]) -> Spread:
    seconds.sort()
    return Spread(*(_percentile(seconds, share) for share in (0.5, 0.9, 0.99)))


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    """The nearest rank, in milliseconds."""
    if not ordered:
        return None
    rank = max(0, -(-len(ordered) * share // 1) - 1)
    return ordered[int(rank)] * 1000
