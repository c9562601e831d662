"""With which record a run begins on a host, by what lies there already."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import NpudoctorError
from npudoctor.provision.machine import kept, opened, reopened, turned_back
from npudoctor.provision.plan.make import moved
from npudoctor.provision.planned import Outcome
from npudoctor.provision.record import Phase
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from npudoctor.provision.machine import Look
    from npudoctor.provision.planned import HostPlan
    from npudoctor.provision.record import Record


class Blocked(NpudoctorError):
    """The host is left as it is.

    Attributes:
        key: Stable word of why.
    """

    def __init__(self, key: str, what: str, mend: str = "") -> None:
        super().__init__(what, mend)
        self.key = key


class Converged(NpudoctorError):
    """The host is as it should be already."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a run wants of a host.

    Attributes:
        run: Its id.
        retry: Whether hosts that are stuck are tried again.
        rollback: Whether hosts go back to what they had before the last run.
        files: Name and size of each package, by its SHA-256.
    """

    run: str
    stack: str
    retry: bool = False
    rollback: bool = False
    files: dict[str, tuple[str, int]] = field(default_factory=dict)

    def of(
        self, plan: HostPlan, fresh: Callable[[], HostPlan | None]
    ) -> Callable[[Record | None, Look], Record | None]:
        """What decides it for one host; `fresh` gives the plan that would be made now."""

        def begin(record: Record | None, look: Look) -> Record | None:
            if self.rollback:
                return self._back(record, look)
            if record is None or (record.ended and record.run != self.run):
                return self._anew(record, plan, fresh(), look)
            return self._on(record)

        return begin

    def _back(self, record: Record | None, look: Look) -> Record | None:
        if record is None:
            what = _("no run of npudoctor has changed it")
            raise Blocked("no-record", what)
        if record.run == self.run or (record.phase is Phase.ROLLED_BACK and not kept(record)):
            return None
        return turned_back(record, self.run, look)

    def _anew(self, record: Record | None, plan: HostPlan, fresh: HostPlan | None, look: Look) -> Record:
        if record is not None and record.phase is Phase.STUCK:
            return self._again(record, plan, fresh, look)
        self._same_world(plan, fresh)
        return opened(self.run, self.stack, plan, look, self.files)

    def _again(self, record: Record, plan: HostPlan, fresh: HostPlan | None, look: Look) -> Record:
        if not self.retry:
            what = _("an earlier run left it stuck: {reason}").format(reason=record.reason)
            raise Blocked("stuck", what, _("mend it, then type: npudoctor provision retry"))
        if record.stack == self.stack:
            return reopened(record, self.run, look)
        self._same_world(plan, fresh)
        first = opened(self.run, self.stack, plan, look, self.files)
        return replace(first, foreign=record.foreign)

    def _on(self, record: Record) -> Record | None:
        """What another run has begun is brought to its end, by the plan that it was begun with."""
        if record.run == self.run:
            return None
        if record.stack != self.stack:
            what = _("it is on its way to {stack}").format(stack=record.stack)
            mend = _("finish that first: npudoctor provision --stack {stack}, or --rollback")
            raise Blocked("unfinished-run", what, mend.format(stack=record.stack))
        return replace(record, run=self.run)

    def _same_world(self, plan: HostPlan, fresh: HostPlan | None) -> None:
        if fresh is None:
            raise Blocked("installer-running", _("an installer runs there"), _("wait until it has ended"))
        if fresh.outcome is Outcome.CONVERGED:
            raise Converged(_("it is as it should be"))
        if changed := moved(plan, fresh):
            what = _("it has changed since the plan: {what}").format(what="; ".join(changed[:3]))
            raise Blocked("moved", what, _("plan again"))
