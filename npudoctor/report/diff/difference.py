"""The one thing that every format of `diff` is a function of."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.finding import Status

if TYPE_CHECKING:
    from npudoctor.finding import Finding

_RANK = {
    Status.FAIL: 0,
    Status.UNKNOWN: 1,
    Status.WARN: 2,
    Status.WAIVED: 3,
    Status.PASS: 4,
    Status.SKIP: 4,
}


class Direction(str, Enum):
    """What became of a finding from the first side to the second."""

    WORSE = "worse"
    BETTER = "better"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Change:
    """One check that says something else on the second side.

    Attributes:
        id: Of the check; with a number where a host has several findings of it.
        host: Its name; empty for findings about the hosts together.
        before: The finding of the first side; None where it has none.
        after: That of the second side.
    """

    id: str
    host: str
    before: Finding | None
    after: Finding | None

    @property
    def direction(self) -> Direction:
        """Worse or better by the status; other where the status is the same or one side was not checked."""
        if self.before is None or self.after is None:
            return Direction.OTHER
        before, after = _RANK[self.before.status], _RANK[self.after.status]
        if before == after:
            return Direction.OTHER
        return Direction.WORSE if after < before else Direction.BETTER

    @property
    def worst(self) -> int:
        """For sorting: the worse of both statuses."""
        return min(_RANK[side.status] for side in (self.before, self.after) if side)


@dataclass(frozen=True, slots=True)
class FactChange:
    """One fact that differs.

    Attributes:
        name: As in `facts.yaml`.
        before: Its value on the first side; None where it is not there.
        after: That of the second side.
    """

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Side:
    """What was compared.

    Attributes:
        name: As the user named it.
        kind: `report`, `local`, `ssh`, `container`, `bundle` or `sample`.
        hosts: The names of its hosts.
        when: The end of the run, where a report says so.
        error: Why it could not be read wholly, or None.
    """

    name: str
    kind: str
    hosts: tuple[str, ...]
    when: str = ""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that differs between two sides.

    Attributes:
        before: The first side.
        after: The second side.
        findings: The most important first.
        facts: Likewise; None where a side holds no facts, but findings only.
        gone: Hosts of the first side only.
        come: Hosts of the second side only.
        one_sided: How many checks were made on one side only and found nothing there.
        unread: How many findings and facts are held back, as a host was cut off before they were read.
    """

    before: Side
    after: Side
    findings: tuple[Change, ...]
    facts: tuple[FactChange, ...] | None
    gone: tuple[str, ...] = ()
    come: tuple[str, ...] = ()
    one_sided: int = 0
    unread: int = 0

    @property
    def same(self) -> bool:
        """Whether nothing differs that is worth telling."""
        return not (self.findings or self.facts or self.gone or self.come)

    @property
    def incomplete(self) -> bool:
        """Whether a side could not be read wholly."""
        return bool(self.before.error or self.after.error)
