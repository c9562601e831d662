"""The variables that a step of a host is given."""

from dataclasses import replace

from npudoctor.matrix import load_matrix
from npudoctor.provision.call import Call
from npudoctor.provision.machine import Look, opened, turned_back
from npudoctor.provision.run.variables import Variables
from tests.provision.world import plan

STACK = "a2-cann8.5.0-vllm0.13.0"
FILES = {"a" * 64: ("new.run", 10), "b" * 64: ("old.run", 5)}
LOOK = Look("boot1")


def given(record=None, step="driver", **call):
    before = {"driver": "25.2.0", "firmware": "", "toolkit": "8.2.RC1"}
    first = opened("run1", STACK, replace(plan(), before=before), LOOK, FILES)
    record = record(first) if record else first
    return Variables(Call("hosts.yml", STACK, **call), load_matrix())(record, record.step(step))


def test_a_step_is_given_the_stack_and_its_own_packages():
    variables = given()
    assert variables["npudoctor_stack"]["chip"] == "910B"
    assert variables["npudoctor_stack"]["versions"]["driver"] == "25.5.0"
    assert variables["npudoctor_packages"] == {
        "driver": [{"name": "new.run", "sha256": "a" * 64, "size": 10}]
    }


def test_a_step_is_given_what_was_there_before_by_component():
    previous = given()["npudoctor_previous"]
    assert previous["versions"] == {"driver": "25.2.0", "firmware": "absent", "toolkit": "8.2.RC1"}
    assert previous["packages"] == {"driver": [{"name": "old.run", "sha256": "b" * 64, "size": 5}]}


def test_backups_are_looked_for_under_the_run_that_made_them_whichever_run_takes_a_host_back():
    assert given(lambda record: turned_back(record, "run2", LOOK))["npudoctor_run"] == "run1"


def test_a_step_asks_for_no_more_room_than_its_plan_did():
    assert given()["preflight_space"] == [
        {"path": "/usr/local/Ascend", "mb": 286},
        {"path": "/var/lib/dkms", "mb": 190},
    ]
    assert given(step="firmware")["preflight_space"] == [{"path": "/usr/local/Ascend", "mb": 30}]
    assert given(step="toolkit")["preflight_space"] == [{"path": "/usr/local/Ascend", "mb": 512}]


def test_settings_that_are_left_alone_and_a_mirror_come_from_the_call():
    variables = given(skip=("host_tuning.aspm",), packages="http://mirror/x", restart_docker=True)
    assert variables["npudoctor_skip"] == ["host_tuning.aspm"]
    assert variables["npudoctor_sources"] == ["http://mirror/x"]
    assert variables["npudoctor_restart_docker"] is True
    assert given(packages="/srv/hdk")["npudoctor_sources"] == []


def test_an_answer_for_npus_in_use_reaches_the_installers():
    def accepted(record):
        return replace(record, host=replace(record.host, accepted=("npu-in-use",)))

    assert given()["driver_force"] is False
    variables = given(accepted)
    assert variables["preflight_proceed"] == ["npu-in-use"]
    assert variables["driver_force"] is variables["firmware_force"] is True
