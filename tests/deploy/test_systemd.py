"""deploy/systemd and deploy/prometheus: the units are valid and hardened; what they write can be read."""

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
ALERTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"][0]["rules"]
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")


def analyze(*arguments):
    done = subprocess.run(
        ["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def units(tmp_path):
    """The units, with programs that are on this machine."""
    for unit in UNITS:
        text = unit.read_text().replace("/usr/local/bin/npudoctor", sys.executable)
        (tmp_path / unit.name).write_text(text)
    return tmp_path


@needs_systemd
@pytest.mark.parametrize("unit", [unit.name for unit in UNITS])
def test_systemd_finds_nothing_wrong_with_a_unit(units, unit):
    code, said = analyze("verify", "--man=no", str(units / unit))
    ours = [line for line in said.splitlines() if "npudoctor" in line]
    assert (code, ours) == (0, []), said


@needs_systemd
def test_the_service_is_hardened_as_far_as_a_reader_of_the_host_can_be(units):
    code, said = analyze("security", "--offline=yes", "--threshold=50", str(units / "npudoctor.service"))
    assert code == 0, said.splitlines()[-1]


def test_nothing_gives_the_service_a_view_of_its_own_of_the_host():
    service = (DEPLOY / "systemd" / "npudoctor.service").read_text()
    settings = {line.partition("=")[0] for line in service.splitlines() if not line.startswith("#")}
    views = {"ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices", "PrivateNetwork", "ProtectProc",
             "ProtectKernelModules", "ProtectKernelTunables", "ProtectKernelLogs", "ProtectClock",
             "ProtectControlGroups", "ProtectHostname", "DynamicUser", "PrivateMounts"}  # fmt: skip
    assert not settings & views


@pytest.fixture
def written(npudoctor, tmp_path):
    """What the service's own command line writes of a recorded host."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string((DEPLOY / "systemd" / "npudoctor.service").read_text().replace("\\\n", " "))
    program, *arguments = shlex.split(
        parser["Service"]["ExecStart"].replace("/var/lib/npudoctor", str(tmp_path))
    )
    done = npudoctor(*arguments, "--sample", "a3-sick-die")
    assert program == "/usr/local/bin/npudoctor"
    assert str(done.returncode) in parser["Service"]["SuccessExitStatus"].split(), done.stderr
    return tmp_path


def metrics(folder):
    return list(text_string_to_metric_families((folder / "npudoctor.prom").read_text()))


def test_the_service_writes_metrics_and_a_report_that_agree(written):
    report = json.loads((written / "report.json").read_text())
    (findings,) = (family for family in metrics(written) if family.name == "npudoctor_finding")
    failed = {row["id"] for row in report["hosts"][0]["findings"] if row["status"] == "fail"}
    assert failed
    assert {s.labels["id"] for s in findings.samples if s.labels["status"] == "fail"} == failed
    assert [file.name for file in written.iterdir() if file.name.startswith(".")] == []


@pytest.mark.parametrize("rule", ALERTS, ids=[rule["alert"] for rule in ALERTS])
def test_an_alert_is_promql_over_metrics_and_labels_that_exist(rule, written):
    promql_parser.parse(rule["expr"])
    families = {family.name: family for family in metrics(written)}
    (name,) = set(re.findall(r"npudoctor_\w+", rule["expr"]))
    labels = set().union(*(sample.labels for sample in families[name].samples)) | {"instance"}
    told = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    assert told <= labels
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
