"""What the machine asks of the world: a look, a durable record, an effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from npudoctor.errors import NpudoctorError

if TYPE_CHECKING:
    from npudoctor.provision.machine import Effect, Look
    from npudoctor.provision.record import Record


class StepFailed(NpudoctorError):
    """An effect that did not do what it should; the host is still there to be looked at.

    Attributes:
        key: Stable word of what went wrong: `step-failed:driver`, `checksum`.
        log: Path of the installer's log on the host; empty where there is none.
    """

    def __init__(self, key: str, what: str, mend: str = "", log: str = "") -> None:
        super().__init__(what, mend)
        self.key, self.log = key, log


class Stopped(NpudoctorError):
    """This run was told to end; the host goes on where it is when the run is resumed."""


class Fenced(NpudoctorError):
    """Another run has taken the host over: this one leaves it alone."""


class Effects(Protocol):
    """One host.

    All three raise `IncompleteError` where it cannot be reached, and `Fenced` where it is another run's.
    """

    def look(self) -> tuple[Record | None, Look]:
        """Its record, and as much of a look as the record's phase needs."""

    def write(self, record: Record) -> None:
        """Make this its record; when this returns, it outlives a power loss."""

    def perform(self, effect: Effect, record: Record) -> None:
        """Do it; raises `StepFailed` where it fails."""
