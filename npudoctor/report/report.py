"""The one thing that every format is a function of: what was judged, host by host."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING

from npudoctor import __version__
from npudoctor.dataclass import dataclass
from npudoctor.finding import Finding, Status
from npudoctor.spill import Spill

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_WORST_OF_A_HOST = (Status.FAIL, Status.UNKNOWN, Status.WARN, Status.PASS, Status.WAIVED, Status.SKIP)


@dataclass(frozen=True, slots=True)
class HostReport:
    """What was found on one host.

    Attributes:
        name: As the user knows it.
        source: `local`, `ssh`, `container`, `bundle`, `sample`, or `files` for deployment files.
        findings: One a check, in the order of their ids.
        error: Why the host could not be read, wholly or in part; None where it was.
        about: What the host is, for headings: `{"npu": "8 × 910B3", "driver": "24.1.rc3", …}`.
        path: The bundle as it was named on the command line; empty for other sources.
    """

    name: str
    source: str
    findings: tuple[Finding, ...] = ()
    error: str | None = None
    about: dict[str, str] = field(default_factory=dict)
    path: str = ""

    @property
    def status(self) -> Status:
        """The worst of the findings; `unknown` where there is none."""
        there = {finding.status for finding in self.findings}
        return next((status for status in _WORST_OF_A_HOST if status in there), Status.UNKNOWN)


class HostReports(Spill[HostReport]):
    """The reports of many hosts in the order of the hosts, on a disk, with what they add up to.

    Attributes:
        counts: How many findings have each status.
        incomplete: Whether a host could not be read, wholly or in part.
    """

    def __init__(self) -> None:
        super().__init__()
        self.counts = count(())
        self.incomplete = False

    def put(self, place: int, thing: HostReport) -> None:
        """Keep the report of one host; raises `NpudoctorError` where the disk is full."""
        super().put(place, thing)
        for finding in thing.findings:
            self.counts[finding.status] += 1
        self.incomplete = self.incomplete or bool(thing.error)


@dataclass(frozen=True, slots=True)
class Waiver:
    """A finding that the user accepts, and what became of the waiver in this run.

    Attributes:
        id: A glob of check ids.
        reason: Why it is accepted.
        hosts: A glob of host names.
        owner: Who answers for it; empty where nobody is named.
        expires: The last day on which it counts, `YYYY-MM-DD`; empty for ever.
        where: `file:line` of the row.
        state: `used`, `expired`, `unmatched` (nothing was found that it speaks of), or `not-asked` (none of
            its checks was made).
    """

    id: str
    reason: str
    hosts: str = "*"
    owner: str = ""
    expires: str = ""
    where: str = ""
    state: str = "unmatched"


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run judged.

    Attributes:
        hosts: In the order they were given. Of many hosts they lie on a disk: go over them, keep none.
        fleet: Findings about the hosts together.
        matrix_updated: The date of the compatibility matrix, `YYYY-MM-DD`.
        matrix_sha256: Of its file.
        version: Of the npudoctor that judged.
        when: The end of the run, `YYYY-MM-DDTHH:MM:SSZ`; empty where an earlier npudoctor did not say.
        waivers: Those that were given to the run.
    """

    hosts: Collection[HostReport]
    fleet: tuple[Finding, ...] = ()
    matrix_updated: str = ""
    matrix_sha256: str = ""
    version: str = __version__
    when: str = ""
    waivers: tuple[Waiver, ...] = ()

    @property
    def findings(self) -> Iterator[Finding]:
        """Every finding, of every host and of the fleet."""
        for host in self.hosts:
            yield from host.findings
        yield from self.fleet

    @property
    def counts(self) -> dict[Status, int]:
        """How many findings have each status."""
        if not isinstance(self.hosts, HostReports):
            return count(self.findings)
        fleet = count(self.fleet)
        return {status: number + fleet[status] for status, number in self.hosts.counts.items()}

    @property
    def incomplete(self) -> bool:
        """Whether a host could not be read, wholly or in part."""
        if isinstance(self.hosts, HostReports):
            return self.hosts.incomplete
        return any(host.error for host in self.hosts)


def count(findings: Iterable[Finding]) -> dict[Status, int]:
    """How many of the findings have each status; 0 where none has."""
    counted = Counter(finding.status for finding in findings)
    return {status: counted[status] for status in Status}
