"""A small world: one host with firmware, a driver and a toolkit, its boots, its drain, and all that can fail.

It stands in for the real effects, so that the machine can be cut at every moment: `crashes.py` does that.
"""

import copy
from contextlib import suppress

from npudoctor.provision.effects.protocol import Fenced, StepFailed
from npudoctor.provision.machine import Look, State, Verb, Verdict, kept
from npudoctor.provision.planned import Change, HostPlan, Outcome, Reboot, Step, Undo
from npudoctor.provision.record import Phase, Way

FAULTS = (
    "new-is-bad",
    "bad-on-second-boot",
    "driver-fails",
    "toolkit-fails",
    "undo-fails",
    "firmware-no-downgrade",
    "firmware-forward",
    "old-toolkit-misfits",
    "reboot-ignored",
)
COMPONENTS = ("firmware", "driver", "toolkit")
IN_KERNEL = ("firmware", "driver")
STATES = {"new": State.WANTED, "old": State.BEFORE, "partial": State.OTHER}


def step(component, undo=Undo.FULL):
    changes = (Change(component, "old", "new", "the stack wants it"),)
    reboot = Reboot.YES if component in IN_KERNEL else Reboot.NO
    return Step(component, "upgrade", changes, ("a" * 64,), ("b" * 64,), 5.0, reboot, undo)


def plan(*components, undo=Undo.FULL):
    return plan_of(*(step(component, undo) for component in components or COMPONENTS))


def plan_of(*steps):
    return HostPlan("node1", "910B3 ubuntu", "", Outcome.CHANGE, "f" * 64, {}, steps)


class World:
    """The host. What is durable, what the laws of nature are, and what has been done that never may be."""

    def __init__(self, faults=frozenset(), foreign=False):
        self.faults = faults
        self.foreign = foreign
        self.disk = dict.fromkeys(COMPONENTS, "old")
        self.runs = dict.fromkeys(IN_KERNEL, "old")
        self.boot = 1
        self.uptime = 0.0
        self.drained = foreign
        self.record = None
        self.fence = 1
        self.reboots = 0
        self.reboots_ignored = 0
        self.first_good_boot = None
        self.kernel_verified = False
        self.verified_at = None
        self.intents = frozenset()
        self.changed = False  # what the controller's process remembers: only a broken machine looks at it
        self.bad = frozenset()

    def copy(self):
        twin = copy.copy(self)
        twin.disk, twin.runs = dict(self.disk), dict(self.runs)
        return twin

    def key(self):
        """Two worlds with the same key have the same future."""
        mine = (*self.disk.values(), *self.runs.values(), self.boot, self.uptime, self.drained, self.fence)
        told = (self.reboots, self.reboots_ignored, self.first_good_boot, self.verified_at, self.intents)
        told = (*told, self.kernel_verified)
        return (*mine, *told, self.changed, self.bad, of_record(self.record))

    def say(self, invariant):
        self.bad |= {invariant}

    def power_loss(self):
        self.boot += 1
        self.uptime = 0.0
        for name in IN_KERNEL:
            self.runs[name] = "none" if self.disk[name] == "partial" else self.disk[name]

    def reboot(self):
        if "reboot-ignored" in self.faults and not self.reboots_ignored:
            self.reboots_ignored += 1
            return
        self.reboots += 1
        self.power_loss()

    def install(self, name, target, part=False):
        """Run an installer; `part`: it is cut in the middle."""
        if not self.drained:
            self.say("mutated while in service")
        if (name, target) not in self.intents:
            self.say("effect without a durable intent")
        if name == "firmware" and target == self.disk[name] == "new":
            self.say("flashed twice")
        if self._refuses(name, target):
            raise StepFailed(f"step-failed:{name}", "it does not install")
        self.disk[name] = "partial" if part else target
        self.changed = True

    def _refuses(self, name, target):
        if name == "firmware":
            return target == "old" and "firmware-no-downgrade" in self.faults
        fails = f"{name}-fails" if target == "new" else "undo-fails"
        if fails in self.faults:
            self.disk[name] = "partial"
        return fails in self.faults

    def is_good(self):
        """What the doctor's checks find."""
        if any(self.runs[name] != self.disk[name] for name in IN_KERNEL) or "partial" in self.disk.values():
            return False
        if "new-is-bad" in self.faults and "new" in self.runs.values():
            return False
        if len(set(self.runs.values())) != 1 or (self.disk["toolkit"] == "new" != self.runs["driver"]):
            return False
        return not self._misfits() and not self._breaks_later()

    def _misfits(self):
        """Between the driver and the toolkit the pair is not judged."""
        if "old-toolkit-misfits" not in self.faults or (self.record.way is Way.UP and not self.record.group):
            return False
        return self.disk["toolkit"] == "old" != self.runs["driver"]

    def _breaks_later(self):
        if "bad-on-second-boot" not in self.faults or self.runs["driver"] != "new":
            return False
        self.first_good_boot = self.first_good_boot or self.boot
        return self.boot > self.first_good_boot


def of_record(record):
    if record is None:
        return None
    counts = (*sorted(record.tries.items()), "|", *sorted(record.undone.items()))
    boots = (record.boot, record.since, record.boot_before, record.asks, record.asked, record.boots)
    return (record.phase, record.way, record.group, record.foreign, counts, boots, record.verified)


class Crash(Exception):
    """The controller is gone."""


class FakeEffects:
    """Effects on a world, cut at one operation of a turn.

    The kinds of cuts: `c0` the controller dies before the operation, `c1` it dies and what it started dies
    half-way, `c2` the operation ends but nobody hears of it; `p0` and `p1` likewise, and the power is lost.
    """

    def __init__(self, world, cut=None, fence=1, lies=()):
        self.world = world
        self.cut = cut
        self.fence = fence
        self.lies = lies
        self.operations = 0

    def look(self):
        world, record = self.world, self.world.record
        states = {name: STATES[on_disk] for name, on_disk in world.disk.items()}
        pending = tuple(name for name in IN_KERNEL if world.disk[name] != world.runs[name])
        if "remembers" in self.lies:
            pending = ("changed",) if world.changed else ()
        verdict = None
        if record is not None and record.phase is Phase.VERIFY:
            verdict = Verdict(world.is_good(), "check:npu.health", str(world.boot))
            if verdict.ok:
                world.verified_at = (world.boot, tuple(world.disk.values()))
                world.kernel_verified = world.kernel_verified or {*world.runs.values()} == {"new"}
        look = Look(
            str(world.boot), world.uptime, world.drained, foreign=world.drained, states=states,
            reboot=pending, settled=True,
            verdict=verdict,
        )  # fmt: skip
        return record, look

    def write(self, record):
        def put():
            self._check_fence()
            begun = {(name, "new") for name in record.tries} | {(name, "old") for name in record.undone}
            self.world.intents |= begun
            self.world.record = record

        self._operation(put, half=lambda: None)

    def perform(self, effect, record):
        target = "old" if effect.verb is Verb.UNDO else "new"
        whole = {
            Verb.DRAIN: self._drain,
            Verb.GIVE_BACK: self._give_back,
            Verb.REBOOT: self.world.reboot,
            Verb.BUNDLE: lambda: None,
        }.get(effect.verb, lambda: self.world.install(effect.component, target))
        half = whole
        if effect.verb in (Verb.APPLY, Verb.UNDO):
            half = lambda: self.world.install(effect.component, target, part=True)  # noqa: E731
        self._operation(self._fenced(whole), self._fenced(half))

    def _fenced(self, act):
        def run():
            self._check_fence()
            act()

        return run

    def _check_fence(self):
        if self.fence < self.world.fence and "no-fence" not in self.lies:
            raise Fenced("another run has it")

    def _drain(self):
        self.world.drained = True

    def _give_back(self):
        if self.world.verified_at != (self.world.boot, tuple(self.world.disk.values())):
            self.world.say("given back without a verification of this boot")
        self.world.drained = False

    def _operation(self, whole, half):
        at, self.operations = self.operations, self.operations + 1
        kind = self.cut[1] if self.cut and self.cut[0] == at else None
        if kind is None:
            whole()
            return
        if kind in ("c1", "p1"):
            _quietly(half)
        if kind == "c2":
            _quietly(whole)
        if kind[0] == "p":
            self.world.power_loss()
        self.world.changed = False
        raise Crash


def _quietly(act):
    with suppress(StepFailed):
        act()


def ended_wrong(world, cuts, rounds_left):
    """Which invariants a host breaks that has come to its end."""
    phase = world.record.phase if world.record else Phase.OPEN
    versions = {*world.disk.values(), *world.runs.values()}
    broken = set(world.bad)
    if rounds_left <= 0:
        broken.add("never ends")
    if phase is Phase.DONE and versions != {"new"}:
        broken.add("done, but does not run what was planned")
    if phase is Phase.ROLLED_BACK and not _is_back(world):
        broken.add("rolled back, but does not run what it ran, or what had verified")
    if phase is Phase.STUCK and not world.drained:
        broken.add("stuck but in service")
    if world.foreign and not world.drained:
        broken.add("a drain of somebody else was lifted")
    if world.reboots > 4:
        broken.add("boots without end")
    if rounds_left > 0 and cuts <= 1:
        broken |= _spoilt(world, phase)
    return broken


def _is_back(world):
    """What was undone is as before; what stays runs, and had verified; there is nothing in between."""
    stays = {step.component for step in kept(world.record)}
    wanted = {name: "new" if name in stays else "old" for name in COMPONENTS}
    runs = {name: wanted[name] for name in IN_KERNEL}
    return world.disk == wanted and world.runs == runs and (world.kernel_verified or not stays)


def _spoilt(world, phase):
    """What no single crash may cost."""
    faults = world.faults - {"reboot-ignored"}
    if not faults and phase is not Phase.DONE:
        return {"one crash alone spoilt a good change"}
    if faults in ({"toolkit-fails"}, {"toolkit-fails", "firmware-forward"}) and not kept(world.record):
        return {"what had verified did not stay"}
    if faults == {"toolkit-fails", "old-toolkit-misfits"} and phase is not Phase.ROLLED_BACK:
        return {"not back, although there was a way"}
    return set()
