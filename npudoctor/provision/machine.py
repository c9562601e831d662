"""The states of one host. What to do next is a function of its record, with its plan in it, and of a look.

Nothing lives in memory only: whoever comes after a crash, in any process, looks and gets the same answer.
Its rules, each with a test that breaks it (`tests/provision/test_machine_crashes.py`): intent is written on
the host before the effect; what is seen outranks what is recorded; a reboot is needed by what is seen, and
done when the boot id is another one; a verification holds in its own boot only; nothing is changed on a host
that is in service; a drain that was found stays; attempts are counted before they are made.

The way back: steps are done in two groups, what the kernel needs and the rest, and the first is verified
before the second is begun. Where the second fails, only its own steps are undone, and what had verified
stays: a flash and a reboot less, and the next try begins there. It goes back too where the host does not
verify with it and what was there before, if all of it can; else the host is stuck.
"""

from __future__ import annotations

from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.provision.planned import HostPlan, Step, Undo
from npudoctor.provision.record import Phase, Record, Way

if TYPE_CHECKING:
    from collections.abc import Iterable

KERNEL = ("host_tuning", "driver", "firmware")
"""Components that share one reboot, and are verified before anything is put on top of them."""
ASKED = "asked"
"""The reason of a host that goes back because a person wants it."""
MOST_TRIES = 2
HOPELESS = ("not-ready",)
"""Failures after which the same is not tried again: a service that was waited for in vain."""
MOST_ASKS = 3
MOST_BOOTS = 3
"""Boots that nobody asked for, after which a host is left alone."""
REBOOT_SECONDS = 600.0
"""Uptime after an ask at which the host has evidently not gone down."""
SETTLE_SECONDS = 600.0
DRAIN_SECONDS = 3600.0
LOOK_AGAIN = 10.0
_MUTATING = (Phase.APPLY, Phase.UNDO, Phase.REBOOT)


class State(str, Enum):
    """What lies on the disk of one component."""

    WANTED = "wanted"
    BEFORE = "before"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks say.

    Attributes:
        ok: Whether those that count pass, and nothing got worse.
        key: What does not: `check:npu.health`.
        boot: The boot in which it was found.
        message: The same in a sentence; where it is ok, what is still as bad as it was.
    """

    ok: bool
    key: str
    boot: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen of a host now. What a phase does not need need not be looked at.

    Attributes:
        boot: Its boot id.
        uptime: Seconds since that boot, or any clock of the host that never goes back within it.
        drained: Whether it is out of service, whoever did that.
        foreign: Whether it was somebody else who took it out of service.
        idle: Whether nothing works on its NPUs.
        patience: Seconds that its work is waited for.
        states: By component.
        reboot: Why it has to boot; empty where it has not.
        installing: Components whose installer still runs there.
        going_down: Whether a reboot is under way.
        settled: Whether it has answered well several times in this boot.
        verdict: None where it could not be obtained.
        failures: By component: the key of what went wrong with it last.
        baseline: Status by check id.
    """

    boot: str
    uptime: float = 0.0
    drained: bool = False
    foreign: bool = False
    idle: bool = True
    patience: float = DRAIN_SECONDS
    states: dict[str, State] = field(default_factory=dict)
    reboot: tuple[str, ...] = ()
    installing: tuple[str, ...] = ()
    going_down: bool = False
    settled: bool = False
    verdict: Verdict | None = None
    failures: dict[str, str] = field(default_factory=dict)
    baseline: dict[str, str] = field(default_factory=dict)


class Verb(str, Enum):
    """An effect on a host, or on who gives it work."""

    DRAIN = "drain"
    GIVE_BACK = "give-back"
    APPLY = "apply"
    UNDO = "undo"
    REBOOT = "reboot"
    BUNDLE = "bundle"


@dataclass(frozen=True, slots=True)
class Write:
    """Make this the host's record."""

    record: Record


@dataclass(frozen=True, slots=True)
class Effect:
    """Do something; where it fails, the next look says what came of it."""

    verb: Verb
    component: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """Look again after so many seconds; `why` is a word for the progress."""

    seconds: float
    why: str


Op = Write | Effect | Wait
"""What is done in order, each after the one before it has succeeded; then comes another look."""


def next_ops(record: Record, look: Look) -> tuple[Op, ...]:
    """What to do next; empty where the host has come to an end."""
    if record.ended:
        return ()
    if record.phase is not Phase.REBOOT and look.boot != record.boot:
        return _rebooted_by_others(record, look)
    if record.phase in _MUTATING and _in_service(look):
        return (Effect(Verb.DRAIN),)
    return _PHASES[record.phase](record, look)


def opened(
    run: str, stack: str, plan: HostPlan, look: Look, files: dict[str, tuple[str, int]] | None = None
) -> Record:
    """The first record of a host: what it is found as. What has no step needs no turn of its own."""
    group = min(map(group_of, plan.steps), default=0)
    return Record(
        run, stack, plan, group=group, foreign=look.foreign, boot=look.boot, since=look.uptime,
        baseline=look.baseline, files=files or {}, origin=run,
    )  # fmt: skip


def reopened(record: Record, run: str, look: Look) -> Record:
    """A host that a person wants tried again: the counters begin anew, its past stays what it was."""
    return replace(
        record, run=run, phase=Phase.OPEN, way=Way.UP, group=0, tries={}, undone={}, boot=look.boot,
        since=look.uptime, boots=0, asks=0, verified="", reason="",
    )  # fmt: skip


def turned_back(record: Record, run: str, look: Look) -> Record:
    """A host that a person wants as it was before: all its steps are undone, as far as they are there."""
    foreign = look.foreign if record.phase in (Phase.DONE, Phase.ROLLED_BACK) else record.foreign
    touched = {step.component: max(1, record.tries.get(step.component, 0)) for step in record.host.steps}
    return replace(
        record, run=run, phase=Phase.UNDO, way=Way.DOWN, group=0, foreign=foreign, tries=touched, undone={},
        boot=look.boot, since=look.uptime, boots=0, asks=0, verified="", reason=ASKED,
    )  # fmt: skip


def kept(record: Record) -> list[Step]:
    """Steps that stay done on the way back: those of a group that had verified before another one failed."""
    if record.way is Way.UP:
        return []
    return [step for step in record.host.steps if group_of(step) < record.group]


def undo_order(steps: Iterable[Step]) -> list[Step]:
    """The way back: the other way round, but for those of which one must be there before the next.

    Firmware goes before the driver, as an overwrite wants it, and operators and NNAL come onto a toolkit of
    their own version. Sources: the HDK's upgrade guide, 2026-08; CANN's installation guide, 2026-03.
    """
    return _in_order(_in_order(list(steps)[::-1], "firmware", "driver"), "toolkit", "ops", "nnal")


def _in_order(steps: list[Step], *names: str) -> list[Step]:
    """These components in this order, at the places that they hold together."""
    inside = iter(sorted((s for s in steps if s.component in names), key=lambda s: names.index(s.component)))
    return [next(inside) if step.component in names else step for step in steps]


def group_of(step: Step) -> int:
    """0 for what the kernel needs, 1 for the rest."""
    return 0 if step.component in KERNEL else 1


# --- rules


def _in_service(look: Look) -> bool:
    return not look.drained


def _tried_enough(tries: dict[str, int], component: str) -> bool:
    return tries.get(component, 0) >= MOST_TRIES


def _asked_enough(record: Record) -> bool:
    return record.asks >= MOST_ASKS


def _has_booted(record: Record, look: Look) -> bool:
    return look.boot != record.boot_before


def _must_boot(_record: Record, look: Look) -> bool:
    return bool(look.reboot)


def _is_as(state: State, _record: Record, look: Look, step: Step) -> bool:
    return look.states.get(step.component, State.OTHER) is state


def _goes_back(record: Record, step: Step) -> bool:
    return group_of(step) >= record.group and bool(record.tries.get(step.component))


def _may_go_back(steps: list[Step]) -> bool:
    return bool(steps) and all(step.undo is not Undo.FORWARD for step in steps)


def _not_kept(record: Record, look: Look) -> list[Step]:
    """Those that should have stayed, and are not there as they were verified."""
    return [step for step in kept(record) if not _is_as(State.WANTED, record, look, step)]


def _arrived(record: Record, look: Look) -> bool:
    steps = record.host.steps
    if record.way is Way.UP:
        return all(
            _is_as(State.WANTED, record, look, each) for each in steps if group_of(each) <= record.group
        )
    undone = all(_is_as(State.BEFORE, record, look, each) for each in steps if _goes_back(record, each))
    return undone and not _not_kept(record, look)


def _verified_now(record: Record, look: Look) -> bool:
    return record.verified == look.boot


# --- phases


def _open(record: Record, look: Look) -> tuple[Op, ...]:
    return (*((Effect(Verb.DRAIN),) if _in_service(look) else ()), _to(record, look, Phase.DRAIN))


def _drain(record: Record, look: Look) -> tuple[Op, ...]:
    if _in_service(look):
        return (Effect(Verb.DRAIN),)
    if look.idle:
        return (_to(record, look, Phase.APPLY),)
    if look.uptime - record.since < look.patience:
        return (Wait(LOOK_AGAIN, "drain"),)
    return (*_give_back(record), _to(record, look, Phase.BLOCKED, reason="npu-in-use"))


def _apply(record: Record, look: Look) -> tuple[Op, ...]:
    if look.installing:
        return (Wait(LOOK_AGAIN, "install"),)
    for step in record.host.steps:
        name = step.component
        if group_of(step) != record.group or _is_as(State.WANTED, record, look, step):
            continue
        if _tried_enough(record.tries, name) or (
            name in record.tries and look.failures.get(name) in HOPELESS
        ):
            return _turn_back(record, look, look.failures.get(name) or f"step-failed:{name}")
        tries = {**record.tries, name: record.tries.get(name, 0) + 1}
        return (Write(replace(record, tries=tries)), Effect(Verb.APPLY, name))
    return (_boot_or_settle(record, look),)


def _undo(record: Record, look: Look) -> tuple[Op, ...]:
    if look.installing:
        return (Wait(LOOK_AGAIN, "install"),)
    for step in undo_order(record.host.steps):
        name = step.component
        if not _goes_back(record, step) or _is_as(State.BEFORE, record, look, step):
            continue
        if step.undo is Undo.FORWARD:
            return (_to(record, look, Phase.STUCK, reason=f"no-way-back:{name}"),)
        if _tried_enough(record.undone, name):
            return (_to(record, look, Phase.STUCK, reason=f"undo-failed:{name}"),)
        undone = {**record.undone, name: record.undone.get(name, 0) + 1}
        return (Write(replace(record, undone=undone)), Effect(Verb.UNDO, name))
    if damaged := _not_kept(record, look):
        return _further_back(record, look, f"half-changed:{damaged[0].component}")
    return (_boot_or_settle(record, look),)


def _reboot(record: Record, look: Look) -> tuple[Op, ...]:
    if _has_booted(record, look):
        return (_to(record, look, Phase.SETTLE),)
    if look.going_down or (record.asks and look.uptime - record.asked < REBOOT_SECONDS):
        return (Wait(LOOK_AGAIN, "reboot"),)
    if _asked_enough(record):
        return (_to(record, look, Phase.STUCK, reason="no-reboot"),)
    return (Write(replace(record, asks=record.asks + 1, asked=look.uptime)), Effect(Verb.REBOOT))


def _settle(record: Record, look: Look) -> tuple[Op, ...]:
    if not look.settled and look.uptime - record.since < SETTLE_SECONDS:
        return (Wait(LOOK_AGAIN, "settle"),)
    return (_to(record, look, Phase.VERIFY),)


def _verify(record: Record, look: Look) -> tuple[Op, ...]:
    verdict = look.verdict
    if verdict is None or verdict.boot != look.boot:
        return (Wait(LOOK_AGAIN, "verify"),)
    if not verdict.ok or look.reboot:
        return _refused(record, look, verdict.key or "check:reboot")
    if not _arrived(record, look):  # an earlier look was wrong, or somebody changed it since
        return (_to(record, look, Phase.APPLY if record.way is Way.UP else Phase.UNDO),)
    if record.way is Way.UP and record.group == 0 and any(map(group_of, record.host.steps)):
        return (_to(record, look, Phase.APPLY, group=1),)
    return (_to(record, look, Phase.VERIFIED, verified=verdict.boot),)


def _verified(record: Record, look: Look) -> tuple[Op, ...]:
    if not _verified_now(record, look):
        return (_to(record, look, Phase.SETTLE),)
    end = Phase.DONE if record.way is Way.UP else Phase.ROLLED_BACK
    return (*_give_back(record), _to(record, look, end))


_PHASES = {
    Phase.OPEN: _open,
    Phase.DRAIN: _drain,
    Phase.APPLY: _apply,
    Phase.UNDO: _undo,
    Phase.REBOOT: _reboot,
    Phase.SETTLE: _settle,
    Phase.VERIFY: _verify,
    Phase.VERIFIED: _verified,
}


# --- ways from one phase to another


def _to(
    record: Record,
    look: Look,
    phase: Phase,
    *,
    reason: str = "",
    group: int | None = None,
    verified: str = "",
) -> Write:
    made = replace(
        record, phase=phase, since=look.uptime, boot=look.boot, reason=reason or record.reason,
        group=record.group if group is None else group, verified=verified,
    )  # fmt: skip
    if phase is Phase.REBOOT:
        made = replace(made, boot_before=look.boot, asks=0, asked=0.0)
    return Write(made)


def _rebooted_by_others(record: Record, look: Look) -> tuple[Op, ...]:
    """A boot that nobody asked for: it is counted, and too many are an end."""
    boots = record.boots + 1
    counted = replace(record, boots=boots)
    if boots >= MOST_BOOTS:
        return _stop(counted, look, "boots-by-itself")
    return (_to(counted, look, Phase.SETTLE if record.phase is Phase.VERIFY else record.phase),)


def _boot_or_settle(record: Record, look: Look) -> Write:
    return _to(record, look, Phase.REBOOT if _must_boot(record, look) else Phase.SETTLE)


def _refused(record: Record, look: Look, key: str) -> tuple[Op, ...]:
    return _turn_back(record, look, key) if record.way is Way.UP else _further_back(record, look, key)


def _turn_back(record: Record, look: Look, reason: str) -> tuple[Op, ...]:
    back = _to(replace(record, way=Way.DOWN), look, Phase.UNDO, reason=reason)
    return (Effect(Verb.BUNDLE), back)


def _further_back(record: Record, look: Look, key: str) -> tuple[Op, ...]:
    """What had verified goes back too, if all of it can."""
    steps = kept(record)
    if not _may_go_back(steps):
        return _stop(record, look, key)
    tries = {**{step.component: 1 for step in steps}, **record.tries}
    return (_to(replace(record, tries=tries), look, Phase.UNDO, group=0),)


def _stop(record: Record, look: Look, reason: str) -> tuple[Op, ...]:
    """The end that keeps a host out of service."""
    if _in_service(look):
        return (Effect(Verb.DRAIN),)
    return (_to(record, look, Phase.STUCK, reason=reason),)


def _give_back(record: Record) -> tuple[Op, ...]:
    return () if record.foreign else (Effect(Verb.GIVE_BACK),)
