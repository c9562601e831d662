"""deploy/slurm/node_health.py on a real Slurm: what it drains, takes back, and never touches."""

from __future__ import annotations

import configparser
import os
import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.deploy.slurm_cluster import MISSING, slurm_cluster, until

SLURM = Path(__file__).parents[2] / "deploy" / "slurm"
WHY_NOT = f"not on this machine: {', '.join(MISSING)}" if MISSING else "needs root" if os.getuid() else ""
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
GOOD, BAD, BROKEN = "--sample a2-healthy", "--sample a3-sick-die", "--no-such-option"


class Node:
    """The cluster's node with the health program on it; `is_` says what npudoctor finds there."""

    def __init__(self, folder):
        self.folder = folder
        self.host = folder / "host"
        for name in ("node_health.py", "node_health.ini"):
            shutil.copy(SLURM / name, folder)
        command = folder / "npudoctor"
        python, host = shlex.quote(sys.executable), self.host
        options = f"$(cat {host}.$SLURM_SCRIPT_CONTEXT 2>/dev/null || cat {host}.)"
        command.write_text(f'#!/bin/sh\nexec {python} -m npudoctor "$@" {options}\n')
        command.chmod(0o755)
        self.set(command=f"{command} check --only npu.visible,npu.health", state=folder / "run")

    def set(self, section="health", **settings):
        file = self.folder / "node_health.ini"
        parser = configparser.ConfigParser(interpolation=None)
        parser.optionxform = str
        parser.read(file)
        parser[section].update({name: str(value) for name, value in settings.items()})
        with file.open("w") as written:
            parser.write(written)

    def is_(self, what, context=""):
        (self.folder / "host.new").write_text(what)
        (self.folder / "host.new").replace(f"{self.host}.{context}")

    def heal(self):
        for file in self.folder.glob("host.*"):
            file.unlink()
        self.is_(GOOD)


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    folder = tmp_path_factory.mktemp("node")
    node = Node(folder)
    node.is_(GOOD)
    return node


@pytest.fixture(scope="module")
def cluster(node, tmp_path_factory):
    program = node.folder / "node_health.py"
    lines = (SLURM / "slurm.conf").read_text().replace("/etc/slurm/npudoctor/node_health.py", str(program))
    lines = lines.replace("HealthCheckInterval=300", "HealthCheckInterval=1")
    folder = tmp_path_factory.mktemp("slurm")
    node.set("environment", SLURM_CONF=folder / "slurm.conf")
    with slurm_cluster(folder, lines) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def clean(cluster, node):
    """Every test starts with a good node in service."""
    node.heal()
    if cluster.state() != "idle":
        cluster.update("State=RESUME")
        until(lambda: cluster.state() == "idle", "the node does not come back", cluster.logs)


def test_a_bad_node_is_drained_with_the_ids_as_its_reason_and_taken_back_once_it_is_mended(cluster, node):
    node.is_(BAD)
    until(lambda: cluster.state() == "drained", "a bad node is not drained", cluster.logs)
    assert cluster.reason() == "npudoctor: npu.health"
    node.is_(GOOD)
    until(lambda: cluster.state() == "idle", "a mended node is not taken back", cluster.logs)
    assert cluster.reason() == "none"


def test_a_node_that_an_administrator_drained_stays_drained_with_its_reason(cluster, node):
    cluster.update("State=DRAIN", "Reason=new memory on Tuesday")
    node.is_(BAD)
    time.sleep(3)
    node.is_(GOOD)
    time.sleep(4)
    assert (cluster.state(), cluster.reason()) == ("drained", "new memory on Tuesday")


def test_a_reason_that_somebody_added_to_is_no_longer_ours(cluster, node):
    node.is_(BAD)
    until(lambda: cluster.state() == "drained", "a bad node is not drained", cluster.logs)
    cluster.update("Reason=npudoctor: npu.health, vendor is told")
    node.is_(GOOD)
    time.sleep(4)
    assert (cluster.state(), cluster.reason()) == ("drained", "npudoctor: npu.health, vendor is told")


def test_npudoctor_that_fails_drains_nothing_gives_nothing_back_and_stops_no_job(cluster, node):
    node.is_(BROKEN)
    time.sleep(2)
    assert cluster.state() == "idle"
    assert cluster.call("srun", "-n1", "echo", "ran").stdout == "ran\n"
    node.is_(BAD)
    until(lambda: cluster.state() == "drained", "a bad node is not drained", cluster.logs)
    node.is_(BROKEN)
    time.sleep(4)
    assert cluster.state() == "drained"


def test_the_prolog_refuses_a_job_on_a_bad_node_and_drains_it(cluster, node):
    node.set(good_runs=1000)  # what the prolog drains stays so
    node.is_(BAD, "prolog_slurmd")
    done = cluster.call("srun", "-n1", "echo", "ran", seconds=30)
    node.set(good_runs=2)
    assert done.returncode != 0
    assert "ran" not in done.stdout
    until(lambda: cluster.state() == "drained", "the job is not gone", cluster.logs)
    assert cluster.reason() == "npudoctor: npu.health"


def test_the_epilog_drains_a_node_that_is_bad_after_a_job(cluster, node):
    node.set(good_runs=1000)
    node.is_(BAD, "epilog_slurmd")
    assert cluster.call("srun", "-n1", "echo", "ran").stdout == "ran\n"
    until(lambda: cluster.state() == "drained", "the epilog drains nothing", cluster.logs)
    node.set(good_runs=2)
    assert cluster.reason() == "npudoctor: npu.health"


def test_a_job_runs_on_a_good_node(cluster):
    assert cluster.call("srun", "-n1", "echo", "ran").stdout == "ran\n"
