"""Whether a host is right after a change."""

from dataclasses import replace

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.provision.machine import Look, opened
from npudoctor.provision.record import Phase, Way
from npudoctor.provision.verdict import CORE, verdict
from tests.provision.world import plan

GOOD = {**dict.fromkeys(CORE, "pass"), "driver.cann_pairing": "pass", "torch.cann_pairing": "pass"}
ROLES = {"driver.library_path": "driver", "limits.stack": "host_tuning", "torch.cann_pairing": None}


def record(components=("driver", "toolkit"), group=1, way=Way.UP, baseline=GOOD):
    look = Look("boot1", baseline=dict(baseline))
    return replace(opened("run1", "stack", plan(*components), look), phase=Phase.VERIFY, group=group, way=way)


def judged(statuses, **fields):
    return verdict(record(**fields), {**GOOD, **statuses}, ROLES, "boot1")


def test_a_host_on_which_all_passes_is_right():
    assert judged({}).ok


@pytest.mark.parametrize("id", CORE)
@pytest.mark.parametrize("status", ["fail", "unknown"])
def test_what_no_host_may_be_without_must_pass_and_be_known(id, status):
    answer = judged({id: status}, baseline={**GOOD, id: status})
    assert not answer.ok
    assert answer.key == f"check:{id}"


@pytest.mark.parametrize("id", CORE)
@pytest.mark.parametrize("components", [("host_tuning",), ("toolkit", "environment")])
def test_a_run_without_driver_and_firmware_is_not_failed_by_what_failed_before(id, components):
    before = {**GOOD, id: "fail"}
    assert judged({id: "fail"}, components=components, baseline=before, group=0).ok
    assert judged({id: "unknown"}, components=components, baseline=before).ok
    assert judged({id: "unknown"}, components=components, baseline={**GOOD, id: "unknown"}).ok


def test_but_it_is_told():
    answer = judged({"npu.health": "fail"}, components=("toolkit",), baseline={**GOOD, "npu.health": "fail"})
    assert answer.ok
    assert answer.message.endswith(": npu.health: fail")


@pytest.mark.parametrize("before", ["pass", "warn", "skip", "unknown"])
def test_but_by_what_has_become_bad_with_it(before):
    answer = judged(
        {"npu.health": "fail"}, components=("host_tuning",), baseline={**GOOD, "npu.health": before}
    )
    assert answer.key == "check:npu.health"


def test_what_a_changed_component_is_to_mend_must_not_fail_even_if_it_did_before():
    assert not judged({"driver.library_path": "fail"}, baseline={"driver.library_path": "fail"}).ok


def test_what_failed_before_and_is_not_ours_may_fail_still():
    assert judged({"limits.stack": "fail"}, baseline={**GOOD, "limits.stack": "fail"}).ok


@pytest.mark.parametrize("before", ["pass", "warn", "skip", "unknown"])
def test_nothing_may_get_worse(before):
    answer = judged({"limits.stack": "fail"}, baseline={**GOOD, "limits.stack": before})
    assert answer.key == "check:limits.stack"


def test_a_warning_that_comes_up_is_no_failure():
    assert judged({"limits.stack": "warn"}).ok


def test_between_the_driver_and_cann_only_what_the_kernel_needs_is_judged():
    later = {"driver.cann_pairing": "fail", "torch.cann_pairing": "fail"}
    assert judged(later, group=0).ok
    assert not judged(later).ok
    assert not judged(later, group=0, components=("driver",)).ok
    assert not judged({"npu.health": "fail"}, group=0).ok


def test_on_the_way_back_a_host_is_right_when_it_is_no_worse_than_it_was():
    bare = {**dict.fromkeys(CORE, "fail"), "limits.stack": "warn"}
    assert judged({**dict.fromkeys(CORE, "fail")}, way=Way.DOWN, baseline=bare, group=0).ok
    assert not judged({"npu.health": "fail"}, way=Way.DOWN, group=0).ok


def test_on_the_way_back_what_stays_must_be_right_whatever_was_there_before():
    bare = {**dict.fromkeys(CORE, "fail"), "driver.cann_pairing": "pass"}
    assert not judged({"npu.health": "fail"}, way=Way.DOWN, baseline=bare).ok
    assert judged({"npu.health": "fail"}, way=Way.DOWN, baseline=bare, group=0).ok
    assert not judged({"driver.cann_pairing": "fail"}, way=Way.DOWN, baseline=bare).ok


def test_every_check_that_is_named_exists():
    assert {*CORE} <= {check.id for check in all_checks()}
