"""deploy/kubernetes: manifests hold against the API, the plugin keeps its contract, a pod reads its host."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.lab.image import image, why_not

ROOT = Path(__file__).parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"
NPD = KUBERNETES / "node-problem-detector"
MANIFESTS = list(yaml.safe_load_all((KUBERNETES / "npudoctor.yaml").read_text()))
POD = MANIFESTS[-1]["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]
MONITOR = json.loads((NPD / "npudoctor-monitor.json").read_text())
VERSION = "1.30"
SHELLS = [shell for shell in (["dash"], ["bash"], ["busybox", "sh"]) if shutil.which(shell[0])]
WHY_NO_LAB = why_not()
OF_THE_HOST = ("npu", "driver", "firmware", "os", "kernel", "pcie", "memory", "storage", "users")
"""Areas that say the same whoever asks, whatever else runs meanwhile."""


@pytest.mark.parametrize("manifest", MANIFESTS, ids=[manifest["kind"] for manifest in MANIFESTS])
def test_a_manifest_holds_against_the_schema_of_the_api(manifest):
    kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_the_patch_of_node_problem_detector_holds_against_the_schema_of_a_daemonset():
    spec = yaml.safe_load((NPD / "patch.yaml").read_text())["spec"]
    labels = {"app": "node-problem-detector"}
    spec["selector"] = {"matchLabels": labels}
    spec["template"]["metadata"] = {"labels": labels}
    manifest = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "n"}, "spec": spec}
    kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_the_pod_may_write_its_results_only_and_asks_nothing_of_the_api_server():
    mounts = {mount["name"]: mount for mount in CONTAINER["volumeMounts"]}
    paths = {volume["name"]: volume.get("hostPath", {}).get("path") for volume in POD["volumes"]}
    writable = {paths[name] for name, mount in mounts.items() if paths[name] and not mount.get("readOnly")}
    assert writable == {"/var/lib/npudoctor"}
    assert POD["automountServiceAccountToken"] is False
    assert CONTAINER["securityContext"]["readOnlyRootFilesystem"] is True
    assert {manifest["kind"] for manifest in MANIFESTS} == {"Namespace", "ServiceAccount", "DaemonSet"}


def test_the_image_is_the_one_of_this_version_and_names_no_registry():
    from npudoctor import __version__

    assert CONTAINER["image"] == f"npudoctor:{__version__}"
    dockerfile = (ROOT / "dockerfiles" / "npudoctor" / "Dockerfile").read_text()
    assert "/" not in re.search(r"^ARG BASE=(\S+)", dockerfile, re.M)[1]


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(s|m|h)", text).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


def test_the_monitor_is_one_that_node_problem_detector_takes():
    """Its own rules, as `pkg/custompluginmonitor/types` of node-problem-detector has them (2026-08)."""
    known = {"invoke_interval", "timeout", "max_output_length", "concurrency", "skip_initial_status",
             "enable_message_change_based_condition_update"}  # fmt: skip
    assert MONITOR["plugin"] == "custom"
    assert MONITOR.keys() == {"plugin", "pluginConfig", "source", "metricsReporting", "conditions", "rules"}
    assert MONITOR["pluginConfig"].keys() <= known
    defaults = {condition["type"] for condition in MONITOR["conditions"]}
    for rule in MONITOR["rules"]:
        assert rule["type"] == "permanent"
        assert rule["condition"] in defaults
        assert seconds(rule["timeout"]) <= seconds(MONITOR["pluginConfig"]["timeout"])
        assert (NPD / Path(rule["path"]).name).stat().st_mode & 0o111


def test_the_two_conditions_share_no_area_and_name_areas_that_exist():
    from npudoctor.checks.registry import AREAS

    areas = [area for rule in MONITOR["rules"] for area in rule["args"][0].split(",")]
    assert len(areas) == len(set(areas))
    assert set(areas) <= set(AREAS)


@pytest.fixture
def results(npudoctor, tmp_path):
    """`results("a3-sick-die")`: the metrics of a recorded host, in a file."""

    def write(sample):
        npudoctor("check", "--sample", sample, "--output", "prometheus=npudoctor.prom")
        return tmp_path / "npudoctor.prom"

    return write


def plugin(shell, file, areas, **variables):
    done = subprocess.run(
        [*shell, NPD / "check_npudoctor.sh", areas],
        env={**os.environ, "FILE": str(file), **variables},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("shell", SHELLS, ids=[shell[0] for shell in SHELLS])
class TestPlugin:
    def test_failed_checks_of_the_areas_are_a_problem(self, results, shell):
        assert plugin(shell, results("a3-sick-die"), "npu,driver") == (1, "npu.ecc, npu.health\n", "")

    def test_failed_checks_of_other_areas_are_not(self, results, shell):
        assert plugin(shell, results("a3-sick-die"), "driver,firmware") == (0, "no check failed\n", "")

    def test_what_is_unknown_is_not_well(self, results, shell):
        code, said, _errors = plugin(shell, results("a3-sick-die"), "os")
        assert (code, said) == (2, "unknown: os.supported\n")

    def test_many_ids_are_cut_to_80_characters_with_their_number(self, results, shell):
        code, said, _errors = plugin(
            shell, results("a2-misconfigured"), MONITOR["rules"][1]["args"][0] + ",env"
        )
        assert code == 1
        assert re.search(r" and \d+ more\n$", said)
        assert len(said) <= MONITOR["pluginConfig"]["max_output_length"] + 1

    def test_old_results_and_missing_ones_are_not_known(self, results, shell, tmp_path):
        file = results("a2-healthy")
        file.write_text(
            re.sub(r"(timestamp_seconds) \d+", rf"\1 {int(time.time()) - 7300}", file.read_text())
        )
        assert plugin(shell, file, "npu")[:2] == (2, "npudoctor ran last 121 minutes ago\n")
        code, said, _errors = plugin(shell, tmp_path / "no", "npu")
        assert (code, said[:22]) == (2, "npudoctor has not run:")


@pytest.fixture
def pod(tmp_path):
    """The files of a pod: its own npudoctor, and the folder for the results."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "out").mkdir()
    program = tmp_path / "bin" / "npudoctor"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m npudoctor "$@"\n')
    program.chmod(0o755)
    return tmp_path


def examine(pod, **variables):
    environment = {**os.environ, "PATH": f"{pod}/bin:{os.environ['PATH']}", "OUT": f"{pod}/out", "HOST": "/"}
    environment |= {"EVERY": "0", "OPTIONS": "--only npu.visible,kernel", **variables}
    return subprocess.run(
        ["sh", KUBERNETES / "examine_host.sh"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def host_of(folder):
    (host,) = json.loads((folder / "report.json").read_text())["hosts"]
    return host


@pytest.mark.skipif(os.getuid() != 0, reason="chroot needs root")
class TestRun:
    def test_it_leaves_metrics_and_a_report_under_the_name_of_the_host(self, pod):
        done = examine(pod)
        assert done.returncode in (0, 1), done.stderr
        assert host_of(pod / "out")["name"] == os.uname().nodename
        families = {
            f.name: f for f in text_string_to_metric_families((pod / "out/npudoctor.prom").read_text())
        }
        assert families["npudoctor_host_read"].samples[0].labels["host"] == os.uname().nodename
        assert "Exit code" in done.stdout

    def test_a_host_that_cannot_be_read_leaves_the_last_results_alone(self, pod):
        (pod / "out" / "report.json").write_text("last")
        done = examine(pod, HOST=str(pod))
        assert (done.returncode, (pod / "out" / "report.json").read_text()) == (3, "last")
        assert "the host could not be read" in done.stderr

    def test_npudoctor_that_fails_leaves_the_last_results_alone(self, pod):
        (pod / "out" / "report.json").write_text("last")
        done = examine(pod, OPTIONS="--no-such-option")
        assert (done.returncode, (pod / "out" / "report.json").read_text()) == (2, "last")
        assert "the host was not judged (exit code 2)" in done.stderr


@pytest.mark.skipif(bool(WHY_NO_LAB), reason=str(WHY_NO_LAB))
def test_a_container_reports_of_its_host_and_not_of_itself(pod, npudoctor):
    (pod / "bin" / "npudoctor").write_text('#!/bin/sh\nexec python3 -m npudoctor "$@"\n')
    packages = sysconfig.get_path("purelib")
    mounts = [f"{ROOT}:/npudoctor:ro", f"{packages}:/packages:ro", f"{pod}:/pod", "/:/host:ro"]
    variables = {
        "PYTHONPATH": "/npudoctor:/packages",
        "PATH": "/pod/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "OUT": "/pod/out",
        "EVERY": "0",
    }
    allowed = [
        "--cap-drop=ALL",
        *(f"--cap-add={name}" for name in ("SYS_CHROOT", "DAC_READ_SEARCH", "SYSLOG")),
    ]
    done = subprocess.run(
        ["docker", "run", "--rm", "--network=host", "--security-opt=no-new-privileges", *allowed,
         *(f"--volume={mount}" for mount in mounts), *(f"--env={k}={v}" for k, v in variables.items()),
         image(), "sh", "/npudoctor/deploy/kubernetes/examine_host.sh"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    here = npudoctor("check", "--skip", "limits,env,storage.read_only", "--format", "json")
    (own,) = json.loads(here.stdout)["hosts"]
    there = host_of(pod / "out")
    changes = {
        row["id"]: (row["actual"], other["actual"])
        for row, other in zip(own["findings"], there["findings"], strict=True)
        if row["status"] != other["status"] and row["id"].partition(".")[0] in OF_THE_HOST
    }
    assert changes == {}
    assert (there["name"], there["error"]) == (own["name"], None)
