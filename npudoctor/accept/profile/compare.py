"""Two profiles, before and after a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from npudoctor.accept.profile.figures import Figures
    from npudoctor.accept.profile.profile import Profile

SLOWER = 1.05
"""Runs differ by themselves: only above this ratio is the second called slower."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The time of one type of operator before and after; 0 where it was not there."""

    name: str
    before_us: float
    after_us: float


@dataclass(frozen=True, slots=True)
class Change:
    """After divided by before.

    Attributes:
        total: Of the span where both have times of day, else of the operators' time.
        operators_time: Of the operators' time.
        calls: Of the number of operators launched.
        operators: By type, the largest difference first.
    """

    total: float | None
    operators_time: float | None
    calls: float | None
    operators: tuple[Moved, ...]

    @property
    def slower(self) -> bool:
        """Whether the second takes longer, by more than runs differ by themselves."""
        return self.total is not None and self.total > SLOWER


def change_of(before: Profile, after: Profile) -> Change:
    """What changed between two runs, on the devices that are judged."""
    old, new = before.lead.figures, after.lead.figures
    both = old.span_us is not None and new.span_us is not None
    total = _ratio(new.span_us, old.span_us) if both else _ratio(new.op_time_us, old.op_time_us)
    calls = _ratio(sum(one.count for one in new.operators), sum(one.count for one in old.operators))
    return Change(total, _ratio(new.op_time_us, old.op_time_us), calls, _moved(old, new))


def _moved(old: Figures, new: Figures) -> tuple[Moved, ...]:
    was = {one.name: one.time_us for one in old.operators}
    now = {one.name: one.time_us for one in new.operators}
    moved = [Moved(name, was.get(name, 0.0), now.get(name, 0.0)) for name in {**was, **now}]
    return tuple(sorted(moved, key=lambda one: -abs(one.after_us - one.before_us)))


def _ratio(after: float | None, before: float | None) -> float | None:
    return after / before if after is not None and before else None
