"""One host while a run is at it: its effects, how it stands, and what is told of it in the end."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from npudoctor.errors import IncompleteError, NpudoctorError
from npudoctor.provision.admission import Entry, Standing
from npudoctor.provision.effects.protocol import Fenced, StepFailed, Stopped
from npudoctor.provision.machine import ASKED, Effect, Verb, Wait, Write, kept
from npudoctor.provision.record import Phase, Way
from npudoctor.provision.run.begin import Blocked, Converged
from npudoctor.provision.run.ending import ending
from npudoctor.provision.run.result import FINAL, HostResult, Word, host_as_json
from npudoctor.provision.run.waiting import Waiting
from npudoctor.provision.turn import turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from npudoctor.provision.machine import Look, Op
    from npudoctor.provision.planned import HostPlan
    from npudoctor.provision.record import Record

LOST_SECONDS = 2700.0
"""Without an answer, after which a run gives a host up. New firmware and its reboot take a quarter of it."""
_AGAIN = 10.0
_FIRST_TRIES = 3
"""Of a host that has not answered in this run at all."""
_MOST_REFUSALS = 30
"""By who gives a host work, one after the other: it may be starting anew, or refuse for good."""
_WORDS = {
    Phase.DONE: Word.DONE,
    Phase.ROLLED_BACK: Word.ROLLED_BACK,
    Phase.STUCK: Word.STUCK,
    Phase.BLOCKED: Word.BLOCKED,
}
_OUT = (Word.STUCK, Word.LOST)
_LEFT = (Word.BLOCKED, Word.NOT_REACHED)
_SERVICE = (Verb.DRAIN, Verb.GIVE_BACK)


class Live:
    """One host.

    Attributes:
        plan: Its part of the plan.
        word: How it ended; None as long as it has not.
        finished: In which place it ended, from 1.
    """

    def __init__(
        self,
        plan: HostPlan,
        effects: Any,
        begin: Callable[[Record | None, Look], Record | None],
        told: Callable[[str, str, dict[str, Any]], None],
        *,
        met: bool = False,
        cause: str = "",
        earlier: HostResult | None = None,
    ) -> None:
        """Not begun, or at its end by an earlier process of this run.

        Args:
            plan: Its part of the plan.
            effects: On it.
            begin: Gives the record that a run begins with.
            told: Takes the host's name, an event and its details, from any thread.
            met: Whether this run has changed it before: then it may be in the middle of a reboot.
            cause: Why it has turned back, where an earlier process of this run has seen that.
            earlier: How such a process left it.
        """
        self.plan = plan
        self.word: Word | None = earlier.word if earlier and earlier.word in FINAL else None
        self.finished = 0
        self.begun = self.word is not None
        self._effects, self._begin, self._told = effects, begin, told
        self._step_began, self._noted = 0.0, ""
        self._silent_since: float | None = None
        self._met, self._tries = met, 0
        self._refusal: StepFailed | None = None
        self._refusals = 0
        self._phase, self._phase_since = "", 0.0
        self._cause, self._last, self._turned = cause, "", bool(cause)
        self._result = earlier or HostResult(plan.name, Word.NOT_REACHED)
        self._result = replace(self._result, before=plan.before)

    @property
    def entry(self) -> Entry:
        """How it stands, for the admission of others."""
        standing = Standing.RUNNING if self.begun else Standing.WAITING
        if self.word is not None:
            standing = Standing.GOOD if self._is_good() else Standing.FAILED
        failed = standing is Standing.FAILED
        return Entry(
            self.plan.name, self.plan.kind, self.plan.domain, standing, self._result.key if failed else "",
            self.finished, failed and self.word in _OUT, failed and self.word in _LEFT,
        )  # fmt: skip

    def step(self) -> float | None:
        """Bring it one action further; seconds until the next, or None where it has come to its end."""
        self.begun, self._refusal = True, None
        try:
            with self._effects.turn():
                done = turn(self._effects, self._begin, self._heard, self._during)
        except Stopped:
            return _AGAIN
        except StepFailed as error:
            return self._refused(error)
        except IncompleteError as error:
            return self._silent(error)
        except NpudoctorError as error:
            self._left(error)
            return None
        self._silent_since, self._met = None, True
        if not self._phase:  # an earlier process has brought it there
            self._spent(done.record.phase.value)
        if self._refusal is not None:
            return self._refused(self._refusal)
        self._refusals = 0
        if done.record.ended:
            self._ended(done.record)
            return None
        return done.seconds

    def stop(self, word: Word, key: str, message: str = "") -> None:
        """This run is done with it, wherever it is."""
        self.word = word
        self._result = replace(self._result, key=key, message=message)
        self._told(self.plan.name, "end", host_as_json(self.result()))

    def result(self) -> HostResult:
        """What is told of it."""
        return replace(self._result, word=self.word or Word.PAUSED)

    def _is_good(self) -> bool:
        """It came to what was wanted of it; a host that went back without a key was wanted back."""
        back = self.word is Word.ROLLED_BACK and not self._result.key
        return back or self.word in (Word.DONE, Word.CONVERGED)

    # --- what comes of a turn

    def _silent(self, error: IncompleteError) -> float | None:
        """It does not answer: while it boots that is as it should be, and for too long it is lost."""
        now, self._tries = time.monotonic(), self._tries + 1
        if not self._met and self._tries >= _FIRST_TRIES:
            self.stop(Word.NOT_REACHED, "unreachable", str(error))
            return None
        if self._silent_since is None:
            self._silent_since = now
            self._told(self.plan.name, "silent", {"why": str(error)})
        if now - self._silent_since < LOST_SECONDS:
            return _AGAIN
        self.stop(Word.LOST, "lost", str(error))
        return None

    def _refused(self, error: StepFailed) -> float | None:
        """Who gives it work does not answer, or does not do what it is asked for."""
        self._refusals += 1
        if self._refusals < (_MOST_REFUSALS if self._met else _FIRST_TRIES):
            return _AGAIN
        self.stop(Word.PAUSED if self._met else Word.BLOCKED, error.key, str(error))
        return None

    def _left(self, error: NpudoctorError) -> None:
        if isinstance(error, Converged):
            self.stop(Word.CONVERGED, "")
        elif isinstance(error, Blocked):
            self.stop(Word.BLOCKED, error.key, str(error))
        else:
            self.stop(Word.PAUSED, "taken-over" if isinstance(error, Fenced) else "error", str(error))

    def _ended(self, record: Record) -> None:
        good = record.phase is Phase.DONE or record.reason == ASKED
        message = self._noted if good else ending(record, self._cause, self._last)
        after = (
            self._versions() or self._result.after or (_wanted(record) if record.phase is Phase.DONE else {})
        )
        stays = kept(record) if record.phase is Phase.ROLLED_BACK else []
        self._result = replace(self._result, after=after, kept=tuple(step.component for step in stays))
        self.stop(_WORDS[record.phase], "" if good else record.reason, message)

    def _during(self, op: Op) -> AbstractContextManager[None]:
        """A step is told when it begins, for it can take minutes; of a service also that it is waited for."""
        self._step_began = time.monotonic()
        if not isinstance(op, Effect):
            return nullcontext()
        if op.verb in (Verb.APPLY, Verb.UNDO):
            what = {"verb": op.verb.value, "component": op.component, "version": self._version(op)}
            self._told(self.plan.name, "does", what)
        return self._waiting(op)

    def _version(self, op: Effect) -> str:
        """What a step leads to; empty where it has no version, or leads back."""
        steps = (step for step in self.plan.steps if op.verb is Verb.APPLY)
        changes = (change for step in steps for change in step.changes)
        return next((change.after for change in changes if change.what == op.component), "")

    def _waiting(self, op: Effect) -> AbstractContextManager[None]:
        """What starts a service waits for it: that is told, so that nobody takes it for dead."""
        if not hasattr(self._effects, "at_most"):
            return nullcontext()
        what = {"component": op.component, "at_most": self._effects.at_most(op)}
        if not what["at_most"]:
            return nullcontext()
        return Waiting(lambda seconds: self._told(self.plan.name, "still", {**what, "seconds": seconds}))

    def _heard(self, op: Op, failed: StepFailed | None) -> None:
        self._result = replace(self._result, after=self._versions() or self._result.after)
        if isinstance(op, Write):
            self._moved(op.record)
        elif isinstance(op, Effect):
            self._acted(op, failed)
        elif isinstance(op, Wait):
            self._told(self.plan.name, "wait", {"for": op.why})

    def _moved(self, record: Record) -> None:
        if record.phase is Phase.VERIFIED:
            self._noted = str(getattr(self._effects, "noted", ""))
        self._turns(record)
        self._found_back(record)
        self._spent(record.phase.value)
        boots = tuple(dict.fromkeys((*self._result.boots, record.boot)))
        steps = tuple(dict.fromkeys((*self._result.steps, *record.tries)))
        self._result = replace(self._result, boots=boots, steps=steps)
        self._told(
            self.plan.name,
            "phase",
            {
                "phase": record.phase.value,
                "way": record.way.value,
                "reason": record.reason,
                "boot": record.boot,
                "cause": self._cause if self._turned else "",
                **{name: host_as_json(self._result)[name] for name in ("boots", "seconds", "steps")},
            },
        )

    def _found_back(self, record: Record) -> None:
        """Steps of the way back that were found as before, so that nothing had to be done for them."""
        if self._phase != Phase.UNDO.value or record.phase in (Phase.UNDO, Phase.STUCK):
            return
        back = [step.component for step in record.host.steps if step.component in record.tries]
        stays = {step.component for step in kept(record)}
        if found := [name for name in back if name not in {*record.undone, *stays}]:
            self._told(self.plan.name, "back-already", {"components": found})

    def _spent(self, phase: str) -> None:
        """It is in a phase from now on; the time until now was spent in the one before."""
        now, seconds = time.monotonic(), {**self._result.seconds}
        if self._phase:
            seconds[self._phase] = seconds.get(self._phase, 0.0) + now - self._phase_since
        self._phase, self._phase_since = phase, now
        self._result = replace(self._result, seconds=seconds)

    def _turns(self, record: Record) -> None:
        """Keep why it turned back, apart from what goes wrong on the way back."""
        if record.phase not in (Phase.UNDO, Phase.STUCK):
            return
        said = str(getattr(self._effects, "said", ""))
        if self._turned or record.reason == ASKED:
            self._last = said or self._last
        else:
            self._cause = said or self._cause
        self._turned = self._turned or record.way is Way.DOWN

    def _acted(self, op: Effect, failed: StepFailed | None) -> None:
        if failed is not None:
            self._refusal = failed if op.verb in _SERVICE else None
            self._failed(op, failed)
        elif op.verb is Verb.BUNDLE:
            self._result = replace(self._result, bundle=f"bundles/{self.plan.name}.tar.gz")
        seconds = round(time.monotonic() - self._step_began, 3)
        what = {"verb": op.verb.value, "component": op.component, "seconds": seconds}
        if self._refusal is not None and self._refusals:
            return  # the same was told before
        self._told(self.plan.name, "did", {**what, **({"failed": str(failed)} if failed else {})})

    def _failed(self, op: Effect, failed: StepFailed) -> None:
        if op.verb is Verb.BUNDLE:
            return
        if op.verb is Verb.APPLY:
            self._cause = str(failed)
        else:
            self._last = str(failed)
        self._result = replace(self._result, log=failed.log or self._result.log)

    def _versions(self) -> dict[str, str]:
        """As the last reading found them. It looks at what the run changes; the rest is as it was."""
        survey = getattr(self._effects, "surveyed", None)
        return {**self.plan.before, **survey.plan.before} if survey is not None else {}


def _wanted(record: Record) -> dict[str, str]:
    """The versions that a host was verified with, where it was not read in this process."""
    own = {
        step.component: change.after
        for step in record.host.steps
        for change in step.changes
        if change.what == step.component
    }
    return {**record.host.before, **own}
