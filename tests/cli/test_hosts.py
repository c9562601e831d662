"""`--hosts` from end to end: an inventory, real sshds, a report."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from types import SimpleNamespace

import pytest

from npudoctor.cli.progress import Progress
from tests.lab.sshd import SSHD, ssh_lab

QUICK = ("--only", "npu.visible", "--format", "json")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    if not SSHD:
        pytest.skip("sshd is not on this machine")
    with ssh_lab(tmp_path_factory.mktemp("ssh")) as lab:
        lab.add("good", npus=2)
        lab.add("other", npus=2)
        lab.add("stranger", npus=2, known=False)
        yield lab


@pytest.fixture
def run(npudoctor, lab):
    environment = {"HOME": str(lab.home), "SSH_AUTH_SOCK": ""}
    return lambda *arguments: npudoctor(*arguments, env=environment)


def listed(lab, *names):
    return ",".join(f"{lab.hosts[name].address}:{lab.port}" for name in names) + ","


def test_every_host_of_an_inventory_is_in_the_report_and_a_strange_one_with_its_verdict(run, lab):
    done = run("check", "--hosts", lab.inventory(), "--limit", "npu:!other", *QUICK)
    good, stranger = json.loads(done.stdout)["hosts"]
    assert (good["name"], good["source"], good["error"]) == ("good", "ssh", None)
    assert {finding["id"]: finding["status"] for finding in good["findings"]}["npu.visible"] == "pass"
    assert (stranger["name"], stranger["source"], stranger["findings"]) == ("stranger", "ssh", [])
    assert "ssh-keyscan" in stranger["error"]
    assert done.returncode == 3, done.stderr


def test_a_name_of_the_limit_that_no_host_has_is_told_and_changes_no_exit_code(run, lab):
    done = run("check", "--hosts", lab.inventory(), "--limit", "good,typo", *QUICK)
    assert [host["name"] for host in json.loads(done.stdout)["hosts"]] == ["good"]
    assert "npudoctor: --limit: no host matches typo\n" in done.stderr
    assert done.returncode == 0


def test_a_failed_check_wins_over_a_host_that_could_not_be_read(run, lab):
    done = run("check", "--hosts", listed(lab, "good", "stranger"), "--only", "npu,cann", "--fail-on", "warn")
    assert done.returncode == 1, done.stdout


def test_hosts_that_are_all_well_are_exit_0_and_a_line_each_on_standard_error(run, lab):
    done = run("check", "--hosts", listed(lab, "good", "other"), *QUICK)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = sorted(done.stderr.splitlines())
    assert [line.partition(": ")[2].partition(" in ")[0] for line in lines] == ["read", "read"]


def test_facts_of_the_hosts_that_can_be_read(run, lab):
    done = run("facts", "--hosts", listed(lab, "good", "stranger"), "--area", "driver")
    (host,) = json.loads(done.stdout)["hosts"]
    assert host["driver"]["version"]["value"] == "24.1.rc2"
    assert "its host key is not known" in done.stderr
    assert done.returncode == 3


def test_collect_writes_a_bundle_for_each_host_which_is_judged_as_the_host_is(run, lab, tmp_path):
    (tmp_path / "bundles").mkdir()
    done = run("collect", "--hosts", listed(lab, "good", "stranger", "other"), "--output", "bundles")
    assert done.returncode == 3
    bundles = [tmp_path / line for line in done.stdout.splitlines()]
    assert len(bundles) == 2
    with tarfile.open(bundles[0]) as bundle:
        assert "bundle/commands/npu-smi_info" in bundle.getnames()
    again = run("check", "--from", *bundles, *QUICK)
    assert again.returncode == 0, again.stdout


def test_ctrl_c_ends_at_once_with_what_is_there(lab, tmp_path):
    hangs = lab.add("hangs", npus=1, options="ForceCommand exec sleep 60\n")
    hosts = f"{listed(lab, 'good')}{hangs.address}:{hangs.port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "npudoctor", "check", "--hosts", hosts, *QUICK],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "HOME": str(lab.home), "LC_ALL": "C.UTF-8"},
        cwd=tmp_path,
    )
    assert b"read in" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    out, errors = process.communicate(timeout=30)
    assert time.monotonic() - begin < 5
    assert process.returncode == 130
    assert b"Traceback" not in errors
    good, other = json.loads(out)["hosts"]
    assert good["error"] is None
    assert other["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--hosts", "no.ini"],
            "--hosts no.ini: no such file; give an inventory, or a list with a comma: no.ini,",
        ),
        (["--limit", "a"], "--limit needs --hosts; give an inventory"),
        (
            ["--hosts", "a,", "--pid", "1"],
            "--hosts names other machines; leave out --from, --sample and --pid",
        ),
        (["--hosts", ","], "--hosts ,: no host is named; see the groups of the inventory"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(npudoctor, arguments, message):
    done = npudoctor("check", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"npudoctor: {message}\n")


def test_without_paramiko_one_line_says_what_to_install(npudoctor, tmp_path):
    (tmp_path / "paramiko.py").write_text("raise ModuleNotFoundError('no', name='paramiko')\n")
    done = npudoctor("check", "--hosts", "a,")
    message = "--hosts needs the package paramiko; type: pip install 'npudoctor[fleet]'"
    assert (done.returncode, done.stderr) == (2, f"npudoctor: {message}\n")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def reading(name, error=None, settled=True):
    return SimpleNamespace(
        target=SimpleNamespace(name=name), error=error, seconds=1.25, settled=settled, begun=True
    )


def test_a_terminal_shows_one_live_line_and_keeps_failures():
    screen = Terminal()
    every = [reading("a"), reading("b", "connection refused"), reading("c", settled=False)]
    progress = Progress(screen)
    progress.begin(3)
    assert screen.getvalue() == "0 of 3 hosts"
    progress.tell(every[0], every)
    progress.tell(every[1], every)
    progress.close()
    kept, last = screen.getvalue().split("\n")
    assert "a:" not in kept
    assert kept.endswith("\r\033[Kb: connection refused")
    assert "2 of 3 hosts, 1 not read; waiting for c" in last
    assert last.endswith("\r\033[K")


def test_of_many_hosts_the_live_line_is_drawn_a_few_hundred_times():
    screen = Terminal()
    every = [reading(f"n{number}") for number in range(2560)]
    progress = Progress(screen)
    for one in every:
        progress.tell(one, every)
    assert 200 < screen.getvalue().count("\r") < 300


def test_a_file_gets_a_plain_line_for_each_host():
    file = io.StringIO()
    for one in (reading("a"), reading("b", "connection refused")):
        Progress(file).tell(one, [])
    assert file.getvalue() == "a: read in 1.2 s\nb: connection refused\n"


def test_collect_gives_many_hosts_the_same_tokens_and_their_logs(run, lab, tmp_path):
    (tmp_path / "bundles").mkdir()
    wanted = ("--limit", "good:other", "--logs", "1h", "--map", "private.json", "--output", "bundles")
    done = run("collect", "--hosts", lab.inventory(), *wanted)
    assert done.returncode == 0, done.stderr
    tokens = json.loads((tmp_path / "private.json").read_text())["tokens"]
    hosts = {text: token for token, text in tokens.items() if token.startswith("host-")}
    assert {"good", "other"} <= hosts.keys()
    for line in done.stdout.splitlines():
        assert not {"good", "other"} & set(line.replace("-", "/").split("/"))
        with tarfile.open(tmp_path / line) as bundle:
            assert json.load(bundle.extractfile("bundle/manifest.json"))["host"] in hosts.values()
            assert "bundle/logs/dmesg_-T" in bundle.getnames()
