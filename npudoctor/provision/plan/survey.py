"""The doctor's own reading of the hosts: one round trip each, and of each only what a plan needs is kept."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError
from npudoctor.finding import Finding  # noqa: TC001 (dataclasses read it)
from npudoctor.host import Host
from npudoctor.provision.plan.ground import Ground, read_ground
from npudoctor.provision.plan.settings import checks as listened

if TYPE_CHECKING:
    from collections.abc import Callable

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.matrix import Matrix

_BLOCKING = ("os.supported",)


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One host as it was found.

    Attributes:
        domain: Rack or supernode; empty where the inventory names none.
        hccn: What the inventory says of the NPUs' own ports; see `Target`, so too for `wheels`,
            `docker` and `serving`.
        ground: The facts; None where it could not be read.
        findings: Of the checks that a plan listens to.
        statuses: Of all checks, by id: what it is compared with afterwards.
        error: Why it could not be read.
        login: Options and address for `ssh`, as the inventory has them.
    """

    name: str
    domain: str = ""
    ground: Ground | None = None
    findings: tuple[Finding, ...] = ()
    statuses: dict[str, str] = field(default_factory=dict)
    error: str = ""
    hccn: str = ""
    wheels: str = ""
    docker: str = ""
    serving: str = ""
    login: str = ""

    @property
    def arch(self) -> str:
        """`aarch64` or `x86_64`; empty where it could not be read."""
        return (self.ground.arch.or_none() or "") if self.ground else ""


def survey(
    name: str, read: Callable[[], Snapshot], matrix: Matrix, domain: str = "", hccn: str = ""
) -> Surveyed:
    """Read one host."""
    try:
        snapshot = read()
    except IncompleteError as error:
        return Surveyed(name, domain, error=str(error))
    if snapshot.problems:
        return Surveyed(name, domain, error="; ".join(snapshot.problems))
    return surveyed(name, snapshot, matrix, domain, hccn)


def surveyed(name: str, snapshot: Snapshot, matrix: Matrix, domain: str = "", hccn: str = "") -> Surveyed:
    """What a plan keeps of a snapshot."""
    from npudoctor.checks.registry import all_checks
    from npudoctor.checks.runner import run_checks

    host = Host(snapshot)
    findings = run_checks(all_checks(), host, matrix)
    kept = tuple(finding for finding in findings if finding.id in listened() or finding.id in _BLOCKING)
    statuses = {finding.id: finding.status.value for finding in findings}
    return Surveyed(name, domain, read_ground(host), kept, statuses, hccn=hccn)
