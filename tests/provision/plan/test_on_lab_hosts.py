"""The plan of eight simulated hosts in eight states, which are afterwards bit for bit as they were."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.lab.image import image, why_not
from tests.lab.provisioned import provision_lab
from tests.lab.unchanged import changes, snapshot

STACK = "a2-cann8.5.0-vllm0.13.0"
OLD = {"driver": "25.2.0", "firmware": "7.7.0.2.220"}
RIGHT = {"driver": "25.5.0", "firmware": "7.8.0.5.216"}
COMPONENTS = "driver,firmware"
HOSTS = {
    "bare": {},
    "old": OLD,
    "unreachable": OLD,
    "half": {"half": "yes", **RIGHT},
    "headers": {"headers": "6.0.0-1-other"},
    "busy": {"busy": "0 1", **OLD},
    "right": RIGHT,
    "full": {"small": "/usr/local/Ascend 40m"},
}


def boot(lab, states):
    """All of them side by side, each in its own state."""
    hosts = [lab.prepare(name, **state) for name, state in states.items()]
    with ThreadPoolExecutor(3) as several:
        list(several.map(lab.start, hosts))
    for host in hosts:
        lab.know(host)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    image()
    with provision_lab(tmp_path_factory.mktemp("planned")) as lab:
        lab.packages(**RIGHT)
        lab.packages(**OLD)
        boot(lab, HOSTS)
        lab.hosts["unreachable"].unplug()
        yield lab


def provision(lab, *arguments):
    line = ["provision", "--hosts", lab.inventory(), "--stack", STACK, "--packages", lab.packages()]
    command = [sys.executable, "-m", "npudoctor", *map(str, line), *arguments]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(lab.home)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)


@pytest.fixture(scope="module")
def planned(lab):
    """The plan, after a look at every host before and after it."""
    reached = [host for name, host in lab.hosts.items() if name != "unreachable"]
    before = [snapshot(host) for host in reached]
    done = provision(lab, "--only", COMPONENTS, "--plan", "--output", f"json={lab.folder / 'plan.json'}")
    again = provision(lab, "--only", COMPONENTS, "--check")
    for host, was in zip(reached, before, strict=True):
        assert changes(was, snapshot(host)) == []
    assert again.returncode == 1
    hosts = json.loads((lab.folder / "plan.json").read_text())["hosts"]
    return done, {host["name"]: host for host in hosts}


def keys(host):
    return [blocker["key"] for blocker in host["blockers"]]


def steps(host):
    return [(step["component"], step["action"]) for step in host["steps"]]


def test_each_host_gets_the_steps_of_its_state(planned):
    hosts = planned[1]
    assert steps(hosts["bare"]) == [("driver", "install"), ("firmware", "install")]
    assert steps(hosts["old"]) == [("firmware", "upgrade"), ("driver", "upgrade")]
    assert steps(hosts["half"])[0] == ("driver", "install")
    assert steps(hosts["right"]) == []
    assert {name: host["outcome"] for name, host in hosts.items()} == {
        "bare": "change",
        "old": "change",
        "unreachable": "not-reached",
        "half": "change",
        "headers": "blocked",
        "busy": "blocked",
        "right": "converged",
        "full": "blocked",
    }


def test_what_blocks_is_named_with_its_evidence(planned):
    hosts = planned[1]
    assert {name: keys(hosts[name]) for name in ("headers", "busy", "full", "unreachable")} == {
        "headers": ["kernel-headers"],
        "busy": ["npu-in-use"],
        "full": ["no-space"],
        "unreachable": ["unreachable"],
    }
    assert "python3 (" in hosts["busy"]["blockers"][0]["message"]
    assert "has 42 MB free, 332 MB are needed there" in hosts["full"]["blockers"][0]["message"]


def test_docker_that_no_repository_offers_is_foreseen(lab):
    written = lab.folder / "docker.json"
    words = ("--only", "docker,ascend_runtime", "--limit", "bare", "--plan", "--output", f"json={written}")
    before = snapshot(lab.hosts["bare"])
    done = provision(lab, *words)
    assert changes(before, snapshot(lab.hosts["bare"])) == []
    host = json.loads(written.read_text())["hosts"][0]
    assert "no-docker-package" in keys(host), done.stderr


def test_the_way_back_is_at_hand_for_hosts_that_had_a_driver(planned):
    for step in planned[1]["old"]["steps"]:
        assert (step["undo"], len(step["packages"]), len(step["previous"])) == ("full", 1, 1)


def test_it_is_one_screen_and_exit_1(planned):
    done = planned[0]
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) <= 50


def test_without_a_terminal_and_without_yes_it_says_what_to_type(lab):
    done = provision(lab, "--only", COMPONENTS, "--limit", "old")
    assert done.returncode == 1
    assert "7.7.0.2.220 → 7.8.0.5.216" in done.stdout
    assert done.stderr.splitlines()[-1].startswith(
        "Nothing was changed. To do it, type: npudoctor provision --hosts"
    )
    assert done.stderr.rstrip().endswith("--yes")
    assert lab.hosts["old"].installs == []
