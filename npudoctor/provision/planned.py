"""What a plan holds: for each host what differs from the wanted stack, the steps, and what is in the way."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from npudoctor.dataclass import dataclass
from npudoctor.finding import Fix  # noqa: TC001 (dataclasses read it)

REBOOT_MINUTES = 8.0
"""A server with eight NPUs, from the asking until all of them answer; an estimate."""


class Outcome(str, Enum):
    """What the plan means for one host."""

    CHANGE = "change"
    CONVERGED = "converged"
    BLOCKED = "blocked"
    NOT_REACHED = "not-reached"


class Undo(str, Enum):
    """How far a step can be taken back: all of it, only the files that it laid, or not at all."""

    FULL = "full"
    FILES = "files"
    FORWARD = "forward"


class Reboot(str, Enum):
    """Whether a step needs a reboot. `unknown`: its installer says so only when it has run."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs.

    Attributes:
        what: The component, or a setting of one: `driver`, `host_tuning.pcie_aspm`.
        before: As it is; empty where nothing is there.
        after: As it will be.
        why: One sentence.
    """

    what: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Step:
    """One component that is changed, by the role of the same name.

    Attributes:
        component: `driver`, `firmware`, `toolkit`, …
        action: `install`, `upgrade`, `downgrade`, `repair` (the right version, not whole), `configure`, or
            `reboot` (all is on the disk, something older runs).
        packages: SHA-256 (64 hex digits) of the files that it needs.
        previous: SHA-256 of the files that bring the present version back; empty where there are none.
        minutes: How long it takes, about.
    """

    component: str
    action: str
    changes: tuple[Change, ...]
    packages: tuple[str, ...]
    previous: tuple[str, ...]
    minutes: float
    reboot: Reboot
    undo: Undo


@dataclass(frozen=True, slots=True)
class Blocker:
    """What keeps a host from being changed.

    Attributes:
        key: Stable for ever: `npu-in-use`, `no-space`, `kernel-headers`, …
        message: What is wrong, with the evidence.
        fix: How to mend it.
        answer: What a line of the answer file may say to go on all the same (`proceed`); empty: nothing may.
    """

    key: str
    message: str
    fix: Fix
    answer: str = ""


@dataclass(frozen=True, slots=True)
class HostPlan:
    """One host of a plan.

    Attributes:
        name: As in the inventory.
        kind: Hardware and system in one line: the class that gets a canary of its own.
        domain: Rack or supernode; empty where the inventory names none.
        fingerprint: SHA-256 of all that the plan was made from; a run refuses where it has moved.
        before: Version by component, as it is.
        steps: In the order in which they are done.
        blockers: Of which none is answered.
        why: Why it could not be reached, where it could not, or why nothing is left to go back to.
        accepted: Keys of blockers that the answer file lets pass.
        interpreter: Path of the Python that Ansible uses there; empty where there is none that fits.
        arch: `aarch64` or `x86_64`.
        basis: What the plan was made from, fact by fact: what `fingerprint` is the digest of.
    """

    name: str
    kind: str
    domain: str
    outcome: Outcome
    fingerprint: str
    before: dict[str, str]
    steps: tuple[Step, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    why: str = ""
    accepted: tuple[str, ...] = ()
    interpreter: str = ""
    arch: str = ""
    basis: dict[str, str] = field(default_factory=dict)

    @property
    def reboot(self) -> Reboot:
        """Whether it reboots: all steps that want it share one."""
        wishes = {step.reboot for step in self.steps}
        return next((wish for wish in (Reboot.YES, Reboot.UNKNOWN) if wish in wishes), Reboot.NO)

    @property
    def minutes(self) -> float:
        """How long its steps take, about, with one reboot where there may be one."""
        return sum(step.minutes for step in self.steps) + (0 if self.reboot is Reboot.NO else REBOOT_MINUTES)


@dataclass(frozen=True, slots=True)
class Plan:
    """All hosts of one call.

    Attributes:
        stack: Its name in the matrix.
        wanted: Version by component.
        made: When, in UTC, ISO 8601.
        files: Name and size in bytes of every package that a step names, by its SHA-256.
    """

    stack: str
    wanted: dict[str, str]
    made: str
    hosts: tuple[HostPlan, ...]
    files: dict[str, tuple[str, int]] = field(default_factory=dict)
