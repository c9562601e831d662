"""The lab's hosts with a root of their own: they come up in seconds, and are read like a real host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from tests.accept.load.served import served
from tests.lab.image import image, why_not
from tests.lab.machines import docker, machine_lab

EIGHT = [f"node{number}" for number in range(8)]


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    image()  # the first time it takes minutes
    with machine_lab(tmp_path_factory.mktemp("machines")) as lab:
        begin = time.monotonic()
        lab.boot(EIGHT, npus=2, cann="8.0.RC2")
        lab.seconds = time.monotonic() - begin
        yield lab


@pytest.fixture(scope="module")
def report(machines):
    return checked(machines)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Three hosts that are alike, and one with another driver and with the addresses of the first."""
    if reason := why_not():
        pytest.skip(reason)
    with machine_lab(tmp_path_factory.mktemp("mixed")) as lab:
        lab.boot(["node0", "node1", "node2"], npus=2)
        lab.boot(["odd"], npus=2, driver="25.5.0", net="198.18.0")
        yield lab


def checked(lab, *arguments):
    command = [sys.executable, "-m", "npudoctor", "check", "--hosts", lab.inventory(), "--format", "json"]
    environment = {**os.environ, "HOME": str(lab.home), "SSH_AUTH_SOCK": ""}
    done = subprocess.run(
        [*command, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return json.loads(done.stdout)


def found_on_all(document):
    return {row["id"]: row for row in document["fleet"] if row["status"] not in ("pass", "skip")}


def test_eight_hosts_are_up_in_seconds(machines):
    assert machines.seconds < 30


def test_each_host_is_read_under_its_own_name(report):
    assert [host["name"] for host in report["hosts"]] == EIGHT
    assert [host["error"] for host in report["hosts"]] == [None] * 8


@pytest.mark.parametrize("name", ["npu.visible", "driver.cann_pairing", "limits.stack"])
def test_what_its_state_says_is_what_is_found(report, name):
    found = {finding["id"]: finding for finding in report["hosts"][0]["findings"]}[name]
    assert found["status"] == "pass", found


def test_on_hosts_that_are_alike_the_fleet_is_in_order(mixed):
    document = checked(mixed, "--limit", "node*")
    assert found_on_all(document) == {}
    passed = {row["id"] for row in document["fleet"] if row["status"] == "pass"}
    assert passed >= {
        "fleet.version_drift", "fleet.chip_kinds", "fleet.npu_count", "fleet.unique_names",
        "fleet.unique_addresses", "fleet.subnets", "fleet.tls", "fleet.clocks",
    }  # fmt: skip


def test_another_driver_and_an_address_that_two_hosts_have_are_found_over_ssh(mixed):
    found = found_on_all(checked(mixed))
    assert "25.5.0: odd" in found["fleet.version_drift"]["actual"]
    assert found["fleet.unique_addresses"]["status"] == "fail"
    assert found["fleet.unique_addresses"]["actual"] == "198.18.0.10, 198.18.0.11: node0, odd"
    assert set(found) == {"fleet.version_drift", "fleet.unique_addresses"}


def test_device_nodes_are_nodes(machines):
    docker("exec", machines.hosts["node0"].container, "test", "-c", "/dev/davinci1")


def test_what_is_changed_on_a_host_outlives_a_restart(machines):
    host = machines.hosts["node7"]
    docker("exec", host.container, "sh", "-c", "echo Version=99 >/usr/local/Ascend/driver/version.info")
    docker("restart", "-t", "0", host.container)
    docker("exec", host.container, "grep", "-q", "Version=99", "/usr/local/Ascend/driver/version.info")


def test_the_npus_of_a_host_are_watched_over_ssh_during_a_load_test(machines):
    command = [
        sys.executable,
        "-m",
        "npudoctor",
        "accept",
        "load",
        "--rates",
        "5",
        "--step",
        "6",
        "--max-tokens",
        "4",
    ]
    environment = {**os.environ, "HOME": str(machines.home), "SSH_AUTH_SOCK": ""}
    with served() as url:
        done = subprocess.run(
            [*command, url, "--hosts", machines.inventory(), "--limit", "node0", "--format", "json"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    total = json.loads(done.stdout)["total"]
    assert 0 <= total["cpu_percent"] <= 100
    assert total["npu_percent"] == 0  # as the simulated npu-smi says: nothing runs there
