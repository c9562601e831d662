"""What would be cut off: processes and containers on NPUs, and Docker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.plan.blocking.case import Case, Words, blocks, lays_down, why_not
from npudoctor.provision.plan.difference import INSTALL
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

_CUTS_OFF = ("driver", "firmware", "hccn")


def _cuts_off(case: Case) -> bool:
    """Whether what runs on the NPUs would die, and nobody takes it off before."""
    return not case.drained and (case.boots or any(case.work_on(*_CUTS_OFF)))


@blocks("npu-in-use")
def _npu_in_use(case: Case) -> Iterator[Words]:
    users, containers = case.ground.use.users.or_none() or (), case.ground.use.containers.or_none() or ()
    if not _cuts_off(case) or not (users or containers):
        return
    who = [_("process {who}").format(who=one) for one in users]
    who += [_("container {name}").format(name=name) for name in containers]
    yield {"who": ", ".join(who)}


@blocks("use-unknown")
def _use_unknown(case: Case) -> Iterator[Words]:
    users = case.ground.use.users
    fresh = any(one.difference.action == INSTALL for one in case.work_on("driver"))
    if _cuts_off(case) and not users.known and not fresh:
        yield {"why": why_not(users)}


@blocks("docker-restart")
def _docker_restart(case: Case) -> Iterator[Words]:
    use = case.ground.use
    names = use.running.or_none() or ()
    restarts = any(lays_down(one) for one in case.work_on("ascend_runtime"))
    if restarts and names and not use.outlive and not case.restart_docker:
        yield {"names": ", ".join(names)}
