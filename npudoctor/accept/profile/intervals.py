"""Stretches of time on one device, in whole nanoseconds: 1.7e15 us with three decimals fit no float."""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable


class Intervals:
    """Starts and ends, as they come; ns, two integers each."""

    __slots__ = ("ends", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.ends = array("q")

    def add(self, start: int, end: int) -> None:
        """One stretch."""
        self.starts.append(start)
        self.ends.append(end)

    def extend(self, other: Intervals) -> None:
        """All of `other`."""
        self.starts.extend(other.starts)
        self.ends.extend(other.ends)

    def __len__(self) -> int:
        return len(self.starts)

    def total(self) -> int:
        """The sum of all lengths; what overlaps counts twice."""
        return sum(self.ends) - sum(self.starts)


@dataclass(frozen=True, slots=True)
class Union:
    """Stretches that overlap made one.

    Attributes:
        start: The first start, ns.
        end: The last end, ns.
        covered: How much of it is covered, ns.
        gaps: The lengths of the holes between, ns.
    """

    start: int
    end: int
    covered: int
    gaps: array[int]


def union(several: Iterable[Intervals]) -> Union:
    """The union of all; empty where there is nothing."""
    merged = Intervals()
    for one in several:
        merged.extend(one)
    if not len(merged):
        return Union(0, 0, 0, array("q"))
    return _merge(_in_order(merged))


def inside(inner: Intervals, outer: Intervals) -> tuple[Intervals, Intervals]:
    """`inner` as those that lie wholly within the union of `outer`, and the others."""
    from bisect import bisect_right

    starts, ends = _merged(outer)
    within, without = Intervals(), Intervals()
    for start, end in zip(inner.starts, inner.ends, strict=True):
        at = bisect_right(starts, start) - 1
        (within if at >= 0 and end <= ends[at] else without).add(start, end)
    return within, without


def _in_order(intervals: Intervals) -> Iterable[tuple[int, int]]:
    pairs = zip(intervals.starts, intervals.ends, strict=True)
    in_order = all(one <= two for one, two in pairwise(intervals.starts))
    return pairs if in_order else sorted(pairs)


def _merge(pairs: Iterable[tuple[int, int]]) -> Union:
    gaps = array("q")
    first = reached = None
    for start, end in pairs:
        if first is None or reached is None:
            first, reached = start, end
        elif start > reached:
            gaps.append(start - reached)
            reached = end
        elif end > reached:
            reached = end
    assert first is not None
    assert reached is not None
    return Union(first, reached, reached - first - sum(gaps), gaps)


def _merged(intervals: Intervals) -> tuple[array[int], array[int]]:
    starts, ends = array("q"), array("q")
    for start, end in _in_order(intervals):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return starts, ends
