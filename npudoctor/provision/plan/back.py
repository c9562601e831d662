"""The plan of `--rollback`: every step of the last run the other way round, by the record on the host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.matrix.stacks import NamedStack
from npudoctor.provision.components import component
from npudoctor.provision.machine import kept, undo_order
from npudoctor.provision.plan.blockers import blocker, blockers_of
from npudoctor.provision.plan.blocking.case import Case
from npudoctor.provision.plan.canonical import digest
from npudoctor.provision.plan.difference import Difference
from npudoctor.provision.plan.make import kind_of, not_reached
from npudoctor.provision.plan.rollback import refusals
from npudoctor.provision.plan.steps import Work
from npudoctor.provision.plan.wanted import Wanted
from npudoctor.provision.planned import Change, HostPlan, Outcome, Plan, Step, Undo
from npudoctor.provision.record import Phase
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.provision.plan.ground import Ground
    from npudoctor.provision.plan.make import Planner
    from npudoctor.provision.plan.survey import Surveyed
    from npudoctor.provision.planned import Blocker
    from npudoctor.provision.record import Record

UNDO = "undo"
_KEYS = (
    "not-root",
    "no-python",
    "python-too-old",
    "npu-in-use",
    "use-unknown",
    "not-settled",
    "foreign-lease",
    "docker-restart",
    "record-damaged",
)
"""What can be in the way of going back."""


def back(planner: Planner, hosts: Iterable[Surveyed], made: str) -> Plan:
    """The plan that takes hosts back. `planner`: for what its call says; its stack does not matter."""
    planned = tuple(_host(planner, seen) for seen in hosts)
    return Plan("", {}, made, planned)


def nothing() -> Wanted:
    """What is wanted where nothing new is: no stack, no components."""
    return Wanted(NamedStack("", "", "", {}, (), "", ""), (), frozenset())


def _host(planner: Planner, seen: Surveyed) -> HostPlan:
    if seen.ground is None:
        return not_reached(seen)
    record = seen.ground.ours.record.or_none()
    steps = _steps(record) if record else ()
    found = _blockers(planner, seen, seen.ground, record, steps)
    left = tuple(one for one in found if not planner.answers.accepts(one, seen.name))
    outcome = Outcome.CHANGE if steps else Outcome.CONVERGED
    before = {step.component: step.changes[0].before for step in steps if step.changes}
    return HostPlan(
        name=seen.name,
        kind=kind_of(seen.ground),
        domain=seen.domain,
        outcome=Outcome.BLOCKED if left else outcome,
        fingerprint=digest(before),
        before=before,
        steps=steps,
        blockers=left,
        why="" if steps else _("what the last run had changed is back already"),
        accepted=tuple(dict.fromkeys(one.key for one in found if one not in left)),
        interpreter=planner.controller.interpreter(seen.ground.installed.pythons.or_none() or ()),
        arch=seen.arch,
        basis=before,
    )


def _steps(record: Record) -> tuple[Step, ...]:
    """What was begun, in the order in which it is undone; of a host that is back, what stayed."""
    steps = kept(record) if record.phase is Phase.ROLLED_BACK else record.host.steps
    return tuple(_undone(step) for step in undo_order(steps))


def _undone(step: Step) -> Step:
    changes = tuple(
        Change(one.what, one.after, one.before, _("it was so before the last run")) for one in step.changes
    )
    return replace(step, action=UNDO, changes=changes, packages=step.previous, previous=step.packages)


def _blockers(
    planner: Planner, seen: Surveyed, ground: Ground, record: Record | None, steps: tuple[Step, ...]
) -> tuple[Blocker, ...]:
    if record is None and ground.ours.record.absent:
        return (blocker("no-record", {"host": seen.name}),)
    case = Case(
        name=seen.name,
        ground=ground,
        wanted=nothing(),
        work=tuple(_work(step) for step in steps),
        controller=planner.controller,
        drained=planner.drained,
        restart_docker=planner.restart_docker,
        run=planner.run,
    )
    stays = (_stays(seen.name, step) for step in steps if step.undo is Undo.FORWARD)
    refused = (one for step in steps for one in _refused(seen.name, ground, step))
    return (*(one for one in blockers_of(case) if one.key in _KEYS), *stays, *refused)


def _stays(host: str, step: Step) -> Blocker:
    was = step.changes[0].after if step.changes else ""
    why = _("its package was not kept") if was else _("it was not there before, and flash keeps it")
    now = step.changes[0].before if step.changes else ""
    return blocker("no-way-back", {"host": host, "component": step.component, "now": now, "why": why})


def _refused(host: str, ground: Ground, step: Step) -> Iterator[Blocker]:
    """A driver that the NPUs let in no more; they would say so after the firmware had gone back."""
    was = step.changes[0].after if step.changes else ""
    if step.component != "driver" or not was or ground.installed.driver.or_none() == was:
        return
    family = ground.family.or_none() or ""
    for one in refusals(was, family, ground.flash):
        words = {"host": host, "wanted": was, "why": one.why, "least": one.least, "chip": family}
        yield blocker("anti-rollback", words)


def _work(step: Step) -> Work:
    before = step.changes[0].before if step.changes else ""
    return Work(component(step.component), Difference(step.action, before, step.changes), (), ())
