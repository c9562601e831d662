"""From what was surveyed to a plan, host by host; and whether the world has moved since."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.provision.plan.answers import Answers
from npudoctor.provision.plan.blockers import blocker, blockers_of
from npudoctor.provision.plan.blocking.case import Case
from npudoctor.provision.plan.canonical import digest
from npudoctor.provision.plan.controller import Controller  # noqa: TC001 (dataclasses read it)
from npudoctor.provision.plan.shelf import Shelf  # noqa: TC001
from npudoctor.provision.plan.steps import differences, steps_of, work_of
from npudoctor.provision.plan.wanted import Wanted  # noqa: TC001
from npudoctor.provision.planned import HostPlan, Outcome, Plan
from npudoctor.provision.record import Phase
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.provision.plan.ground import Ground
    from npudoctor.provision.plan.steps import Work
    from npudoctor.provision.plan.survey import Surveyed


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes the plan of one host after another, all by the same rules.

    Attributes:
        shelf: Where packages are.
        answers: Which blockers are let pass.
        drained: Whether somebody takes the work off a host before it is changed.
        restart_docker: Whether Docker may be restarted while containers run.
        retry: Whether hosts that are stuck are tried again.
        run: The run that asks; what it left on a host itself is not in its way.
    """

    wanted: Wanted
    controller: Controller
    shelf: Shelf
    answers: Answers = Answers()
    drained: bool = False
    restart_docker: bool = False
    retry: bool = False
    run: str = ""

    def host(self, seen: Surveyed) -> HostPlan:
        """The plan of one host."""
        if seen.ground is None:
            return not_reached(seen)
        begun = self._begun(seen.ground)
        if begun is not None:
            return replace(begun, name=seen.name, domain=seen.domain, outcome=Outcome.CHANGE)
        work = work_of(seen, self.wanted, self.shelf)
        found = blockers_of(self._case(seen, seen.ground, work))
        accepted = tuple(one for one in found if self.answers.accepts(one, seen.name))
        left = tuple(one for one in found if one not in accepted)
        basis = self._basis(seen, seen.ground)
        return HostPlan(
            name=seen.name,
            kind=kind_of(seen.ground),
            domain=seen.domain,
            outcome=_outcome(bool(work) or self._is_to_be_freed(seen.ground), bool(left)),
            fingerprint=digest(basis),
            before=self._before(seen),
            steps=tuple(steps_of(work)),
            blockers=left,
            accepted=tuple(dict.fromkeys(one.key for one in accepted)),
            interpreter=self.controller.interpreter(seen.ground.installed.pythons.or_none() or ()),
            arch=seen.arch,
            basis=basis,
        )

    def _begun(self, ground: Ground) -> HostPlan | None:
        """What another run began towards the same stack: it is brought to its end by its own plan."""
        record = ground.ours.record.or_none()
        if record is None or record.ended or record.run == self.run:
            return None
        return record.host if record.stack == self.wanted.stack.name else None

    def _is_to_be_freed(self, ground: Ground) -> bool:
        """Whether a person mended what an earlier run left stuck: it is to be verified, and given back."""
        record = ground.ours.record.or_none()
        return self.retry and record is not None and record.phase is Phase.STUCK

    def plan(self, hosts: Iterable[Surveyed], made: str) -> Plan:
        """The plan of all; `made`: when, in UTC, ISO 8601."""
        stack = self.wanted.stack
        planned = tuple(self.host(seen) for seen in hosts)
        named = {
            sha256 for host in planned for step in host.steps for sha256 in (*step.packages, *step.previous)
        }
        files = {sha256: file for sha256, file in self.shelf.files.items() if sha256 in named}
        return Plan(stack.name, dict(stack.versions), made, planned, files)

    def _case(self, seen: Surveyed, ground: Ground, work: tuple[Work, ...]) -> Case:
        return Case(
            name=seen.name,
            ground=ground,
            wanted=self.wanted,
            work=work,
            controller=self.controller,
            findings=seen.findings,
            drained=self.drained,
            restart_docker=self.restart_docker,
            retry=self.retry,
            run=self.run,
            wheels=seen.wheels,
            docker=seen.docker,
        )

    def _before(self, seen: Surveyed) -> dict[str, str]:
        """Version by component, of those that have one."""
        found = differences(seen, self.wanted)
        return {name: one.before for name, one in found.items() if one.before or name in _VERSIONED}

    def _basis(self, seen: Surveyed, ground: Ground) -> dict[str, str]:
        """All that the steps were made from, in words of no language."""
        kernels, installed = ground.kernels, ground.installed
        facts = {
            "chip": ground.chip.or_none() or ground.family.or_none(),
            "npus": ground.npus.or_none(),
            "os": ground.os.or_none(),
            "arch": ground.arch.or_none(),
            "kernel": kernels.running.or_none(),
            "next_kernel": kernels.next.or_none(),
            "driver_running": installed.driver_running.or_none(),
        }
        told = {name: str(value) for name, value in facts.items() if value is not None}
        differs = {
            f"{name}.differs": ",".join(sorted(change.what for change in one.changes))
            for name, one in differences(seen, self.wanted).items()
            if one.changes
        }
        return told | self._before(seen) | differs


_VERSIONED = ("driver", "firmware", "toolkit", "ops", "nnal", "python_env", "ascend_runtime")


def kind_of(ground: Ground) -> str:
    """Chip family, architecture and system: hosts of one kind share a canary, with a driver or without."""
    return ", ".join(fact.or_none() or "?" for fact in (ground.family, ground.arch, ground.os))


def _outcome(to_do: bool, blocked: bool) -> Outcome:
    if blocked:
        return Outcome.BLOCKED
    return Outcome.CHANGE if to_do else Outcome.CONVERGED


def not_reached(seen: Surveyed) -> HostPlan:
    """What there is to say of a host that could not be read."""
    stands = blocker("unreachable", {"host": seen.name, "why": seen.error, "login": seen.login or seen.name})
    return HostPlan(
        name=seen.name,
        kind="?",
        domain=seen.domain,
        outcome=Outcome.NOT_REACHED,
        fingerprint=digest({}),
        before={},
        blockers=(stands,),
        why=seen.error,
    )


def moved(planned: HostPlan, now: HostPlan) -> list[str]:
    """What has changed on a host since it was planned for, one line a fact; empty where nothing has."""
    if now.outcome is Outcome.NOT_REACHED:
        return [_("it cannot be read: {why}").format(why=now.why)]
    names = sorted({*planned.basis, *now.basis})
    lines = [
        f"{name}: {planned.basis.get(name, '–')} → {now.basis.get(name, '–')}"
        for name in names
        if planned.basis.get(name) != now.basis.get(name)
    ]
    known = {*(one.key for one in planned.blockers), *planned.accepted}
    new = {one.key: one.message for one in now.blockers if one.key not in known}
    return lines + [f"{key}: {message}" for key, message in new.items()]
