"""The plan of `--rollback`: what the last run did, the other way round."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npudoctor.provision.plan.back import back, nothing
from npudoctor.provision.planned import Change, HostPlan, Outcome, Plan, Reboot, Step, Undo
from npudoctor.provision.record import Phase, Record, Way, as_text
from npudoctor.provision.run.result import result_without
from npudoctor.report.plan_text import to_text
from npudoctor.report.style import Style
from tests.provision.plan.hosts import STACK, UPGRADE_TOOL, keys, names, planner, seen

RECORD = "/var/lib/npudoctor/record.json"
BUSY = {"ls /proc/fd davinci": "4711 python3 /dev/davinci0\n"}
FIRMWARE = Step(
    "firmware",
    "upgrade",
    (Change("firmware", "7.7.0.2.220", "7.8.0.5.216", "the stack names another version"),),
    ("a" * 64,),
    ("b" * 64,),
    4.0,
    Reboot.YES,
    Undo.FULL,
)
OTHER = (Change("driver", "25.2.0", "25.5.0", "the stack names another version"),)
DRIVER = replace(FIRMWARE, component="driver", changes=OTHER)


def record(phase=Phase.DONE, steps=(FIRMWARE, DRIVER), **more):
    before = {"driver": "25.2.0", "firmware": "7.7.0.2.220"}
    host = HostPlan("node1", "kind", "", Outcome.CHANGE, "f", before, steps)
    return as_text(Record("20261130-1", STACK, host, phase=phase, **more), 7)


def turned(files, **other):
    made = replace(planner(), wanted=nothing())
    return back(made, [seen(files=files, **other)], "now").hosts[0]


def test_firmware_goes_back_before_the_driver_as_an_upgrade_wants_it():
    host = turned({RECORD: record()})
    assert (host.outcome, names(host)) == (Outcome.CHANGE, ["firmware", "driver"])
    assert [(one.action, one.changes[0].before, one.changes[0].after) for one in host.steps] == [
        ("undo", "7.8.0.5.216", "7.7.0.2.220"),
        ("undo", "25.5.0", "25.2.0"),
    ]
    assert host.steps[0].packages == ("b" * 64,)


def test_a_host_that_no_run_has_changed_has_nothing_to_go_back_to():
    host = turned({})
    assert (host.outcome, keys(host)) == (Outcome.BLOCKED, ["no-record"])


def test_a_host_that_is_back_already_stays_and_that_is_said():
    host = turned({RECORD: record(Phase.ROLLED_BACK)})
    assert host.outcome is Outcome.CONVERGED
    told = "what the last run had changed is back already"
    assert (host.why, result_without(host).message) == (told, told)
    text = "".join(to_text(Plan("", {}, "now", (host,)), Style(80), "f" * 64))
    assert "1 host back: 1 back already" in text
    assert "back already: nothing is done" in text
    assert turned({RECORD: record()}).why == ""


def test_what_had_stayed_when_the_rest_failed_can_be_taken_back():
    toolkit = replace(DRIVER, component="toolkit")
    stayed = record(Phase.ROLLED_BACK, (FIRMWARE, DRIVER, toolkit), way=Way.DOWN, group=1)
    assert names(turned({RECORD: stayed})) == ["firmware", "driver"]


@pytest.mark.parametrize(
    ("step", "blocked"), [(FIRMWARE, []), (replace(FIRMWARE, undo=Undo.FORWARD), ["no-way-back"])]
)
def test_a_step_without_a_way_back_blocks_and_nobody_may_answer_for_it(step, blocked):
    host = turned({RECORD: record(steps=(step,))})
    assert keys(host) == blocked
    assert all(not one.answer for one in host.blockers)


@pytest.mark.parametrize(("base", "blocked"), [(238, []), (240, ["anti-rollback"])])
def test_a_driver_that_the_npus_let_in_no_more_blocks_before_the_firmware_goes_back(base, blocked):
    commands = {UPGRADE_TOOL: f'{{"device_id":0, "driver":{base}, "firmware":0}}'}
    assert keys(turned({RECORD: record()}, commands=commands)) == blocked


def test_npus_in_use_block_the_way_back_too():
    assert keys(turned({RECORD: record()}, commands=BUSY)) == ["npu-in-use"]


def test_the_text_does_not_repeat_at_each_step_that_it_was_so_before():
    made = back(replace(planner(), wanted=nothing()), [seen(files={RECORD: record()})], "now")
    text = "".join(to_text(made, Style(100), "0" * 64))
    assert "25.5.0 → 25.2.0" in text
    assert "it was so before" not in text
