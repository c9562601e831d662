"""What earlier runs left, and who else is at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.fact import Unavailable
from npudoctor.provision.plan.blocking.case import Case, Words, blocks
from npudoctor.provision.record import Phase

if TYPE_CHECKING:
    from collections.abc import Iterator


@blocks("foreign-lease")
def _foreign_lease(case: Case) -> Iterator[Words]:
    """Of a run of this very machine the run itself knows whether it still lives."""
    lease, now = case.ground.ours.lease.or_none(), case.ground.clock.or_none()
    if not lease or lease.get("run") == case.run or lease.get("host") == case.controller.host:
        return
    until = float(lease.get("until", 0))
    if now is None or until > now:
        seconds = "?" if now is None else f"{until - now:.0f}"
        yield {"run": str(lease.get("run", "?")), "owner": str(lease.get("host", "?")), "seconds": seconds}


@blocks("unfinished-run")
def _unfinished_run(case: Case) -> Iterator[Words]:
    record = case.ground.ours.record.or_none()
    if record and not record.ended and record.stack != case.wanted.stack.name:
        yield {"run": record.run, "phase": record.phase.value, "towards": record.stack}


@blocks("stuck")
def _stuck(case: Case) -> Iterator[Words]:
    record = case.ground.ours.record.or_none()
    if record and record.phase is Phase.STUCK and not case.retry:
        yield {"run": record.run, "reason": record.reason}


@blocks("record-damaged")
def _record_damaged(case: Case) -> Iterator[Words]:
    content = case.ground.ours.record.content
    if isinstance(content, Unavailable) and content.reason == "unreadable":
        yield {"why": content.why}
