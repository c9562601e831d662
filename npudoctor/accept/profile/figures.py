"""The figures of one device: shares of its span, and of its operators' time."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from npudoctor.accept.profile.intervals import Intervals, Union, inside, union
from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from npudoctor.accept.profile.tally import Entry, Tally

LONG_WAIT_US = 10_000.0
"""A stream that waits longer is launched unevenly (founding report A)."""
_WHOLE = 99.0


@dataclass(frozen=True, slots=True)
class Operator:
    """All operators of one type: how often, how long, which share of the operators' time."""

    name: str
    kind: str
    count: int
    time_us: float
    share: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Where the time of a device went. Shares are 0 to 1, of the span; None where it cannot be known.

    Attributes:
        span_us: From the first task's start to the last one's end; None without times of day.
        op_time_us: Sum of the operators, without communication and without copies by the DMA engines.
        operators: By type, longest first.
        cube_share: Matmul, convolution and attention (and `vector`, `aicpu`, `copy` likewise).
        communication_share: Some collective was running.
        communication_exposed_share: A collective was running, and nothing else.
        free_share: Nothing was running.
        wait_ratio: Of the communication's time, what was waiting for other ranks.
        bubble_share: Waiting for the stage before in a pipeline.
        directions: Time of copies by direction, us.
        longest_wait_us: The longest wait of a stream, or stretch with nothing running.
        long_waits: How many of them are over 10 ms.
    """

    span_us: float | None
    op_time_us: float
    operators: tuple[Operator, ...]
    cube_share: float | None
    vector_share: float | None
    aicpu_share: float | None
    copy_share: float | None
    communication_share: float | None
    communication_exposed_share: float | None
    free_share: float | None
    wait_ratio: float | None
    bubble_share: float | None
    directions: dict[str, float]
    longest_wait_us: float | None
    long_waits: int

    @property
    def total_device_time_us(self) -> float:
        """The span, or the operators' time where there are no times of day."""
        return self.op_time_us if self.span_us is None else self.span_us


def figures_of(tally: Tally) -> Figures:
    """The figures of one device."""
    listed = sum(entry.time for entry in tally.operators())
    op_time = listed / _listed_share(tally.operators())
    communication, transfers = tally.span("communication"), _copies(tally)
    busy = union((tally.span("work"), communication, transfers))
    whole = busy.end - busy.start if tally.timed else op_time
    copied = transfers.total() if len(transfers) else tally.of_kind("transfer")
    shares = {kind: _share(tally.of_kind(kind), whole) for kind in ("cube", "vector")}
    longest, long = _waits(tally, busy)
    return Figures(
        span_us=whole / 1000 if tally.timed else None,
        op_time_us=op_time / 1000,
        operators=_operators(tally, op_time),
        cube_share=shares["cube"],
        vector_share=shares["vector"],
        aicpu_share=_share(tally.of_kind("aicpu"), whole) if tally.placed else None,
        copy_share=_share(tally.of_kind("copy") + copied, whole),
        communication_share=_communication(tally, whole),
        communication_exposed_share=_exposed(tally, busy, transfers, whole),
        free_share=_free(tally, busy, whole),
        wait_ratio=_wait_ratio(tally),
        bubble_share=_share(_bubble(tally), whole) if tally.timed else None,
        directions={way: taken / 1000 for way, taken in tally.directions.items()},
        longest_wait_us=longest / 1000 if tally.timed else None,
        long_waits=long,
    )


def _copies(tally: Tally) -> Intervals:
    """Transfers that are copies of the program's: those within a collective are its own."""
    transfers = tally.span("transfer")
    if not len(transfers) or tally.directions or not len(tally.span("communication")):
        return transfers
    return inside(transfers, tally.span("communication"))[1]


def _listed_share(operators: list[Entry]) -> float:
    """How much of the operators' time a table lists (0 to 1): a report may show the first few only."""
    ratios = [entry.ratio for entry in operators if entry.ratio is not None]
    total = sum(ratios)
    return total / 100 if len(ratios) == len(operators) and 0 < total < _WHOLE else 1.0


def _operators(tally: Tally, op_time: float) -> tuple[Operator, ...]:
    several: dict[str, list[Entry]] = {}
    for entry in tally.operators():
        several.setdefault(entry.type, []).append(entry)
    cut = _listed_share(tally.operators()) < 1
    made = [_operator(type, entries, op_time, cut) for type, entries in several.items()]
    return tuple(sorted(made, key=lambda one: -one.time_us))


def _operator(type: str, entries: list[Entry], op_time: float, cut: bool) -> Operator:
    taken = sum(entry.time for entry in entries)
    ratio = sum(entry.ratio or 0 for entry in entries) / 100
    longest = max(entries, key=lambda entry: entry.time)
    share = ratio if cut else taken / op_time if op_time else 0.0
    return Operator(type, longest.kind, sum(entry.count for entry in entries), taken / 1000, share)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _communication(tally: Tally, whole: float) -> float | None:
    if not tally.timed:
        return None
    if tally.communication_ns is not None:  # sums only
        return min(1.0, tally.communication_ns / whole)
    return _share(union([tally.span("communication")]).covered, whole)


def _exposed(tally: Tally, busy: Union, transfers: Intervals, whole: float) -> float | None:
    if not tally.timed or tally.communication_ns:
        return None
    if not len(tally.span("communication")):
        return _share(0.0, whole)
    return _share(busy.covered - union((tally.span("work"), transfers)).covered, whole)


def _free(tally: Tally, busy: Union, whole: float) -> float | None:
    if not tally.timed or tally.communication_ns:
        return None
    return _share(whole - busy.covered, whole)


def _wait_ratio(tally: Tally) -> float | None:
    if tally.wait_ns is None or not tally.wait_ns + tally.moving_ns:
        return None
    return tally.wait_ns / (tally.wait_ns + tally.moving_ns)


def _bubble(tally: Tally) -> int:
    return tally.bubble_ns if tally.bubble_ns is not None else tally.receive_ns


def _waits(tally: Tally, busy: Union) -> tuple[int, int]:
    """The longest wait of a stream or stretch with nothing running (ns), and how many are long."""
    spans = tally.span("wait")
    lengths = array("q", (end - start for start, end in zip(spans.starts, spans.ends, strict=True)))
    lengths.extend(busy.gaps)
    return max(lengths, default=0), sum(length > LONG_WAIT_US * 1000 for length in lengths)
