"""The states of one host, cut at every moment: see `crashes.py` for how all ways are gone through.

All placements of two cuts take two minutes: `python -m tests.provision.crashes 2` (4,125,098 of them).
"""

import itertools
from dataclasses import replace

import pytest

from npudoctor.provision import machine, turn
from npudoctor.provision.effects.protocol import Fenced
from npudoctor.provision.machine import State, Write
from npudoctor.provision.record import Phase
from tests.provision.crashes import ROUNDS, after, begin, search
from tests.provision.world import FAULTS, Crash, FakeEffects, World, ended_wrong

FEW_FAULTS = [set(), {"reboot-ignored"}, {"new-is-bad"}, {"bad-on-second-boot"}]
UPPER_FAULTS = [{"toolkit-fails"}, {"toolkit-fails", "old-toolkit-misfits"}]


def test_no_crash_and_no_power_loss_at_any_moment_under_any_faults_breaks_an_invariant():
    found = search(1)
    assert found.placements > 20_000
    assert {*found.ends} == {"done", "rolled-back", "stuck"}
    assert not found.broken


@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_two_cuts_at_any_moments_break_no_invariant(fault):
    found = search(2, [{fault} - {None}])
    assert found.placements > 5_000
    assert not found.broken


def by_what_was_tried(state, record, _look, step):
    book = record.tries if state is State.WANTED else record.undone
    return book.get(step.component, 0) > 0


def still_verified(record, look):
    return (Write(replace(record, boot=look.boot, boots=record.boots + 1)),)


def effect_first(record, look):
    ops = machine.next_ops(record, look)
    return ops[::-1] if len(ops) == 2 and isinstance(ops[0], Write) else ops


BROKEN = {
    "what is seen outranks what is recorded": (
        {"_is_as": by_what_was_tried}, "one crash alone spoilt a good change",
    ),
    "only another boot id is a reboot": (
        {"_has_booted": lambda record, _look: record.asks > 0}, "one crash alone spoilt a good change",
    ),
    "a verification holds in its own boot": (
        {"_verified_now": lambda _record, _look: True, "_rebooted_by_others": still_verified},
        "given back without a verification of this boot",
    ),
    "nothing is changed on a host in service": (
        {"_in_service": lambda _look: False}, "mutated while in service",
    ),
    "a drain that was found stays": (
        {"_give_back": lambda _record: (machine.Effect(machine.Verb.GIVE_BACK),)},
        "a drain of somebody else was lifted",
    ),
    "attempts are counted": ({"_tried_enough": lambda _tries, _component: False}, "never ends"),
    "what had verified stays": (
        {"_goes_back": lambda record, step: bool(record.tries.get(step.component))},
        "what had verified did not stay",
    ),
    "what had verified goes back where it has to, and can": (
        {"_may_go_back": lambda _steps: False}, "not back, although there was a way",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", BROKEN)
def test_without_one_rule_an_invariant_breaks(rule, monkeypatch):
    functions, invariant = BROKEN[rule]
    for name, function in functions.items():
        monkeypatch.setattr(machine, name, function)
    assert invariant in search(1, [*FEW_FAULTS, *UPPER_FAULTS, {"driver-fails"}]).broken


def test_without_intent_before_effect_an_effect_has_no_trace(monkeypatch):
    monkeypatch.setattr(turn, "next_ops", effect_first)
    assert "effect without a durable intent" in search(1, FEW_FAULTS).broken


def test_with_a_reboot_by_what_is_remembered_a_crash_spoils_a_good_change():
    assert "one crash alone spoilt a good change" in search(1, FEW_FAULTS, lies=("remembers",)).broken


def test_without_a_cap_on_asks_a_host_that_never_boots_is_asked_for_ever(monkeypatch):
    monkeypatch.setattr(World, "reboot", lambda _world: None)
    assert not search(0, [set()]).broken.keys() & {"never ends"}
    monkeypatch.setattr(machine, "_asked_enough", lambda _record: False)
    assert "never ends" in search(0, [set()]).broken


def brought_to_its_end(world, lies=()):
    for _round in range(ROUNDS):
        if world.record is not None and world.record.ended:
            break
        world, _operations = after(world, lies=lies)
    return world


# --- two controllers


def worlds_on_the_way(faults=frozenset()):
    world = World(faults)
    while world.record is None or not world.record.ended:
        yield world
        world, _operations = after(world)


class Stalls(FakeEffects):
    """A controller that stops before one operation, while another takes the host and works for some turns."""

    def __init__(self, world, at, turns, lies=()):
        super().__init__(world, fence=world.fence, lies=lies)
        self.at, self.turns = at, turns

    def _operation(self, whole, half):
        if self.operations == self.at:
            self.world.fence += 1
            for _turn in range(self.turns):
                other = FakeEffects(self.world, fence=self.world.fence, lies=self.lies)
                done = turn.turn(other, begin)
                self.world.uptime += 700.0 if done.seconds else 0.0
        super()._operation(whole, half)


def with_two_controllers(lies=()):
    """Each moment at which the first stalls, and each number of turns that the second has by then."""
    for world, turns in itertools.product([*worlds_on_the_way()], range(ROUNDS // 4)):
        for at in range(after(world)[1]):
            yield two_controllers(world.copy(), at, turns, lies)


def two_controllers(world, at, turns, lies):
    try:
        turn.turn(Stalls(world, at, turns, lies), begin)
    except Fenced:
        assert world.fence == 2
    return ended_wrong(brought_to_its_end(world, lies), 0, 1)


def test_a_controller_that_was_overtaken_does_nothing_more():
    found = [*with_two_controllers()]
    assert len(found) > 200
    assert not any(found)


def test_without_fence_numbers_two_controllers_break_a_host():
    broken = set().union(*with_two_controllers(lies=("no-fence",)))
    assert "flashed twice" in broken


# --- a probe that lies


class Lies(FakeEffects):
    """Once, in one turn, a component is said to be in another state than it is."""

    def __init__(self, world, name, state):
        super().__init__(world, fence=world.fence)
        self.name, self.state = name, state

    def look(self):
        record, look = super().look()
        return record, replace(look, states={**look.states, self.name: self.state})


LIES = [(name, state) for name in ("firmware", "driver", "toolkit") for state in State]


@pytest.mark.parametrize(("name", "state"), LIES)
def test_a_probe_that_lies_once_never_makes_a_host_done_that_is_not(name, state):
    for start in worlds_on_the_way():
        world = start.copy()
        turn.turn(Lies(world, name, state), begin)
        world = brought_to_its_end(world)
        assert world.record.ended
        assert not ended_wrong(world, 0, 1) - {"flashed twice", "one crash alone spoilt a good change"}


def test_without_another_look_at_what_is_there_a_lie_makes_a_host_done_that_is_not(monkeypatch):
    monkeypatch.setattr(machine, "_arrived", lambda _record, _look: True)
    ends = set()
    for start in worlds_on_the_way():
        world = start.copy()
        turn.turn(Lies(world, "toolkit", State.WANTED), begin)
        ends |= ended_wrong(brought_to_its_end(world), 0, 1)
    assert "done, but does not run what was planned" in ends


def test_the_search_itself_sees_a_cut():
    world = World()
    twin, operations = after(world)
    assert operations == 1
    assert twin.record.phase is Phase.OPEN
    cut, _operations = after(world, (0, "p0"))
    assert cut.record is None
    assert cut.boot == 2
    with pytest.raises(Crash):
        turn.turn(FakeEffects(world, (0, "c0")), begin)
