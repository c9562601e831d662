"""The real effects on one host: the agent, the doctor, Ansible, and who gives it work."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import NpudoctorError
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.effects.agent import ask
from npudoctor.provision.effects.ansible import result_of
from npudoctor.provision.effects.drain import Nobody, Service
from npudoctor.provision.effects.protocol import Fenced, StepFailed
from npudoctor.provision.effects.states import reboot_reasons, states
from npudoctor.provision.effects.trial import trials
from npudoctor.provision.lease import in_use, owner, whose
from npudoctor.provision.machine import DRAIN_SECONDS, Look, Verb, Verdict
from npudoctor.provision.plan.serving import SERVING, ready_seconds
from npudoctor.provision.record import Phase, as_text, of_text
from npudoctor.provision.verdict import verdict
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from npudoctor.collect.remote import Way as Route
    from npudoctor.matrix import Matrix
    from npudoctor.provision.effects.ansible import Ansible
    from npudoctor.provision.effects.doctor import Doctor, Survey
    from npudoctor.provision.effects.drain import Drain
    from npudoctor.provision.machine import Effect
    from npudoctor.provision.planned import Step
    from npudoctor.provision.record import Record

LEASE_SECONDS = 180.0
"""That a run keeps a host without a word; while a step runs, as long as the step may take more."""
_ANSWERS = 3
"""Good answers in one boot before a host is judged."""
_BAD_ANSWERS = 12
"""Answers with the same trouble before it is believed: NPUs take their time to come up."""
_UNSETTLED = ("initializing", "starting", "stopping")
_LONG_UP = 1800.0
"""Seconds of uptime after which one good answer is enough."""
_CUTS_OFF = frozenset({"npu-in-use", "use-unknown"})
"""Blockers whose answer lets a host be changed although its NPUs are in use."""
_TRY_SECONDS = 3600.0
_SURVEYED = (Phase.APPLY, Phase.UNDO, Phase.VERIFY)


@dataclass(frozen=True, slots=True)
class Tools:
    """What all hosts of a run share.

    Attributes:
        run: Its id.
        matrix: The stacks.
        variables: Extra variables of a step, from the record and the step.
        bundle: Saves what a failed host says of itself.
    """

    run: str
    doctor: Doctor
    ansible: Ansible
    drain: Drain
    matrix: Matrix
    variables: Callable[[Record, Step], Mapping[str, Any]]
    bundle: Callable[[Route, str], None]


class HostEffects:
    """One host of a run. What it remembers costs at most time where it is lost.

    Attributes:
        surveyed: The last reading of the host, of this turn.
        said: What was wrong with it, where it was verified in this turn; empty where nothing was.
        noted: What is still as bad as it was before, where it was verified in this turn.
    """

    def __init__(self, route: Route, tools: Tools, domain: str = "") -> None:
        self.surveyed: Survey | None = None
        self.said = self.noted = ""
        self._route, self._tools = route, tools
        self._name, self._domain = route.target.name, domain
        self._fence: int | None = None
        self._answer: dict[str, Any] = {}
        self._same: tuple[tuple[str, ...], int] = ((), 0)
        self._failed: dict[str, str] = {}

    def look(self) -> tuple[Record | None, Look]:
        """The agent's answer, and for phases that need it the doctor's."""
        self._answer = answer = ask(self._route, "look")
        record = of_text(answer["record"]) if answer["record"] else None
        self.surveyed = self._survey(record)
        return record, self._seen(record, answer)

    def write(self, record: Record) -> None:
        """On the host, by the agent, with the fence number of this run."""
        fence = self._held()
        line = {name: getattr(record, name) for name in ("run", "phase", "way", "reason", "tries", "undone")}
        receipt = _receipt(record) if record.phase is Phase.DONE else None
        seconds = 0.0 if record.ended else LEASE_SECONDS + self._most_seconds(record)
        text, mark = as_text(record, fence), _mark(record)
        self._ask("write", text=text, line=line, receipt=receipt, mark=mark, seconds=seconds)

    def perform(self, effect: Effect, record: Record) -> None:
        """Do it, if the host is still ours."""
        if effect.verb is Verb.BUNDLE:
            self._save_bundle()
        elif effect.verb is Verb.REBOOT:
            self._ask("reboot", boot=record.boot, why=[f"run {record.run}"], seconds=LEASE_SECONDS)
        elif effect.verb in (Verb.DRAIN, Verb.GIVE_BACK):
            self._serve(effect, record)
        else:
            self._step(effect, record)

    def turn(self) -> AbstractContextManager[None]:
        """One connection for all that a turn asks of the agent."""
        return self._route.kept()

    def release(self) -> None:
        """Let others have the host; what is under way there is told by its record."""
        if self._fence is not None:
            self._ask("release")

    # --- looking

    def _survey(self, record: Record | None) -> Survey | None:
        """The doctor's reading, where what lies on the disk decides."""
        if self._answer["installing"] or not self._decides(record):
            return None
        about = None if self._is_new(record) else record
        return self._tools.doctor.survey(self._route.target, self._domain, about)

    def _decides(self, record: Record | None) -> bool:
        """Whether a run may begin here, or its next step depends on what is there."""
        return self._is_new(record) or (record is not None and record.phase in _SURVEYED)

    def _is_new(self, record: Record | None) -> bool:
        return record is None or (record.ended and record.run != self._tools.run)

    def _seen(self, record: Record | None, answer: Mapping[str, Any]) -> Look:
        service = self._service(record)
        survey, self.said, self.noted = self.surveyed, "", ""
        look = Look(
            boot=answer["boot"],
            uptime=answer["uptime"],
            drained=service.drained,
            foreign=service.drained and not service.ours,
            idle=service.idle and (not answer["busy"] or _may_be_used(record)),
            patience=0.0 if isinstance(self._tools.drain, Nobody) else DRAIN_SECONDS,
            reboot=reboot_reasons(record, answer),
            installing=tuple(answer["installing"]),
            going_down=answer["system"] == "stopping",
            settled=self._settled(answer),
            failures={**answer["failures"], **self._failed},
        )
        if survey is None:
            return look
        look = replace(look, baseline=survey.statuses)
        if record is None:
            return look
        judged = verdict(record, survey.statuses, self._tools.doctor.roles, survey.boot)
        if record.phase is Phase.VERIFY:
            judged = self._tried(record, judged)
            self.said, self.noted = ("", judged.message) if judged.ok else (judged.message, "")
        return replace(look, verdict=judged, states=states(record.host, survey.plan, answer, survey.back))

    def _service(self, record: Record | None) -> Service:
        """Who gives it work; while its work is waited for, what was refused before is asked for again."""
        service = self._tools.drain.state(self._name)
        waits = record is not None and record.run == self._tools.run and record.phase is Phase.DRAIN
        if waits and service.ours and not service.idle:
            self._ask("check", seconds=LEASE_SECONDS)
            self._tools.drain.urge(self._name)
        return service

    def _tried(self, record: Record, judged: Verdict) -> Verdict:
        """Where the checks pass, what they cannot see: that a program gets its NPUs."""
        for role, more in trials(record, load_stack(self._tools.matrix, record.stack)) if judged.ok else ():
            given = {**self._shared(record, record.host.steps[0]), "npudoctor_component": role, **more}
            events = self._tools.ansible.run("step.yml", self._route.target, given, _TRY_SECONDS)
            try:
                result_of(events, role)
            except StepFailed as error:
                return Verdict(False, role, judged.boot, str(error))
        return judged

    def _settled(self, answer: Mapping[str, Any]) -> bool:
        """Counted here: after a crash it is counted anew. Trouble that stays the same is an answer too."""
        seen = (answer["boot"], answer["system"], *answer["trouble"])
        before, count = self._same
        self._same = (seen, count + 1 if seen == before else 1)
        if answer["system"] in _UNSETTLED:
            return False
        if answer["trouble"]:
            return self._same[1] >= _BAD_ANSWERS
        return self._same[1] >= (1 if answer["uptime"] > _LONG_UP else _ANSWERS)

    # --- doing

    def _held(self) -> int:
        """The fence number by which this run has the host; taken where it has not yet."""
        if self._fence is None:
            lease = self._answer["lease"]
            if in_use(lease, self._answer["now"], self._tools.run):
                what = _("run {whose} works on it").format(whose=whose(lease))
                raise Fenced(what, _("wait until it has ended"))
            taken = ask(
                self._route,
                "take",
                seen=lease.get("fence", 0),
                owner=owner(self._tools.run),
                seconds=LEASE_SECONDS,
            )
            self._fence = int(taken["fence"])
        return self._fence

    def _ask(self, verb: str, **request: Any) -> dict[str, Any]:
        return ask(self._route, verb, fence=self._held(), **request)

    def _serve(self, effect: Effect, record: Record) -> None:
        """Take it out of service or give it back, if it is still ours: nobody there could refuse it."""
        self._ask("check", seconds=LEASE_SECONDS)
        if effect.verb is Verb.DRAIN:
            self._tools.drain.drain(self._name, record.run)
        else:
            self._tools.drain.give_back(self._name)

    def _step(self, effect: Effect, record: Record) -> None:
        step = record.step(effect.component)
        seconds = self._seconds(step)
        self._failed.pop(effect.component, None)
        given = {
            **self._shared(record, step),
            "npudoctor_component": effect.component,
            "npudoctor_verb": effect.verb.value,
            "npudoctor_fence": str(self._held()),
        }
        events = self._tools.ansible.run("step.yml", self._route.target, given, seconds)
        try:
            result_of(events, effect.component)
        except StepFailed as error:
            self._failed[effect.component] = error.key
            raise

    def at_most(self, effect: Effect) -> float:
        """Seconds that an effect waits for what it has started; 0 where it does not wait."""
        waits = effect.component == SERVING and effect.verb is Verb.APPLY
        return ready_seconds(self._route.target.serving) if waits else 0.0

    def _seconds(self, step: Step) -> float:
        """After which a step is given up here; its installer may go on.

        A service that is not ready gives way to the one before, which may take as long.
        """
        waits = 2 * ready_seconds(self._route.target.serving) if step.component == SERVING else 0.0
        return 1800.0 + 60.0 * 3 * step.minutes + waits

    def _most_seconds(self, record: Record) -> float:
        """How long the host may be ours without a word: as long as the longest step that may come next."""
        if record.phase not in (Phase.APPLY, Phase.UNDO):
            return 0.0
        return max(map(self._seconds, record.host.steps), default=0.0)

    def _shared(self, record: Record, step: Step) -> dict[str, Any]:
        """Variables of every call of Ansible for this host."""
        return {
            **self._tools.variables(record, step),
            "ansible_python_interpreter": self._answer["python"],
            **({} if self._route.target.become else {"ansible_become": False}),
        }

    def _save_bundle(self) -> None:
        try:
            self._tools.bundle(self._route, self._name)
        except (NpudoctorError, OSError) as error:
            raise StepFailed("bundle", str(error)) from None


def _may_be_used(record: Record | None) -> bool:
    """Whether a person let it pass that NPUs are in use, or it is only their service that is changed."""
    if record is None:
        return False
    only_service = all(step.component == SERVING for step in record.host.steps)
    return only_service or bool(_CUTS_OFF & {*record.host.accepted})


def _mark(record: Record) -> str:
    """What whoever logs in there is told; empty where nobody has to mend the host. A host has no language."""
    if record.phase is not Phase.STUCK:
        return ""
    return (
        f"npudoctor: run {record.run} left this host stuck ({record.reason}): it is not for use.\n"
        "What was done there is in /var/lib/npudoctor/. When it is mended, type on the controller:\n"
        f"npudoctor provision retry {record.run}\n"
    )


def _receipt(record: Record) -> dict[str, Any]:
    return {
        "run": record.run,
        "stack": record.stack,
        "when": time.time(),
        "components": [
            {
                "component": step.component,
                "changes": [[change.what, change.before, change.after] for change in step.changes],
                "packages": list(step.packages),
                "undo": step.undo.value,
            }
            for step in record.host.steps
        ],
    }
