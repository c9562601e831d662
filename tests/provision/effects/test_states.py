"""Where each component of a plan is, by a plan that is made now and by what the agent sees."""

from dataclasses import replace

import pytest

from npudoctor.provision.effects.states import ASPM, reboot_reasons, states
from npudoctor.provision.machine import Look, State, opened
from npudoctor.provision.planned import Change, Outcome
from tests.provision.world import plan, step

ANSWER = {
    "half": [],
    "disk": {"driver": "", "firmware": ""},
    "aspm": {"written": False, "runs": False},
    "reboot": [],
}


def with_changes(component, *changes, action="configure"):
    rows = tuple(Change(what, before, after, "") for what, before, after in changes)
    return replace(step(component), action=action, changes=rows)


def planned(*steps):
    return replace(plan(), steps=steps)


def state(one, left, back=None, **answer):
    now = planned(*([left] if left else []))
    return states(planned(one), now, {**ANSWER, **answer}, back or {})[one.component]


TOOLKIT = with_changes("toolkit", ("toolkit", "8.2.RC1", "8.5.0"), action="upgrade")


def test_a_component_that_no_plan_would_touch_any_more_is_as_wanted():
    assert state(TOOLKIT, None) is State.WANTED


def test_a_component_for_which_the_same_is_left_to_do_is_as_before():
    assert state(TOOLKIT, TOOLKIT) is State.BEFORE


def test_a_component_that_is_neither_is_something_else():
    other = with_changes("toolkit", ("toolkit", "", "8.5.0"), action="install")
    assert state(TOOLKIT, other) is State.OTHER


@pytest.mark.parametrize("left", [None, TOOLKIT])
def test_an_installer_that_was_cut_off_leaves_something_else_whatever_a_plan_says(left):
    assert state(TOOLKIT, left, half=["toolkit"]) is State.OTHER


@pytest.mark.parametrize(("is_back", "expected"), [(True, State.BEFORE), (False, State.OTHER)])
def test_on_the_way_back_what_the_inventory_wants_by_now_does_not_say_where_a_service_is(is_back, expected):
    service = with_changes("serving", ("serving", "a:1", "a:1"), ("serving.shm_size", "64m", "65m"))
    for left in (None, service):
        assert state(service, left, {"serving": is_back}) is expected
    assert state(service, None, {"serving": is_back}, half=["serving"]) is State.OTHER


DRIVER = with_changes("driver", ("driver", "25.2.0", "25.3.rc1"), action="upgrade")
RUNS_OLD = with_changes("driver", ("driver.running", "25.2.0", "25.3.rc1"), action="reboot")


def test_a_driver_that_is_on_the_disk_and_does_not_run_yet_is_as_wanted():
    assert state(DRIVER, RUNS_OLD, disk={"driver": "25.3.RC1"}) is State.WANTED


FIRMWARE = with_changes("firmware", ("firmware", "7.7.0", "7.8.0"), action="upgrade")


def test_firmware_that_was_taken_back_is_as_before_though_the_new_one_runs_until_the_next_boot():
    """The flash decides for a plan; it still is the new one."""
    assert state(FIRMWARE, None, disk={"firmware": "7.7.0"}) is State.BEFORE
    assert state(FIRMWARE, None, disk={"firmware": "7.8.0"}) is State.WANTED
    assert state(FIRMWARE, None, disk={"firmware": "7.9.9"}) is State.OTHER


def test_a_driver_that_is_repaired_has_the_same_version_before_and_after():
    repair = with_changes("driver", ("driver", "25.3.rc1", "25.3.rc1"), action="repair")
    assert state(repair, repair, disk={"driver": "25.3.rc1"}) is State.BEFORE
    assert state(repair, None, disk={"driver": "25.3.rc1"}) is State.WANTED


TUNING = with_changes("host_tuning", ("host_tuning.stack", "8192", "unlimited"), (ASPM, "default", "off"))
STACK_ONLY = with_changes("host_tuning", ("host_tuning.stack", "8192", "unlimited"))
ASPM_ONLY = with_changes("host_tuning", (ASPM, "default", "off"))
OFF_NEXT_TIME = {"written": True, "runs": False}
ON_NEXT_TIME = {"written": False, "runs": True}


def test_a_word_on_the_command_line_counts_as_soon_as_it_is_written():
    assert state(TUNING, ASPM_ONLY, aspm=OFF_NEXT_TIME) is State.WANTED
    assert state(TUNING, ASPM_ONLY) is State.OTHER


def test_a_word_that_was_taken_from_the_command_line_is_as_before_though_it_counts_until_the_next_boot():
    assert state(TUNING, STACK_ONLY, aspm=ON_NEXT_TIME) is State.BEFORE
    assert state(ASPM_ONLY, None, aspm=ON_NEXT_TIME) is State.BEFORE


def test_what_came_up_since_is_for_another_plan():
    new = with_changes("host_tuning", ("host_tuning.thp", "always", "madvise"))
    assert state(STACK_ONLY, new) is State.WANTED


def test_a_component_that_was_only_to_be_booted_is_as_wanted():
    assert state(RUNS_OLD, RUNS_OLD, disk={"driver": "25.3.rc1"}) is State.WANTED


def test_a_host_is_booted_for_its_command_line_only_where_we_wrote_it():
    answer = {**ANSWER, "reboot": ["driver"], "aspm": OFF_NEXT_TIME}
    record = opened("run1", "stack", planned(TUNING), Look("boot1"))
    assert reboot_reasons(None, answer) == ("driver",)
    assert reboot_reasons(record, answer) == ("driver",)
    assert reboot_reasons(replace(record, tries={"host_tuning": 1}), answer) == ("driver", ASPM)


def test_every_step_of_the_plan_has_a_state():
    assert {*states(plan(), replace(plan(), steps=(), outcome=Outcome.CONVERGED), ANSWER, {})} == {
        "firmware",
        "driver",
        "toolkit",
    }
