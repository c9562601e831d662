"""Every way in which one host can be cut, gone through to the end: as many crashes and power losses as asked.

Worlds that are the same have the same future, so each is gone through once, and the ways that lead through it
are counted: `python -m tests.provision.crashes 2` says how many there are, and which invariants they break.
"""

import itertools
import sys
import time
from dataclasses import dataclass, field

from npudoctor.provision.machine import opened
from npudoctor.provision.planned import Undo
from npudoctor.provision.turn import turn
from tests.provision.world import FAULTS, Crash, FakeEffects, World, ended_wrong, plan, plan_of, step

KINDS = ("c0", "c1", "c2", "p0", "p1")
ROUNDS = 64
PLAN = plan()
FORWARD = plan_of(step("firmware", Undo.FORWARD), *PLAN.steps[1:])


def begin(record, look, host=PLAN):
    return opened("run1", "stack", host, look) if record is None else None


def begin_forward(record, look):
    return begin(record, look, FORWARD)


@dataclass
class Found:
    """What came of a search."""

    placements: int = 0
    worlds: int = 0
    ends: dict = field(default_factory=dict)
    broken: dict = field(default_factory=dict)


def after(world, cut=None, lies=()):
    """The world after one turn, and how many operations that turn had."""
    twin = world.copy()
    effects = FakeEffects(twin, cut, fence=twin.fence, lies=lies)
    try:
        done = turn(effects, begin_forward if "firmware-forward" in world.faults else begin)
    except Crash:
        return twin, effects.operations
    if done.seconds:
        twin.uptime += 700.0
    return twin, effects.operations


class Search:
    """Depth first, with each world's ends kept."""

    def __init__(self, crashes, lies=()):
        self.crashes = crashes
        self.lies = lies
        self.known = {}
        self.found = Found()

    def go(self, faults, foreign):
        self.known.clear()
        ways = self._ways(World(frozenset(faults), foreign), self.crashes, ROUNDS, ())
        self.found.placements += ways
        self.found.worlds += len(self.known)

    def _ways(self, world, left, rounds, path):
        """How many placements of cuts there are from here on."""
        if rounds <= 0 or (world.record is not None and world.record.ended):
            return self._end(world, left, rounds, path)
        key = (world.key(), left, rounds)
        if key not in self.known:
            self.known[key] = 0
            self.known[key] = self._through(world, left, rounds, path)
        return self.known[key]

    def _through(self, world, left, rounds, path):
        whole, operations = after(world, lies=self.lies)
        ways = self._ways(whole, left, rounds - 1, path)
        for at, kind in itertools.product(range(operations), KINDS) if left else ():
            cut, _ = after(world, (at, kind), self.lies)
            ways += self._ways(cut, left - 1, rounds - 1, (*path, (ROUNDS - rounds, at, kind)))
        return ways

    def _end(self, world, left, rounds, path):
        phase = world.record.phase.value if world.record else "none"
        self.found.ends[phase] = self.found.ends.get(phase, 0) + 1
        for invariant in ended_wrong(world, self.crashes - left, rounds):
            self.found.broken.setdefault(invariant, (sorted(world.faults), world.foreign, path))
        return 1


def search(crashes, fault_sets=None, lies=()):
    sets = fault_sets if fault_sets is not None else all_fault_sets()
    searching = Search(crashes, lies)
    for faults, foreign in itertools.product(sets, (False, True)):
        searching.go(faults, foreign)
    return searching.found


def all_fault_sets():
    """Each combination; firmware that cannot be taken back cannot fail to be."""
    both = {"firmware-forward", "firmware-no-downgrade"}
    found = (set(some) for n in range(len(FAULTS) + 1) for some in itertools.combinations(FAULTS, n))
    return [some for some in found if not both <= some]


if __name__ == "__main__":
    began = time.monotonic()
    found = search(int(sys.argv[1]) if sys.argv[1:] else 1)
    seconds = time.monotonic() - began
    print(f"{found.placements} placements, {found.worlds} worlds, {seconds:.1f} s, {found.ends}")
    for invariant, example in found.broken.items():
        print(f"BROKEN {invariant}: {example}")
    sys.exit(bool(found.broken))
