"""The agent: what it keeps, who it refuses, and that it runs where it is sent."""

import json
import os
from pathlib import Path

import pytest

from npudoctor.collect.inventory import Target
from npudoctor.collect.remote import Way
from npudoctor.collect.ssh_config import SshConfig
from npudoctor.errors import NpudoctorError
from npudoctor.provision.effects import agent as sent
from npudoctor.provision.effects.agent import ask
from npudoctor.provision.effects.protocol import Fenced

OWNER = {"run": "run1", "host": "here", "pid": 1}


@pytest.fixture
def way(tmp_path, monkeypatch):
    """This machine, with a root of its own for what the agent keeps."""
    monkeypatch.setattr(
        sent, "_START", sent._START.replace("agent.main(", f"agent.ROOT = {str(tmp_path)!r}; agent.main(")
    )
    return Way(Target("here", "localhost", local=True), SshConfig())


@pytest.fixture
def home(tmp_path):
    return tmp_path / "var/lib/npudoctor"


def taken(way, seen=0, run="run1"):
    return ask(way, "take", seen=seen, owner={**OWNER, "run": run}, seconds=60)["fence"]


def written(way, fence, text="{}", **more):
    return ask(way, "write", fence=fence, text=text, line={"phase": "open"}, seconds=60, **more)


def test_a_look_changes_nothing_and_says_what_is_there(way, home):
    seen = ask(way, "look")
    assert seen["record"] == ""
    assert seen["lease"] == {}
    assert seen["boot"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert os.path.isabs(seen["python"])
    assert not home.exists()


def test_a_record_is_kept_with_the_one_before_it_and_a_line_of_history(way, home):
    fence = taken(way)
    written(way, fence, "first")
    written(way, fence, "second", receipt={"run": "run1"})
    assert (home / "record.json").read_text() == "second"
    assert (home / "record.json.1").read_text() == "first"
    lines = [json.loads(line) for line in (home / "history.jsonl").read_text().splitlines()]
    assert [line["phase"] for line in lines] == ["open", "open"]
    assert json.loads((home / "receipt.json").read_text()) == {"run": "run1"}
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "record.json").stat().st_mode & 0o777 == 0o600


def test_a_host_without_room_for_the_record_is_told_with_where_room_has_to_be_made(way, home):
    fence = taken(way)
    (home / "history.jsonl").symlink_to("/dev/full")
    with pytest.raises(NpudoctorError, match=r"No space left on device; make room in /var/lib/npudoctor$"):
        written(way, fence)


def test_who_logs_in_is_told_as_long_as_a_person_has_to_mend_the_host(way, tmp_path):
    fence, motd = taken(way), tmp_path / "etc/motd.d/npudoctor"
    (tmp_path / "etc").mkdir()
    written(way, fence, "fine")
    assert not motd.parent.exists()
    written(way, fence, "stuck", mark="mend it\n")
    assert motd.read_text() == "mend it\n"
    assert (motd.stat().st_mode & 0o777, motd.parent.stat().st_mode & 0o777) == (0o644, 0o755)
    written(way, fence, "fine")
    assert not motd.exists()


def test_whoever_takes_a_host_over_makes_all_that_the_other_asks_for_be_refused(way):
    first = taken(way)
    second = taken(way, seen=first, run="run2")
    assert second == first + 1
    with pytest.raises(Fenced, match="run2 on here"):
        written(way, first)
    with pytest.raises(Fenced):
        ask(way, "reboot", fence=first, boot="x", why=[], seconds=60)
    with pytest.raises(Fenced):
        ask(way, "check", fence=first, seconds=60)
    written(way, second)


def test_of_two_that_take_a_host_at_the_same_time_one_gets_it(way):
    taken(way)
    with pytest.raises(Fenced):
        taken(way, seen=0, run="run2")


def test_a_fence_number_outlives_the_lease(way):
    fence = taken(way)
    ask(way, "release", fence=fence)
    seen = ask(way, "look")
    assert seen["lease"]["fence"] == fence
    assert seen["lease"]["until"] <= seen["now"]
    assert taken(way, seen=fence) == fence + 1


def test_a_reboot_that_was_decided_in_another_boot_is_not_made(way, home):
    fence = taken(way)
    ask(way, "reboot", fence=fence, boot="another boot", why=["driver"], seconds=60)
    assert not (home / "steps/reboot.json").exists()


def test_a_package_that_came_in_part_is_told_and_one_that_is_wrong_is_removed(way, home):
    from hashlib import sha256

    digest = sha256(b"whole").hexdigest()
    part = home / "store/sha256" / digest[:2] / f"{digest}.part"
    assert ask(way, "stored", digests=[digest]) == {digest: 0}
    part.write_bytes(b"who")
    assert ask(way, "stored", digests=[digest]) == {digest: 3}
    assert ask(way, "adopt", digests=[digest]) == {digest: False}
    assert not part.exists()
    part.write_bytes(b"whole")
    assert ask(way, "adopt", digests=[digest]) == {digest: True}
    assert ask(way, "stored", digests=[digest]) == {digest: -1}


def test_a_program_that_fails_there_is_a_fault_and_no_silence(way):
    with pytest.raises(NpudoctorError, match="the agent failed there: KeyError"):
        ask(way, "take")


def test_a_script_that_ends_with_a_code_says_it(way):
    output = Way(Target("here", "localhost", local=True), SshConfig()).run(
        "echo out; exit_with=3; (exit 3)", 10
    )
    assert (output.stdout.strip(), output.exit_code) == (b"out", 3)


def test_the_agent_is_small_enough_for_a_command_line():
    assert len(sent._script("{}")) < 100_000
