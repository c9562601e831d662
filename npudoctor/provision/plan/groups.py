"""Hosts that are alike, so that a plan of hundreds fits on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.finding import Fix  # noqa: TC001 (dataclasses read it)
from npudoctor.provision.planned import HostPlan, Outcome, Plan, Reboot, Step

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Group:
    """Hosts of one kind with the same steps from the same versions.

    Attributes:
        blocked: Those of them that something is in the way of.
    """

    kind: str
    outcome: Outcome
    hosts: tuple[str, ...]
    blocked: tuple[str, ...]
    steps: tuple[Step, ...]
    minutes: float
    reboot: Reboot


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One key of blockers over all hosts, with the different words for it."""

    key: str
    hosts: tuple[str, ...]
    messages: tuple[str, ...]
    fix: Fix
    answer: str


def groups_of(plan: Plan) -> list[Group]:
    """Those with the most to do first; the larger ones first among equals."""
    found: dict[tuple[object, ...], list[HostPlan]] = {}
    for host in plan.hosts:
        found.setdefault(_likeness(host), []).append(host)
    groups = [_group(hosts) for hosts in found.values()]
    return sorted(groups, key=lambda group: (not group.steps, -len(group.hosts)))


def obstacles_of(plan: Plan) -> list[Obstacle]:
    """Every key, in the order in which they come up."""
    found: dict[str, list[tuple[str, str, Fix, str]]] = {}
    for host in plan.hosts:
        for one in host.blockers:
            found.setdefault(one.key, []).append((host.name, one.message, one.fix, one.answer))
    return [_obstacle(key, rows) for key, rows in found.items()]


def _likeness(host: HostPlan) -> tuple[object, ...]:
    steps = tuple(map(_step_likeness, host.steps))
    reached = host.outcome is not Outcome.NOT_REACHED
    return (host.kind, reached, steps)


def _step_likeness(step: Step) -> tuple[object, ...]:
    changes = tuple((change.what, change.before, change.after) for change in step.changes)
    return (step.component, step.action, changes, step.undo)


def _group(hosts: Iterable[HostPlan]) -> Group:
    all_hosts = list(hosts)
    first = all_hosts[0]
    return Group(
        kind=first.kind,
        outcome=first.outcome,
        hosts=tuple(host.name for host in all_hosts),
        blocked=tuple(host.name for host in all_hosts if host.outcome is Outcome.BLOCKED),
        steps=first.steps,
        minutes=first.minutes,
        reboot=first.reboot,
    )


def _obstacle(key: str, rows: list[tuple[str, str, Fix, str]]) -> Obstacle:
    hosts = tuple(dict.fromkeys(name for name, *_rest in rows))
    messages = tuple(dict.fromkeys(message for _name, message, _fix, _answer in rows))
    _name, _message, fix, answer = rows[0]
    return Obstacle(key, hosts, messages, fix, answer)
