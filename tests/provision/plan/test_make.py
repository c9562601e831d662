"""The plan as a whole: kinds of hosts, its digest, and whether the world has moved since."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from npudoctor.errors import UsageError
from npudoctor.provision.plan.canonical import as_json, digest, of_json
from npudoctor.provision.plan.make import moved
from npudoctor.provision.plan.survey import Surveyed
from npudoctor.provision.planned import HostPlan, Outcome, Reboot, Step, Undo
from npudoctor.provision.record import Phase, Record, as_text
from tests.provision.plan.hosts import STACK, bare, keys, names, older, plan, planner, seen

DOCS = Path(__file__).parents[3] / "docs"
RECORD = "/var/lib/npudoctor/record.json"


@pytest.fixture(scope="module")
def whole():
    hosts = [
        seen("old1", make=older),
        seen("new1", make=bare),
        seen("right1"),
        Surveyed("gone1", error="no route"),
    ]
    return planner().plan(hosts, "2026-11-30T02:00:00Z")


def test_hosts_of_one_kind_are_of_one_kind_with_a_driver_or_without(whole):
    assert [host.kind for host in whole.hosts] == ["910B, aarch64, openEuler 22.03 SP4"] * 3 + ["?"]


def test_the_plan_names_every_package_that_a_step_needs(whole):
    wanted = {
        sha256 for host in whole.hosts for step in host.steps for sha256 in (*step.packages, *step.previous)
    }
    assert set(whole.files) == wanted


def test_a_plan_comes_back_from_its_json(whole):
    assert of_json(json.loads(json.dumps(as_json(whole)))) == whole


def test_the_json_is_what_its_schema_says(whole):
    schema = json.loads((DOCS / "plan.schema.json").read_text())
    jsonschema.validate(as_json(whole), schema)


def test_a_plan_that_was_changed_by_hand_is_refused(whole):
    content = json.loads(json.dumps(as_json(whole)))
    content["hosts"][0]["steps"] = []
    with pytest.raises(UsageError, match="changed by hand"):
        of_json(content)


def test_the_digest_does_not_hang_on_the_order_of_keys():
    assert digest({"b": 1, "a": [1, 2]}) == digest({"a": [1, 2], "b": 1})
    assert digest({"a": [2, 1]}) != digest({"a": [1, 2]})


def test_a_host_that_is_read_again_has_not_moved():
    assert moved(plan(make=older), plan(make=older)) == []


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({"make": lambda found: older(found, driver="25.3.rc1")}, "driver: 25.2.0 → 25.3.rc1"),
        ({"make": older, "commands": {"ls /boot": "vmlinuz-6.6.0-1\n"}}, "next_kernel: 5.10"),
        (
            {"make": older, "commands": {"ls /proc/fd davinci": "9 python3 /dev/davinci0\n"}},
            "npu-in-use: NPUs",
        ),
    ],
)
def test_what_has_changed_since_is_told(now, told):
    lines = moved(plan(make=older), plan(**now))
    assert any(line.startswith(told) for line in lines), lines


def test_a_host_that_is_gone_has_moved():
    gone = planner().host(Surveyed("node1", error="no route"))
    assert moved(plan(make=older), gone) == ["it cannot be read: no route"]


def test_boots_and_free_space_move_nothing():
    rows = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda2 90000000 9 80000000 9% /\n"
    other = {"/proc/sys/kernel/random/boot_id": "ffffffff-0000-4000-8000-000000000000\n"}
    assert moved(plan(make=older), plan(make=older, files=other, commands={"df -Pk": rows})) == []


def record(phase, stack=STACK):
    step = Step("driver", "upgrade", (), (), (), 8.0, Reboot.UNKNOWN, Undo.FULL)
    host = HostPlan("node1", "kind", "", Outcome.CHANGE, "f", {"driver": "25.2.0"}, (step,))
    return as_text(Record("20261130-1", stack, host, phase=phase), 7)


def test_a_host_in_the_middle_of_a_change_is_brought_to_its_end_by_its_own_plan():
    host = plan(files={RECORD: record(Phase.VERIFY)})
    assert (host.outcome, names(host), host.before) == (Outcome.CHANGE, ["driver"], {"driver": "25.2.0"})


def test_a_host_on_its_way_to_another_stack_is_left_to_that_run():
    host = plan(make=older, files={RECORD: record(Phase.APPLY, "a3-other")})
    assert keys(host) == ["unfinished-run"]


def test_a_host_that_is_stuck_waits_for_a_person():
    files = {RECORD: record(Phase.STUCK)}
    assert keys(plan(make=older, files=files)) == ["stuck"]
    assert keys(plan(make=older, files=files, call={"retry": True})) == []


def test_a_host_that_was_stuck_and_is_mended_is_not_left_out_of_service():
    files = {RECORD: record(Phase.STUCK)}
    assert keys(plan(files=files)) == ["stuck"]
    host = plan(files=files, call={"retry": True})
    assert (host.outcome, host.steps) == (Outcome.CHANGE, ())


def test_a_run_sees_past_its_own_record():
    files = {RECORD: record(Phase.APPLY)}
    host = plan(make=older, files=files, call={"run": "20261130-1"})
    assert names(host) == ["firmware", "driver"]


def test_a_finished_run_is_no_matter():
    assert plan(files={RECORD: record(Phase.DONE)}).outcome is Outcome.CONVERGED


def test_hosts_alike_have_one_fingerprint():
    assert plan(make=older).fingerprint == replace(plan(make=older), name="other").fingerprint
