"""The serving container: what the inventory says of it against the one that a host has."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from npudoctor.collect.inventory import read_inventory
from npudoctor.errors import UsageError
from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.plan.serving import image_of, is_back, wanted_spec
from npudoctor.provision.planned import Outcome, Undo
from tests.provision.plan.hosts import STACK, Shelf, keys, names, planner, seen

OF_STACK = load_stack(load_matrix(), STACK)
IMAGE = OF_STACK.versions["image"]
MODEL = {"serving_model": "/models/tiny"}
DRIVER = "/usr/local/Ascend/driver/version.info"
NPUS = list(range(8))


def container(inventory=MODEL, *, state="running", health="", **spec):
    """The line that the probe prints of a service that was made for this inventory."""
    whole = wanted_spec(json.dumps(inventory), OF_STACK)
    made = {**whole, "devices": NPUS, "mounts": [DRIVER], **spec}
    row = {"name": "/npudoctor-serving", "image": made["image"], "state": state, "health": health}
    return json.dumps({**row, "spec": json.dumps(made)}) + "\n"


def host(inventory=MODEL, inspected="", images=f"{IMAGE}\n", call=(), **other):
    commands = {
        "docker inspect served": inspected,
        "docker images names": images,
        "ls driver for containers": f"{DRIVER}\n",
    }
    found = replace(seen(commands=commands, **other), serving=json.dumps(inventory))
    return planner(**dict(call)).host(found)


def changes(plan):
    return [(one.what, one.before, one.after) for step in plan.steps for one in step.changes]


def test_without_a_model_or_an_image_in_the_inventory_no_service_is_wanted():
    assert host({}).outcome is Outcome.CONVERGED
    assert host({"serving_port": 8001}).outcome is Outcome.CONVERGED


def test_a_call_that_names_the_component_wants_one_all_the_same():
    assert names(host({}, call={"only": ["serving"]})) == ["serving"]
    assert names(host(MODEL, call={"skip": ["serving"]})) == []


def test_a_host_without_it_gets_one_after_everything_else():
    plan = host(
        files={
            "/usr/local/Ascend/Ascend-Docker-Runtime/ascend_docker_runtime_install.info": "version=v7.2.0\n"
        }
    )
    assert names(plan) == ["ascend_runtime", "serving"]
    assert changes(plan)[-1] == ("serving", "", IMAGE)
    assert plan.steps[-1].undo is Undo.FULL
    assert plan.steps[-1].packages == ()


def test_a_host_whose_container_was_made_from_all_that_is_left_alone():
    assert host(inspected=container()).outcome is Outcome.CONVERGED
    assert host(inspected=container(health="starting")).outcome is Outcome.CONVERGED
    given = MODEL | {"serving_environment": {"OMP_NUM_THREADS": 1}, "serving_port": "8000"}
    assert host(given, container(given, environment={"OMP_NUM_THREADS": 1}, port=8000)).steps == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"serving_shm_size": "32g"}, ("serving.shm_size", "16g", "32g")),
        ({"serving_devices": [0, 1]}, ("serving.devices", json.dumps(NPUS), "[0, 1]")),
        ({"serving_command": ["serve"]}, ("serving.command", "[]", '["serve"]')),
        ({"serving_host_network": True}, ("serving.host_network", "false", "true")),
    ],
)
def test_another_setting_makes_another_container(given, expected):
    plan = host(MODEL | given, container())
    assert changes(plan) == [("serving", IMAGE, IMAGE), expected]
    assert plan.steps[0].action == "configure"


def test_another_image_is_an_upgrade_and_the_one_before_is_told():
    plan = host(MODEL | {"serving_image": "mine:2"}, container(), images="mine:2\n")
    assert plan.steps[0].action == "upgrade"
    assert plan.before["serving"] == IMAGE
    assert changes(plan) == [("serving", IMAGE, "mine:2"), ("serving.image", IMAGE, "mine:2")]


def test_files_of_a_driver_that_came_since_count():
    plan = host(inspected=container(mounts=[]))
    assert changes(plan)[1:] == [("serving.mounts", "[]", json.dumps([DRIVER]))]


@pytest.mark.parametrize("how", [{"state": "exited"}, {"health": "unhealthy"}])
def test_one_that_does_not_serve_is_started_again(how):
    plan = host(inspected=container(**how))
    assert changes(plan) == [("serving", IMAGE, IMAGE)]
    assert next(iter(how.values())) in plan.steps[0].changes[0].why


def test_another_service_on_the_host_is_nobodys():
    other = container().replace("npudoctor-serving", "somebodys")
    assert changes(host(inspected=other)) == [("serving", "", IMAGE)]


def served(line, **other):
    return seen(commands={"docker inspect served": line}, **other).ground.served


@pytest.mark.parametrize(
    "today", [{}, MODEL, MODEL | {"serving_shm_size": "32g"}, MODEL | {"serving_port": 9}]
)
@pytest.mark.parametrize(
    "given", [{"serving_shm_size": "32g"}, {"serving_devices": [0, 1]}, {"serving_image": "a:2"}]
)
def test_whether_a_service_is_back_is_judged_by_what_was_changed_and_not_by_the_inventory_of_today(
    given, today
):
    (step,) = host(MODEL | given, container()).steps
    changed = container(MODEL | given, devices=given.get("serving_devices", NPUS))
    assert not is_back(step.changes, json.dumps(today), served(changed))
    assert is_back(step.changes, json.dumps(today), served(container()))


def test_a_service_that_was_not_there_is_back_when_it_is_gone_and_known_to_be():
    (step,) = host().steps
    assert not is_back(step.changes, "", served(container()))
    assert is_back(step.changes, "", served(""))
    assert not is_back(step.changes, "", seen().ground.served)


def test_a_service_that_was_only_started_again_has_nothing_to_go_back_to():
    (step,) = host(inspected=container(state="exited")).steps
    assert is_back(step.changes, "", served(container()))
    assert not is_back(step.changes, "", served(""))


def test_an_image_that_is_neither_there_nor_at_hand_is_in_the_way():
    plan = host(images="other:1\n", call={"shelf": Shelf(missing=["vllm-ascend"])})
    assert keys(plan) == ["image-missing"]
    assert f"docker save {IMAGE}" in plan.blockers[0].fix.commands[0]


def test_its_archive_is_brought_where_the_host_has_it_not():
    plan = host(images="other:1\n")
    assert keys(plan) == []
    assert len(plan.steps[0].packages) == 1


def test_an_engine_that_does_not_answer_is_no_engine_without_containers():
    plan = host(absent=["docker inspect served"])
    assert changes(plan) == [("serving", "", IMAGE)]
    broken = planner().host(replace(seen(), serving=json.dumps(MODEL)))
    assert "unreadable" in keys(broken)


def test_the_image_is_that_of_the_inventory_or_the_stack_or_the_one_that_is_built_for_it():
    assert image_of(json.dumps({"serving_image": "mine:2"}), OF_STACK) == "mine:2"
    assert image_of("", OF_STACK) == IMAGE
    without = {key: text for key, text in OF_STACK.versions.items() if key != "image"}
    assert image_of("", replace(OF_STACK, versions=without)) == f"npudoctor/vllm-ascend:{STACK}"


def test_a_memory_plan_gives_vllm_its_options_and_everything_else_its_variables(tmp_path):
    file = tmp_path / "memory.json"
    vllm = {"gpu_memory_utilization": 0.84, "max_model_len": 8192}
    file.write_text(json.dumps({"environment": {"ASCEND_MEMORY_POOL_SIZE": "53"}, "vllm": vllm}))
    given = {"serving_memory_plan": str(file)}
    own = {**given, "serving_environment": {"A": "1"}}
    assert wanted_spec(json.dumps(own), OF_STACK)["environment"] == {
        "ASCEND_MEMORY_POOL_SIZE": "53", "A": "1",
    }  # fmt: skip
    command = ["vllm", "serve", "/model", "--max-model-len=4096"]
    spec = wanted_spec(json.dumps({**given, "serving_command": command}), OF_STACK)
    assert spec["command"] == [*command, "--gpu-memory-utilization", "0.84"]
    assert spec["environment"] == {}


def test_a_memory_plan_that_cannot_be_read_is_told():
    with pytest.raises(UsageError, match="serving_memory_plan /no/such"):
        wanted_spec(json.dumps({"serving_memory_plan": "/no/such"}), OF_STACK)


def test_the_inventory_says_it_for_a_group_or_a_host(tmp_path):
    file = tmp_path / "hosts.yml"
    file.write_text(
        "all:\n  vars: {serving_model: /models/tiny}\n"
        "  hosts: {node1: {serving_port: 8001}, node2: {serving_devices: [0, 1]}}\n"
    )
    first, second = read_inventory(str(file))
    assert json.loads(first.serving) == {"serving_model": "/models/tiny", "serving_port": 8001}
    assert json.loads(second.serving) == {"serving_devices": [0, 1], "serving_model": "/models/tiny"}
