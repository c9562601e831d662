"""The loop over the hosts of a run, with worlds in the place of hosts."""

import threading
import time
from contextlib import nullcontext
from dataclasses import replace

import pytest

from npudoctor.errors import IncompleteError
from npudoctor.provision.admission import Limits
from npudoctor.provision.call import Share
from npudoctor.provision.effects.protocol import StepFailed
from npudoctor.provision.machine import Verb, opened, turned_back
from npudoctor.provision.record import Way
from npudoctor.provision.run import live as live_module
from npudoctor.provision.run.live import Live
from npudoctor.provision.run.loop import PACE, Loop
from npudoctor.provision.run.result import Word
from tests.provision.world import FakeEffects, World, plan


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setenv(PACE, "0.001")


class HostOfWorld(FakeEffects):
    """Effects on a world, as the loop uses them."""

    busy = 0
    most = 0
    lock = threading.Lock()

    def turn(self):
        return nullcontext()

    def look(self):
        with self.lock:
            HostOfWorld.busy += 1
            HostOfWorld.most = max(self.most, self.busy)
        self.world.uptime += 100.0
        answer = super().look()
        with self.lock:
            HostOfWorld.busy -= 1
        return answer


def live(name, world, events=None, kind="910B3", cause="", back=False):
    mine = replace(plan(), name=name, kind=kind)
    told = (lambda host, event, what: events.append((host, event, what))) if events is not None else _nobody
    return Live(
        mine,
        HostOfWorld(world),
        _goes_back if back else lambda record, look: None if record else opened("run1", "stack", mine, look),
        told,
        cause=cause,
    )


def _goes_back(record, look):
    return turned_back(record, "run2", look) if record.run == "run1" else None


def _nobody(_host, _event, _what):
    pass


def run(hosts, **limits):
    given = {"unavailable": Share(count=9), "failed": Share(count=9), "hosts": len(hosts)} | limits
    loop = Loop(hosts, Limits(**given))
    loop.run()
    return loop, {name: host.word for name, host in hosts.items()}


def test_every_host_is_brought_to_its_end():
    hosts = {f"node{n}": live(f"node{n}", World()) for n in range(12)}
    loop, words = run(hosts)
    assert {*words.values()} == {Word.DONE}
    assert not loop.brake


def test_a_bad_version_stops_at_the_canaries_and_the_others_are_left_whole():
    worlds = {f"node{n}": World(frozenset({"new-is-bad"})) for n in range(40)}
    hosts = {name: live(name, world, kind=f"kind{int(name[4:]) % 2}") for name, world in worlds.items()}
    loop, words = run(hosts)
    assert loop.brake == "canary-failed"
    back = [name for name, word in words.items() if word is Word.ROLLED_BACK]
    assert back == ["node0", "node1"]
    assert {*words.values()} == {Word.ROLLED_BACK, Word.PAUSED}
    assert all(world.record is None for name, world in worlds.items() if name not in back)
    assert all(world.disk["driver"] == "old" for world in worlds.values())


def test_hosts_that_go_back_because_a_person_wants_it_are_no_failures():
    worlds = [World() for _n in range(4)]
    run({f"node{n}": live(f"node{n}", world) for n, world in enumerate(worlds)})
    hosts = {f"node{n}": live(f"node{n}", world, back=True) for n, world in enumerate(worlds)}
    loop, words = run(hosts, failed=Share(part=0.1), unavailable=Share(count=1))
    assert {*words.values()} == {Word.ROLLED_BACK}
    assert not loop.brake
    assert all(world.disk["driver"] == "old" for world in worlds)


def test_no_more_hosts_are_out_of_service_than_may_be():
    worlds = {f"node{n}": World() for n in range(10)}
    most = []

    def watch(_host, _event, _what):
        most.append(sum(world.drained for world in worlds.values()))

    hosts = {name: live(name, world) for name, world in worlds.items()}
    for host in hosts.values():
        host._told = watch
    run(hosts, canary=0, unavailable=Share(count=3))
    assert max(most) == 3


def test_a_fault_of_ours_costs_one_host_only():
    good, bad = live("good", World()), live("bad", World())
    bad._effects.look = lambda: 1 / 0
    _loop, words = run({"bad": bad, "good": good}, canary=0)
    assert words == {"bad": Word.PAUSED, "good": Word.DONE}
    assert bad.result().key == "internal-error"


def test_a_host_that_never_answers_is_not_reached():
    host = live("node1", World())
    host._effects.look = lambda: _raise(IncompleteError("no answer in time"))
    _loop, words = run({"node1": host})
    assert words == {"node1": Word.NOT_REACHED}


def test_a_host_that_does_not_come_back_is_lost_in_the_end(monkeypatch):
    monkeypatch.setattr(live_module, "LOST_SECONDS", 0.05)
    world = World()
    host = live("node1", world)
    whole = host._effects.look

    def look():
        if world.record is not None and world.record.phase.value == "reboot":
            raise IncompleteError("connection refused")
        return whole()

    host._effects.look = look
    _loop, words = run({"node1": host})
    assert words == {"node1": Word.LOST}
    assert host.result().key == "lost"


def test_a_host_that_comes_back_in_time_goes_on():
    host = live("node1", World())
    whole, fails = host._effects.look, [5]

    def look():
        if host.result().boots and fails[0] > 0:
            fails[0] -= 1
            raise IncompleteError("connection refused")
        return whole()

    host._effects.look = look
    _loop, words = run({"node1": host})
    assert words == {"node1": Word.DONE}


REFUSED = StepFailed("drain", "scontrol: slurm_update error: Invalid user id")


@pytest.mark.parametrize("verb", [Verb.DRAIN, Verb.GIVE_BACK])
def test_a_scheduler_that_refuses_is_not_asked_for_ever(verb):
    events = []
    host = live("node1", World(), events)
    whole, asked = host._effects.perform, []

    def perform(effect, record):
        if effect.verb is verb:
            asked.append(effect)
            raise REFUSED
        whole(effect, record)

    host._effects.perform = perform
    _loop, words = run({"node1": host})
    assert (words["node1"], host.result().key, host.result().message) == (Word.PAUSED, "drain", str(REFUSED))
    assert len(asked) == 30
    assert [what["verb"] for _host, _event, what in events if what.get("failed")] == [verb.value]


@pytest.mark.parametrize(("fails", "word"), [(2, Word.DONE), (3, Word.BLOCKED)])
def test_a_scheduler_that_does_not_answer_before_a_host_is_begun_blocks_it(fails, word):
    host = live("node1", World())
    host._effects.look = _failing(host._effects.look, fails)
    assert run({"node1": host})[1] == {"node1": word}


def test_a_scheduler_that_is_away_for_a_while_costs_nothing_but_time():
    host = live("node1", World())
    host._effects.look = _failing(host._effects.look, 29, after=2)
    assert run({"node1": host})[1] == {"node1": Word.DONE}


def _failing(whole, times, after=0):
    looks = []

    def look():
        looks.append(None)
        if after < len(looks) <= after + times:
            raise REFUSED
        return whole()

    return look


def test_a_run_that_is_stopped_leaves_hosts_where_they_can_go_on():
    worlds = {f"node{n}": World() for n in range(6)}
    hosts = {name: live(name, world) for name, world in worlds.items()}
    loop = Loop(hosts, Limits(canary=0, unavailable=Share(count=2), hosts=6))
    thread = threading.Thread(target=loop.run)
    thread.start()
    while not any(world.record for world in worlds.values()):
        time.sleep(0.001)
    loop.stop()
    thread.join(10)
    assert not thread.is_alive()
    again = {name: live(name, world) for name, world in worlds.items()}
    _loop, words = run(again)
    assert {*words.values()} == {Word.DONE}


def test_what_is_told_of_a_host_names_its_boots_its_steps_and_what_failed():
    events = []
    host = live("node1", World(frozenset({"driver-fails"})), events)
    run({"node1": host})
    told = host.result()
    assert told.word is Word.ROLLED_BACK
    assert told.key == "step-failed:driver"
    assert told.message == "it does not install"
    assert told.steps == ("firmware", "driver")
    assert told.boots[0] == "1"
    assert told.bundle == "bundles/node1.tar.gz"
    assert events[-1][:2] == ("node1", "end")


def test_what_stays_where_only_the_rest_failed_is_told_with_why_it_failed():
    host = live("node1", World(frozenset({"toolkit-fails"})))
    run({"node1": host})
    told = host.result()
    assert (told.word, told.key) == (Word.ROLLED_BACK, "step-failed:toolkit")
    assert told.kept == ("firmware", "driver")
    assert told.message == "it does not install; kept, as it verified: firmware new, driver new"


def test_of_a_host_that_is_stuck_both_what_failed_first_and_what_stopped_it_are_told():
    host = live("node1", World(frozenset({"driver-fails", "firmware-no-downgrade"})))
    run({"node1": host})
    told = host.result()
    assert (told.word, told.key) == (Word.STUCK, "undo-failed:firmware")
    assert told.message == "it does not install; taking back firmware failed: it does not install"


def test_why_a_host_turned_back_is_not_forgotten_when_another_process_brings_it_to_its_end():
    world, events = World(frozenset({"toolkit-fails"})), []
    host = live("node1", world, events)
    while not world.record or world.record.way is Way.UP:
        host.step()
    cause = events[-1][2]["cause"]
    assert cause == "it does not install"
    again = live("node1", world, cause=cause)
    run({"node1": again})
    assert again.result().message.startswith("it does not install; kept")


def _raise(error):
    raise error
