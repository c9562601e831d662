"""What is summed up of one device while its tables are read."""

from __future__ import annotations

from npudoctor.accept.profile.intervals import Intervals
from npudoctor.accept.profile.layouts import kind_of_task, pattern

_NOT_OPERATORS = ("communication", "transfer", "wait")


class Entry:
    """The tasks of one type on one kind of core: how many, how long (ns), and when."""

    __slots__ = ("count", "kind", "ratio", "spans", "time", "type")

    def __init__(self, type: str, kind: str, spans: Intervals) -> None:
        self.type, self.kind, self.spans = type, kind, spans
        self.count = self.time = 0
        self.ratio: float | None = None  # per cent of the operators' time, where a table says so

    @property
    def is_operator(self) -> bool:
        """No communication, no transfer, no wait."""
        return self.kind not in _NOT_OPERATORS


class Tally:
    """One device's tasks.

    Attributes:
        entries: By type and core.
        spans: When something of a kind ran: `work`, `copy`, `communication`, `transfer`, `wait`.
        receive_ns: Time in receives of a pipeline.
        wait_ns: Of the communication's time, what was waiting; None where nothing says it.
        moving_ns: Of the communication's time, what was not waiting.
        bubble_ns: What the profiler's own step table calls Bubble; None where there is no such table.
        directions: Time of copies by direction (`host to device`), ns.
        communication_ns: Time of collectives out of a table that has no times of day.
        timed: Whether the tasks have times of day at all.
        placed: Whether it is known what the operators run on.
    """

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], Entry] = {}
        self.spans: dict[str, Intervals] = {}
        self.wait_ns: int | None = None
        self.moving_ns = 0
        self.bubble_ns: int | None = None
        self.directions: dict[str, int] = {}
        self.communication_ns: int | None = None

    @property
    def timed(self) -> bool:
        """Whether any operator or collective has a time of day."""
        return any(len(self.spans.get(name, ())) for name in ("work", "communication"))

    @property
    def placed(self) -> bool:
        """Whether anything tells what an operator runs on: a light profile may not."""
        known = [
            core not in ("", "N/A") for (_type, core), entry in self.entries.items() if entry.is_operator
        ]
        return not known or any(known)

    @property
    def communicates(self) -> bool:
        """Whether a collective is among the tasks."""
        return any(entry.kind == "communication" for entry in self.entries.values())

    @property
    def receive_ns(self) -> int:
        """Time in receives of a pipeline, ns."""
        receive = pattern("operators", "receive")
        return sum(
            entry.time
            for entry in self.entries.values()
            if entry.kind == "communication" and receive.fullmatch(entry.type)
        )

    def entry(self, type: str, core: str) -> Entry:
        """The entry of this type on this core, made where it is new."""
        found = self.entries.get((type, core))
        if found is None:
            kind = kind_of_task(core, type)
            group = kind if kind in _NOT_OPERATORS else "work"
            found = self.entries[type, core] = Entry(type, kind, self.span(group))
        return found

    def span(self, group: str) -> Intervals:
        """The stretches of a group."""
        return self.spans.setdefault(group, Intervals())

    def operators(self) -> list[Entry]:
        """The entries that are operators: no communication, no transfers, no waits."""
        return [entry for entry in self.entries.values() if entry.is_operator]

    def of_kind(self, kind: str) -> int:
        """Time of all tasks of a kind, ns."""
        return sum(entry.time for entry in self.entries.values() if entry.kind == kind)
