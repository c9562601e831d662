"""Whole runs on lab hosts: from bare or old to done, killed on the way, taken back, left alone when right."""

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.lab.image import image, why_not
from tests.lab.provisioned import provision_lab
from tests.lab.unchanged import changes, snapshot
from tests.provision.provisioning import (
    NEW,
    OLD,
    Caller,
    ended,
    installed_twice,
    lines_of,
    record_of,
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    image()
    with provision_lab(tmp_path_factory.mktemp("runs")) as lab:
        lab.packages(**NEW)
        lab.packages(**OLD)
        lab.boot("bare")
        lab.boot("old", "killed", **OLD)
        lab.boot("bad", "cut", **OLD)
        lab.hosts["bad"].set(bad_driver=NEW["driver"])
        lab.hosts["cut"].set(die_install="driver 25.5.0 1")
        yield lab


@pytest.fixture(scope="module")
def caller(lab):
    return Caller(lab.inventory(), lab.packages(), lab.folder / "runs")


@pytest.fixture(scope="module")
def first(lab, caller):
    """One call for all hosts in their states; the one that is killed is left to a run of its own."""
    limits = ("--canary", "0", "--max-unavailable", "4", "--max-failed", "3")
    code, said = caller.call("--limit", "all:!killed", *limits)
    report = json.loads((caller.newest() / "report.json").read_text())
    return code, said, {host["name"]: host for host in report["hosts"]}


def test_a_bare_host_and_an_old_one_run_the_stack_in_the_end(lab, first):
    hosts = first[2]
    assert {name: hosts[name]["word"] for name in ("bare", "old")} == {"bare": "done", "old": "done"}
    assert lab.hosts["bare"].running == lab.hosts["old"].running == NEW
    assert hosts["old"]["after"] | NEW == hosts["old"]["after"]
    assert [one.component for one in lab.hosts["bare"].installs] == ["driver", "firmware"]
    assert [one.component for one in lab.hosts["old"].installs] == ["firmware", "driver"]


def test_a_host_boots_once_for_all_that_its_kernel_needs(lab, first):
    assert len(lab.hosts["old"].boots) == 2
    assert len(first[2]["old"]["boots"]) == 2


def test_a_driver_on_which_the_npus_are_in_alarm_is_taken_back(lab, first):
    code, said, hosts = first
    assert code == 1
    assert (hosts["bad"]["word"], hosts["bad"]["key"]) == ("rolled-back", "check:npu.health")
    assert lab.hosts["bad"].running == OLD
    assert "npudoctor triage" in said


def test_a_host_that_was_taken_back_left_a_bundle_of_what_it_said_before(caller, first):
    bundle = first[2]["bad"]["bundle"]
    assert bundle.endswith("bundles/bad.tar.gz")
    words = ("check", "--from", bundle, "--only", "npu.health")
    assert subprocess.run([sys.executable, "-m", "npudoctor", *words], check=False).returncode == 1


def test_an_installer_that_dies_half_way_is_run_again(lab, first):
    assert first[2]["cut"]["word"] == "done"
    assert lab.hosts["cut"].running == NEW
    codes = [one.code for one in lab.hosts["cut"].installs if one.component == "driver"]
    assert codes[0] is None
    assert len(codes) == 2


def test_a_host_that_is_right_costs_one_reading_and_nothing_there_is_changed(lab, caller, first):
    host = lab.hosts["old"]
    before = snapshot(host)
    code, _said = caller.call("--limit", "old")
    assert code == 0
    assert changes(before, snapshot(host)) == []
    assert caller.words() == {"old": "converged"}
    assert lines_of(caller.newest() / "journal.jsonl") == 2


@pytest.mark.parametrize("line", [8, 5])
def test_a_run_that_is_killed_is_brought_to_its_end_by_one_more_call(lab, caller, line):
    """Up with the first kill, and back with the second."""
    host, back = lab.hosts["killed"], line == 5
    begun = len(host.installs)
    words = ("--limit", "killed", *(["--rollback"] if back else []))
    hit = caller.kill_at(caller.begin(*words), line, 0.2)
    code, said = caller.resume()
    assert hit, said
    assert code == 0, said
    assert host.running == (OLD if back else NEW)
    assert record_of(host)["phase"] == ("rolled-back" if back else "done")
    assert not installed_twice(host.installs[begun:])


def test_ctrl_c_ends_a_run_at_once_and_says_how_to_go_on(lab, caller):
    process = caller.begin("--limit", "killed")
    known = caller.newest()
    while caller.newest() == known or lines_of(caller.newest() / "journal.jsonl") < 5:
        assert process.poll() is None, ended(process)
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    code, said = ended(process)
    assert code == 130
    assert f"npudoctor provision resume {caller.newest().name}" in said
    assert "Traceback" not in said
    code, said = caller.resume()
    assert code == 0, said
    assert lab.hosts["killed"].running == NEW
    report = (caller.newest() / "report.json").read_text()
    (host,) = json.loads(report)["hosts"]
    assert host["steps"] == ["firmware", "driver"], host
    assert len(host["boots"]) == 2, host
    code, said = caller.resume()
    assert (code, "npudoctor provision retry" in said) == (2, True), said
    assert (caller.newest() / "report.json").read_text() == report
