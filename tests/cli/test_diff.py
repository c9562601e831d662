"""`npudoctor diff`: two reports, two bundles, two hosts, or one of each."""

import json

import pytest

from tests.lab.sshd import SSHD, ssh_lab

HEALTHY, BROKEN = ("--sample", "a2-healthy"), ("--sample", "a2-misconfigured")


@pytest.fixture
def reports(npudoctor, tmp_path):
    for name, sample in (("before", HEALTHY), ("after", BROKEN)):
        npudoctor("check", *sample, "--output", f"json={name}.json")
    return "before.json", "after.json"


def test_two_reports_that_differ_are_exit_1_and_the_same_report_is_exit_0(npudoctor, reports):
    done = npudoctor("diff", *reports)
    assert done.returncode == 1, done.stderr
    assert "PASS → FAIL  torch.torch_npu_pairing" in done.stdout
    same = npudoctor("diff", reports[0], reports[0])
    assert (same.returncode, same.stdout.splitlines()[-1]) == (0, "nothing differs.")
    assert npudoctor("diff", *reports, "--exit-zero").returncode == 0


def test_recorded_hosts_are_compared_with_their_facts(npudoctor):
    done = npudoctor("diff", *HEALTHY, *BROKEN, "--format", "json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert [document[side]["hosts"] for side in ("before", "after")] == [["a2-node-01"], ["a2-node-02"]]
    changed = {fact["name"]: (fact["before"], fact["after"]) for fact in document["facts"]}
    assert changed["python.current.packages.torch_npu"] == ("2.8.0.post2", "2.7.1")


def test_a_report_and_a_bundle_are_compared_by_their_findings(npudoctor, reports, tmp_path):
    (tmp_path / "bundle" / "commands").mkdir(parents=True)
    (tmp_path / "bundle" / "commands" / "ulimit_-s").write_text("8192\n")
    done = npudoctor("diff", reports[0], "bundle", "--only", "limits.stack", "--format", "json")
    document = json.loads(done.stdout)
    assert document["facts"] is None
    assert [change["id"] for change in document["findings"]] == ["limits.stack"]


def test_one_side_alone_is_compared_with_this_machine(npudoctor, reports):
    done = npudoctor("diff", reports[0], "--only", "npu.visible", "--format", "json")
    assert json.loads(done.stdout)["after"]["kind"] == "local"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*HEALTHY, *HEALTHY, *BROKEN], "diff compares two, not 3"),
        (["no.json", *HEALTHY], "no.json: no such file or folder; give a bundle's path"),
        ([*HEALTHY, *BROKEN, "--format", "html"], "there is no format html; use text, json, markdown"),
        ([*HEALTHY, *BROKEN, "--only", "drivr"], "no check is called drivr"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(npudoctor, arguments, message):
    done = npudoctor("diff", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"npudoctor: {message}")
    assert done.stderr.count("\n") == 1


def test_a_json_file_that_is_no_report_is_exit_2(npudoctor, tmp_path):
    (tmp_path / "a.json").write_text('{"schema": "other"}')
    done = npudoctor("diff", "a.json", *HEALTHY)
    assert (done.returncode, done.stderr) == (
        2,
        "npudoctor: a.json: is other, not a report; give a report of --format json\n",
    )


@pytest.mark.skipif(not SSHD, reason="sshd is not on this machine")
def test_two_hosts_over_ssh_are_compared_and_one_that_cannot_be_read_is_exit_3(npudoctor, tmp_path):
    (tmp_path / "lab").mkdir()
    with ssh_lab(tmp_path / "lab") as lab:
        lab.add("two", npus=2)
        lab.add("four", npus=4)
        environment = {"HOME": str(lab.home), "SSH_AUTH_SOCK": ""}
        hosts = ("--hosts", lab.inventory(), "--only", "npu", "--format", "json")
        done = npudoctor("diff", *hosts, env=environment)
        lab.hosts["four"].stop()
        lost = npudoctor("diff", *hosts, env=environment)
    counts = [fact for fact in json.loads(done.stdout)["facts"] if fact["name"] == "npus.count"]
    assert (done.returncode, counts) == (1, [{"name": "npus.count", "before": "2", "after": "4"}])
    document = json.loads(lost.stdout)
    assert (lost.returncode, document["findings"], document["facts"]) == (3, [], None)
    assert "four" in document["after"]["hosts"]
    assert document["after"]["error"]
