"""Tuning, environment, Docker, its runtime and RoCE ports on a host that boots, by the playbooks alone."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.provisioned import ProvisionedHost, ProvisionLab, provision_lab
from tests.lab.unchanged import changes, snapshot
from tests.provision.collection.calling import REPOSITORY
from tests.provision.collection.playing import play

PARTS = ["host_tuning", "environment", "docker", "ascend_runtime", "hccn"]
CHECKS = (
    "pcie.aspm", "limits.stack", "limits.stack_services",
    "kernel.thp", "kernel.swappiness", "kernel.numa_balancing",
    "container.runtime", "container.engine_config",
    "network.addresses", "network.unique_addresses", "network.same_subnet",
    "network.hccn_conf", "network.hccn_conf_agrees", "network.tls_alike", "network.gateway",
)  # fmt: skip
BEFORE = {"data-root": "/data/docker", "live-restore": True}
_NOT_OURS = ("/var/lib/npudoctor", "/etc/resolv.conf", "/etc/hosts", "/etc/hostname")
"""What npudoctor keeps, and what the lab writes at each boot."""


class Story:
    """A host with driver, CANN and Docker, and what it was like at each moment."""

    def __init__(self, lab: ProvisionLab) -> None:
        self.lab = lab
        lab.boot("node1", driver="25.5.0", firmware="7.8.0.5.216", cann="8.5.0", docker="24.0.7")
        host = lab.hosts["node1"]
        assert isinstance(host, ProvisionedHost)
        self.host = host
        self.write("/etc/docker/daemon.json", json.dumps(BEFORE))
        self.write("/root/.bashrc", "export ASCEND_LAUNCH_BLOCKING=1\n")
        self.host.run("systemctl", "restart", "docker")
        given = self.variables(lab.packages(ascend_runtime="7.2.RC1"))
        self.untouched = snapshot(self.host, _NOT_OURS)
        self.check = play(lab, "site.yml", given, "--check", "--diff")
        self.touched = changes(self.untouched, snapshot(self.host, _NOT_OURS))
        self.boots = len(self.host.boots)
        self.first = play(lab, "site.yml", given)
        self.rebooted = len(self.host.boots) - self.boots
        self.daemon = json.loads(self.host.run("cat", "/etc/docker/daemon.json").stdout)
        self.verdicts = doctor(lab)
        self.second = play(lab, "site.yml", given)
        self.login = self.host.run("bash", "-lc", "env").stdout
        self.undone = play(lab, "rollback.yml", {**given, "npudoctor_only": PARTS})
        self.left = changes(timeless(self.untouched), timeless(snapshot(self.host, _NOT_OURS)))

    def write(self, path: str, text: str) -> None:
        self.host.run("sh", "-c", f"mkdir -p {Path(path).parent} && cat > {path}", text=text)

    def variables(self, packages: Path) -> dict[str, Any]:
        [runtime] = packages.glob("Ascend-docker-runtime*.run")
        sha256 = hashlib.sha256(runtime.read_bytes()).hexdigest()
        place = f"/var/lib/npudoctor/store/sha256/{sha256[:2]}"
        self.host.run("mkdir", "-p", place)
        target = f"{self.host.container}:{place}/{sha256}"
        subprocess.run(["docker", "cp", str(runtime), target], check=True, capture_output=True)
        row = {"name": runtime.name, "sha256": sha256, "size": runtime.stat().st_size}
        versions = {"cann": "8.5.0", "nnal_abi": "1", "ascend_runtime": "7.2.RC1"}
        return {
            "npudoctor_stack": {"name": "lab", "chip": "910B", "versions": versions},
            "npudoctor_packages": {"ascend_runtime": [row]},
            "npudoctor_previous": {"versions": {"ascend_runtime": "absent"}},
            "npudoctor_only": [*PARTS, "reboot"],
            "reboot_policy": "reboot",
            "hccn_ports": [{"device": n, "address": f"192.0.2.{10 + n}"} for n in range(2)],
            "hccn_gateway": "192.0.2.1",
            "hccn_netdetect": "192.0.2.1",
            "hccn_tls": "disabled",
        }


def timeless(found: dict[str, str]) -> dict[str, str]:
    """A picture of files without the times at which they were written."""
    words = {path: row.split() for path, row in found.items()}
    return {path: " ".join([*row[:3], *row[4:]]) for path, row in words.items()}


def doctor(lab: ProvisionLab) -> dict[str, str]:
    """The word of each check, asked over SSH as a person would."""
    command = [
        sys.executable,
        "-m",
        "npudoctor",
        "check",
        "--hosts",
        str(lab.inventory()),
        "--format",
        "json",
    ]
    environment = {**os.environ, "HOME": str(lab.home)}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    findings = json.loads(done.stdout)["hosts"][0]["findings"]
    return {one["id"]: one["status"] for one in findings if one["id"] in CHECKS}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with provision_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield Story(lab)


def test_check_mode_foresees_five_changes_and_leaves_the_host_bit_for_bit(story: Story) -> None:
    assert (story.check.changed["node1"], story.check.failed["node1"]) == (5, 0), story.check.output
    assert story.touched == []


def test_one_call_and_one_reboot_for_the_command_line(story: Story) -> None:
    assert story.first.failed["node1"] == 0, story.first.output
    assert story.rebooted == 1


def test_the_doctor_passes_what_was_set_in_the_boot_that_serves(story: Story) -> None:
    assert story.verdicts == dict.fromkeys(CHECKS, "pass")


def test_entries_of_others_in_daemon_json_are_there_and_the_runtime_is_loaded(story: Story) -> None:
    assert {key: story.daemon[key] for key in BEFORE} == BEFORE
    assert story.daemon["default-runtime"] == "ascend"


def test_the_second_call_changes_nothing(story: Story) -> None:
    assert (story.second.changed["node1"], story.second.failed["node1"]) == (0, 0), story.second.output


def test_a_login_has_the_paths_of_cann_and_the_left_over_switch_was_named(story: Story) -> None:
    assert "ASCEND_HOME_PATH=/usr/local/Ascend/cann" in story.login
    assert "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True" in story.login
    assert "/root/.bashrc:1 sets ASCEND_LAUNCH_BLOCKING=1" in " ".join(story.first.output.split())


def test_undo_leaves_no_file_that_was_not_there_and_none_that_is_other(story: Story) -> None:
    assert story.undone.failed["node1"] == 0, story.undone.output
    assert story.left == []
