"""The folder of a run: what it keeps, and that one process at a time is at it."""

import json
import subprocess
import sys

import pytest

from npudoctor.errors import Exit, NpudoctorError, UsageError
from npudoctor.provision.call import Call, Share
from npudoctor.provision.run import folder as folder_module
from npudoctor.provision.run.call_file import call_as_json, call_of_json
from npudoctor.provision.run.folder import RunFolder, default_runs, find_run, unended_runs
from npudoctor.provision.run.result import Word

CALL = Call("hosts.yml", "stack", only=("driver",), max_failed=Share(count=3))


@pytest.fixture
def folder(tmp_path):
    made = RunFolder.new(tmp_path, call_as_json(CALL), {"plan": 1})
    yield made
    made.close()


def test_a_new_run_keeps_its_call_and_its_plan_for_this_user_alone(folder):
    assert call_of_json(folder.get("call.json")) == CALL
    assert folder.get("plan.json") == {"plan": 1}
    assert folder.path.stat().st_mode & 0o777 == 0o700


def test_the_journal_grows_by_lines_that_are_whole(folder):
    folder.say("phase", host="node1", phase="open")
    folder.say("end", host="node1", word="done")
    lines = [json.loads(line) for line in (folder.path / "journal.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["phase", "end"]
    assert lines[0]["host"] == "node1"
    assert lines[0]["when"] > 1e9


def test_a_run_that_is_not_where_runs_are_kept_is_named_with_its_place(folder, monkeypatch):
    assert folder.words == f"{folder.id} --run-dir {folder.path.parent}"
    monkeypatch.setattr(folder_module, "default_runs", lambda: folder.path.parent)
    assert folder.words == folder.id


def test_a_full_disk_ends_a_run_in_one_line_that_says_how_to_go_on(folder):
    with open("/dev/full", "a") as full:
        journal, folder._journal = folder._journal, full
        with pytest.raises(NpudoctorError, match=r"journal\.jsonl: No space left.* resume ") as told:
            folder.say("phase", host="node1", phase="open")
        assert told.value.exit is Exit.DOCTOR
        folder.close()
    journal.close()


def test_a_second_process_is_refused_while_the_first_is_at_it(folder):
    code = (
        "import sys; from pathlib import Path; from npudoctor.provision.run.folder import RunFolder\n"
        "RunFolder(Path(sys.argv[1])).take()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder.path)], capture_output=True, text=True, check=False
    )
    assert "another process is at it (process" in done.stderr
    folder.close()
    again = RunFolder(folder.path)
    again.take()
    again.close()


def test_hosts_that_were_in_the_middle_are_known_from_the_journal(folder):
    folder.say("phase", host="node1", phase="open")
    folder.say("phase", host="node1", phase="reboot")
    folder.say("phase", host="node2", phase="done")
    folder.say("stage", host="node3", file="x")
    with (folder.path / "journal.jsonl").open("a") as journal:
        journal.write('{"when": 1, "event": "pha')
    assert folder.begun() == {"node1"}


def test_why_a_host_turned_back_is_known_from_the_journal(folder):
    folder.say("phase", host="node1", phase="apply", cause="")
    folder.say("phase", host="node1", phase="undo", cause="no wheel of numpy is among those given")
    folder.say("phase", host="node2", phase="undo", cause="")
    assert folder.causes() == {"node1": "no wheel of numpy is among those given"}


def test_how_hosts_were_left_is_known_from_the_journal(folder):
    boots = {"boots": ["b1", "b2"], "steps": ["driver"], "seconds": {"apply": 60.0}}
    folder.say("phase", host="node1", phase="open", boots=["b1"], steps=[], seconds={})
    folder.say("phase", host="node2", phase="settle", **boots)
    folder.say("end", host="node1", word="rolled-back", key="x", after={"driver": "1"}, kept=[], **boots)
    found = folder.earlier()
    assert list(found) == ["node2", "node1"]
    assert (found["node2"].word, found["node2"].boots) == (Word.PAUSED, ("b1", "b2"))
    ended = found["node1"]
    assert (ended.word, ended.key, ended.after) == (Word.ROLLED_BACK, "x", {"driver": "1"})
    assert (ended.boots, ended.steps, ended.seconds) == (("b1", "b2"), ("driver",), {"apply": 60.0})


def kept(runs, name, **report):
    """The folder of a run, with that report where one is given."""
    (runs / name).mkdir()
    (runs / name / "plan.json").write_text("{}")
    if report:
        (runs / name / "report.json").write_text(json.dumps(report))
    return name


@pytest.mark.parametrize(
    ("report", "is_over"),
    [
        ({}, False),
        ({"interrupted": True, "hosts": []}, False),
        ({"hosts": [{"name": "a", "word": "paused", "key": ""}]}, False),
        ({"hosts": [{"name": "a", "word": "paused", "key": "too-many-failed"}]}, True),
        ({"hosts": [{"name": "a", "word": "stuck", "key": "no-reboot"}]}, True),
    ],
)
def test_a_run_is_over_where_nothing_of_it_waits_to_be_gone_on_with(tmp_path, report, is_over):
    kept(tmp_path, "20261101-000000-aaaa", **report)
    kept(tmp_path, "20261102-000000-bbbb", hosts=[{"name": "a", "word": "done"}])
    assert [run.id[:8] for run in unended_runs(tmp_path)] == ([] if is_over else ["20261101"])
    assert find_run(tmp_path, None).id.startswith("20261102")


def test_the_newest_run_is_found_and_one_by_its_name(tmp_path, folder):
    folder.close()
    assert find_run(tmp_path, None).id == folder.id
    assert find_run(tmp_path, folder.id).id == folder.id
    with pytest.raises(UsageError, match="there is no run x"):
        find_run(tmp_path, "x")
    with pytest.raises(UsageError, match="there is no run yet"):
        find_run(tmp_path / "other", None)


def test_a_file_that_is_not_there_or_damaged_is_wrong_usage(folder):
    with pytest.raises(UsageError, match=r"report\.json: No such file"):
        folder.get("report.json")
    (folder.path / "plan.json").write_text("{")
    with pytest.raises(UsageError, match=r"plan\.json"):
        folder.get("plan.json")


def test_a_place_where_nothing_can_be_written_is_wrong_usage(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="give --run-dir"):
        RunFolder.new(tmp_path / "file", {}, {})


def test_runs_are_kept_in_the_state_folder_of_this_user(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert str(default_runs()) == "/state/npudoctor/runs"


def test_a_call_keeps_paths_in_full(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hosts.yml").write_text("")
    kept = call_as_json(Call("hosts.yml", "stack", packages="http://mirror/x"))
    assert kept["hosts"] == str(tmp_path / "hosts.yml")
    assert kept["packages"] == "http://mirror/x"
    assert call_as_json(Call("a,b,", "stack"))["hosts"] == "a,b,"


def test_a_call_of_another_version_is_wrong_usage():
    with pytest.raises(UsageError, match="another version"):
        call_of_json({"nothing": 1})
