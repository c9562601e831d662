"""Runs on the command line: what is told on the way, and calls of resume and retry that lead nowhere."""

import io
import json

import pytest

from npudoctor.cli import provision_plan, provision_run
from npudoctor.cli.provision_progress import ProvisionProgress
from npudoctor.cli.provision_resume import _unended, resume
from npudoctor.cli.provision_retry import _failed, retry
from npudoctor.collect.ssh_config import SshConfig
from npudoctor.errors import Exit, UsageError
from npudoctor.matrix import load_matrix
from npudoctor.provision.call import Call
from npudoctor.provision.planned import Plan
from npudoctor.provision.run.call_file import call_as_json
from npudoctor.provision.run.folder import RunFolder
from npudoctor.provision.run.start import Means
from tests.provision.plan.hosts import planner


def told(*events):
    stream = io.StringIO()
    progress = ProvisionProgress(stream)
    for host, event, what in events:
        progress.tell(host, event, what)
    return [line.split(maxsplit=1)[1] for line in stream.getvalue().splitlines()]


def phase(name, reason=""):
    return ("node1", "phase", {"phase": name, "reason": reason})


def test_steps_and_ends_are_told_with_the_host():
    lines = told(
        ("node1", "does", {"verb": "apply", "component": "driver", "version": "25.5.0"}),
        ("node1", "did", {"verb": "apply", "component": "driver", "seconds": 498.7}),
        ("node1", "does", {"verb": "undo", "component": "driver", "version": ""}),
        ("node1", "did", {"verb": "undo", "component": "driver", "failed": "no such package"}),
        ("node1", "end", {"word": "stuck", "key": "undo-failed:driver"}),
        ("", "brake", {"key": "too-many-failed"}),
    )
    assert lines == [
        "node1: apply driver 25.5.0 …",
        "node1: apply driver: ended after 499 s",
        "node1: undo driver …",
        "node1: undo driver failed: no such package",
        "node1: stuck undo-failed:driver",
        "npudoctor: no other host is begun: too-many-failed",
    ]


def test_a_phase_is_told_once_and_what_is_waited_for_too():
    wait = ("node1", "wait", {"for": "reboot"})
    lines = told(phase("reboot"), phase("reboot"), wait, wait, phase("verify"), phase("undo", "check:x"))
    assert lines == [
        "node1: reboots",
        "node1: waits for the reboot",
        "node1: is checked",
        "node1: goes back: check:x",
    ]


def test_how_long_a_service_is_waited_for_is_told_again_and_again():
    assert told(*(("node1", "still", {"seconds": n, "at_most": 45.0}) for n in (0, 30, 60))) == [
        "node1: starts the service and waits up to 45 s until it answers",
        "node1: waits until the service answers: 30 of 45 s",
        "node1: is still at the service, after 60 s",
    ]


def test_what_was_as_before_on_the_way_back_is_told():
    assert told(("node1", "back-already", {"components": ["ops", "nnal"]})) == [
        "node1: as before already: ops, nnal"
    ]


def test_staging_is_one_line_a_host_whatever_the_number_of_files():
    files = (("node1", "stage", {"file": f"{number}.whl"}) for number in range(22))
    lines = told(("node1", "packages", {"files": 22, "bytes": 1_300_000_000}), *files)
    assert lines == ["node1: takes 22 packages, 1.3 GB"]


def test_the_error_of_a_try_is_told_in_one_line():
    error = "toolkit: exit code 1\n" + "ERROR: check " * 40
    (line,) = told(("node1", "did", {"verb": "apply", "component": "toolkit", "failed": error}))
    assert line.startswith("node1: apply toolkit failed: toolkit: exit code 1 ERROR: check")
    assert line.endswith("…")
    assert len(line) < 160


def test_what_a_person_need_not_know_is_not_told():
    assert told(phase("open"), ("node1", "did", {"verb": "reboot", "component": ""}), ("", "start", {})) == []


@pytest.fixture
def folder(tmp_path):
    made = RunFolder.new(tmp_path, {}, {})
    yield made
    made.close()


def test_a_retry_is_for_the_hosts_that_are_not_right(folder):
    words = {"a": "done", "b": "converged", "c": "stuck", "d": "paused"}
    folder.put("report.json", {"hosts": [{"name": name, "word": word} for name, word in words.items()]})
    assert _failed(folder) == ["c", "d"]


def test_a_retry_of_a_way_back_is_for_the_hosts_that_are_not_back(folder):
    words = {"a": "rolled-back", "b": "stuck"}
    hosts = [{"name": name, "word": word} for name, word in words.items()]
    folder.put("report.json", {"hosts": hosts, "rollback": True})
    assert _failed(folder) == ["b"]


def test_a_retry_takes_the_answers_to_what_blocks(folder, monkeypatch, tmp_path):
    call = Call("hosts.yml", "a2-stack", run_folder=tmp_path)
    folder.put("call.json", call_as_json(call))
    folder.put("report.json", {"hosts": [{"name": "a", "word": "blocked"}]})
    asked = []
    monkeypatch.setattr(provision_plan, "provision_hosts", lambda _call, wishes: asked.append(wishes) or 0)
    assert retry(run_dir=tmp_path, answers=tmp_path / "answers.yml") == 0
    assert [wishes.answers for wishes in asked] == [tmp_path / "answers.yml"]


def test_a_retry_of_a_run_that_is_right_or_has_not_ended_is_wrong_usage(folder):
    with pytest.raises(UsageError, match="type: npudoctor provision resume"):
        _failed(folder)
    (folder.path / "report.json").write_text(json.dumps({"hosts": [{"name": "a", "word": "done"}]}))
    with pytest.raises(UsageError, match=r"every host of the run .* is right"):
        _failed(folder)


class Runs:
    """A folder of runs, each over an inventory of its own name unless it is gone."""

    def __init__(self, path):
        self.path = path

    def __call__(self, name, word="", inventory="hosts.yml", *, gone=False):
        hosts = self.path / inventory
        hosts.write_text("")
        folder = self.path / f"20261101-000000-{name}"
        folder.mkdir()
        (folder / "plan.json").write_text("{}")
        (folder / "call.json").write_text(json.dumps(call_as_json(Call(str(hosts), "a2-stack"))))
        if word:
            (folder / "report.json").write_text(json.dumps({"hosts": [{"name": "a", "word": word}]}))
        if gone:
            hosts.unlink()
        return folder.name

    def to_resume(self, run=None, hosts=None):
        return _unended(run, self.path, str(self.path / hosts) if hosts else None)[0].id


@pytest.fixture
def runs(tmp_path):
    return Runs(tmp_path)


def test_the_newest_run_that_waits_is_resumed_and_any_by_its_name(runs):
    names = [runs("aaaa"), runs("bbbb", "paused"), runs("cccc", "done")]
    assert runs.to_resume() == names[1]
    assert runs.to_resume(names[0]) == names[0]


def test_a_run_that_has_come_to_its_end_is_not_resumed_but_what_to_type_is_said(runs):
    name = runs("aaaa", "stuck")
    report = (runs.path / name / "report.json").read_bytes()
    for run, what in ((name, f"run {name} has come to its end"), (None, "no run waits to be gone on with")):
        with pytest.raises(UsageError, match=rf"{what}; .*npudoctor provision retry {name}") as told:
            resume(run, run_dir=runs.path)
        assert told.value.exit is Exit.USAGE
    assert (runs.path / name / "report.json").read_bytes() == report


def test_with_an_inventory_only_runs_over_it_are_resumed(runs):
    mine, _other = runs("aaaa", inventory="mine.yml"), runs("bbbb", inventory="other.yml")
    assert runs.to_resume(hosts="mine.yml") == mine
    with pytest.raises(UsageError, match=r"no run over .*new\.yml waits to be gone on with; .*--hosts"):
        runs.to_resume(hosts="new.yml")


def test_a_run_whose_inventory_is_gone_is_passed_over_with_a_word(runs, capsys):
    mine, lost = runs("aaaa"), runs("bbbb", "paused", "lab.yml", gone=True)
    assert runs.to_resume() == mine
    said = f"passes over run {lost}: its inventory {runs.path / 'lab.yml'} is not there any more\n"
    assert capsys.readouterr().err == said


def test_a_run_whose_scheduler_is_not_here_ends_before_anything_is_sent(folder, monkeypatch):
    monkeypatch.setenv("PATH", "")
    means = Means({}, SshConfig(), load_matrix(), planner(), {})
    call, plan = Call("hosts.yml", "a2-stack", drain="slurm"), Plan("a2-stack", {}, "now", ())
    with pytest.raises(UsageError, match="scontrol is not on this machine; install it, or give --drain none"):
        provision_run.go_on(plan, call, means, folder, ())


class Ended:
    """A run in which somebody typed Ctrl-C twice."""

    def __init__(self, *_given, **_more):
        pass

    def stop(self):
        return True

    def go(self):
        raise KeyboardInterrupt


def test_a_second_ctrl_c_leaves_no_report_but_says_how_to_go_on(folder, monkeypatch, capsys):
    monkeypatch.setattr(provision_run, "Run", Ended)
    with pytest.raises(KeyboardInterrupt):
        provision_run.go_on(None, None, None, folder, ())
    assert capsys.readouterr().err == f"npudoctor provision resume {folder.words}\n"
