"""One host of a run that several processes have been at: what is told of it in the end."""

import time
from contextlib import nullcontext

import pytest

from npudoctor.provision.admission import Limits
from npudoctor.provision.call import Share
from npudoctor.provision.machine import Look, Verb, opened, turned_back
from npudoctor.provision.run.folder import RunFolder
from npudoctor.provision.run.live import Live
from npudoctor.provision.run.loop import PACE, Loop
from npudoctor.provision.run.result import Word
from tests.provision.world import FakeEffects, World, plan

HOST = plan()


class Effects(FakeEffects):
    """On a world whose installers take their time."""

    def turn(self):
        return nullcontext()

    def perform(self, effect, record):
        time.sleep(0.02 if effect.component else 0)
        super().perform(effect, record)


@pytest.fixture
def folder(tmp_path):
    made = RunFolder.new(tmp_path, {}, {})
    yield made
    made.close()


def host(world, folder):
    """As a process finds it that goes on with this run."""

    def begin(record, look):
        return None if record else opened("run1", "stack", HOST, look)

    def say(name, event, what):
        folder.say(event, host=name, **what)

    return Live(HOST, Effects(world), begin, say, earlier=folder.earlier().get(HOST.name))


def ended(live):
    Loop({HOST.name: live}, Limits(failed=Share(count=9), hosts=1)).run()
    return live.result()


def test_of_a_step_that_was_taken_back_without_effect_it_is_said_what_is_wrong(folder):
    world = World(frozenset({"new-is-bad"}))
    live = host(world, folder)
    whole = live._effects.perform

    def perform(effect, record):
        if (effect.verb, effect.component) != (Verb.UNDO, "driver"):
            whole(effect, record)

    live._effects.perform = perform
    told = ended(live)
    assert (told.word, told.key) == (Word.STUCK, "undo-failed:driver")
    assert told.message == "taking back driver failed: it is not as it was before"


def test_what_went_back_with_another_component_is_told_when_the_way_back_is_done(folder):
    world = World()
    ended(host(world, folder))
    world.record, world.disk["toolkit"] = turned_back(world.record, "run2", Look("2", drained=True)), "old"
    told = []
    live = Live(HOST, Effects(world), lambda _record, _look: None, lambda *event: told.append(event[1:]))
    assert ended(live).word is Word.ROLLED_BACK
    assert [what["component"] for event, what in told if event == "did" and what["verb"] == "undo"] == [
        "firmware",
        "driver",
    ]
    assert [what for event, what in told if event == "back-already"] == [{"components": ["toolkit"]}]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setenv(PACE, "0.001")


@pytest.mark.parametrize("faults", [{}, {"driver-fails"}, {"driver-fails", "firmware-no-downgrade"}])
def test_a_host_that_has_come_to_its_end_is_left_alone_by_who_resumes_and_told_as_it_was(folder, faults):
    world = World(frozenset(faults))
    first = ended(host(world, folder))
    again = host(world, folder)
    again._effects.look = lambda: pytest.fail("nobody looks at it")
    assert again.entry.standing == host(world, folder).entry.standing
    second = ended(again)
    assert (second.word, second.key, second.message) == (first.word, first.key, first.message)
    assert (second.boots, second.steps, second.log) == (first.boots, first.steps, first.log)
    assert second.seconds == pytest.approx(first.seconds, abs=0.051)


def test_a_host_that_was_in_the_middle_keeps_its_boots_its_steps_and_its_times(folder):
    world = World()
    first = host(world, folder)
    while len(first.result().boots) < 2:
        first.step()
    said = ended(host(world, folder))
    assert said.word is Word.DONE
    assert said.boots == first.result().boots
    assert said.steps == ("firmware", "driver", "toolkit")
    assert said.seconds["apply"] >= round(first.result().seconds["apply"], 1)


def test_the_time_of_an_installer_counts_for_the_phase_in_which_it_ran(folder):
    seconds = ended(host(World(), folder)).seconds
    assert seconds["apply"] > 0.06
    assert seconds["apply"] > seconds["settle"]


def test_a_step_is_told_when_it_begins_and_with_its_seconds_when_it_has_ended(folder):
    told = []
    live = host(World(), folder)
    live._told = lambda _name, event, what: told.append(
        (event, what.get("verb"), what.get("component"), what)
    )
    ended(live)
    of_driver = [each for each in told if each[2] == "driver"]
    assert [each[:2] for each in of_driver] == [("does", "apply"), ("did", "apply")]
    assert of_driver[0][3]["version"] == next(
        change.after for step in HOST.steps for change in step.changes if change.what == "driver"
    )
    assert of_driver[1][3]["seconds"] > 0


def test_of_a_host_that_is_done_it_is_told_what_is_still_as_bad_as_it_was(folder):
    live = host(World(), folder)
    live._effects.noted = "npu.health: fail"
    result = ended(live)
    assert (result.word, result.message) == (Word.DONE, "npu.health: fail")
