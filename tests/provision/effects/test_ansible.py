"""How Ansible is called: what it is given, what is taken of it, and that nothing of it is left."""

import json
import os
import stat
import threading
import time
from pathlib import Path

import pytest

from npudoctor.collect.inventory import Become, Target
from npudoctor.errors import IncompleteError
from npudoctor.provision.effects import ansible as module
from npudoctor.provision.effects.ansible import Ansible, result_of
from npudoctor.provision.effects.protocol import Fenced, StepFailed, Stopped

SECRET = "hunter2-planted"
STANDIN = """#!/usr/bin/env python3
import json, os, sys, time
given = {option: sys.argv[place + 1] for place, option in enumerate(sys.argv) if option[:1] == "-"}
files = {name: [open(path.lstrip("@")).read(), oct(os.stat(path.lstrip("@")).st_mode & 0o777)]
         for name, path in given.items() if os.path.exists(path.lstrip("@"))}
pipes = [name for name, path in given.items() if os.path.exists(path) and not os.path.isfile(path)]
seen = {"argv": sys.argv, "environment": dict(os.environ), "files": files, "pipes": pipes, "pid": os.getpid()}
open(SEEN, "w").write(json.dumps(seen))
print("PLAY [noise] ****")
SAYS
"""


class Standin:
    """A program in the place of `ansible-playbook`, which notes how it is called."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.says("")
        monkeypatch.setattr(module, "_program", lambda: str(folder / "ansible-playbook"))

    def says(self, lines):
        program = self.folder / "ansible-playbook"
        text = STANDIN.replace("SEEN", repr(str(self.folder / "seen"))).replace("SAYS", lines)
        program.write_text(text)
        program.chmod(0o755)

    def answers(self, event, result, host="node1"):
        line = {"event": event, "host": host, "task": "t", "action": "a", "result": result}
        self.says(f"print({json.dumps(line)!r})")

    @property
    def seen(self):
        return json.loads((self.folder / "seen").read_text())


@pytest.fixture
def standin(tmp_path, monkeypatch):
    return Standin(tmp_path, monkeypatch)


TARGET = Target("node1", "10.0.0.1", port=2222, user="ops")


def run(target=TARGET, inventory="node1,", seconds=30.0, vault=None, **variables):
    return Ansible(inventory, vault).run("step.yml", target, variables, seconds)


def test_one_host_gets_one_playbook_with_its_variables_in_a_file(standin):
    standin.answers("ok", {"differences": []})
    run(npudoctor_component="driver")
    argv, files = standin.seen["argv"], standin.seen["files"]
    assert argv[1].endswith("playbooks/step.yml")
    assert argv[argv.index("--limit") + 1] == "node1"
    assert json.loads(files["-e"][0]) == {"npudoctor_component": "driver"}
    assert files["-e"][1] == "0o600"


def test_a_comma_list_becomes_an_inventory_with_the_address(standin):
    standin.answers("ok", {"differences": []})
    run()
    host = json.loads(standin.seen["files"]["-i"][0])["all"]["hosts"]["node1"]
    assert host == {"ansible_host": "10.0.0.1", "ansible_port": 2222, "ansible_user": "ops"}


def test_an_inventory_of_the_user_is_used_as_it_is(standin, tmp_path):
    inventory = tmp_path / "hosts.yml"
    inventory.write_text("all: {hosts: {node1: {}}}")
    standin.answers("ok", {"differences": []})
    run(inventory=str(inventory))
    assert standin.seen["argv"][standin.seen["argv"].index("-i") + 1] == str(inventory)


def test_passwords_go_through_pipes_of_this_user_alone_so_that_a_kill_leaves_none_on_the_disk(standin):
    standin.answers("ok", {"differences": []})
    target = Target("node1", "10.0.0.1", password=SECRET + "1", become=Become(password=SECRET + "2"))
    run(target, vault=SECRET + "3")
    seen = standin.seen
    assert SECRET not in json.dumps([seen["argv"], seen["environment"]])
    assert seen["files"]["--connection-password-file"] == [SECRET + "1\n", "0o600"]
    assert seen["files"]["--become-password-file"] == [SECRET + "2\n", "0o600"]
    assert seen["files"]["--vault-password-file"] == [SECRET + "3\n", "0o600"]
    assert seen["pipes"] == [
        "--connection-password-file",
        "--become-password-file",
        "--vault-password-file",
    ]
    folder = Path(seen["argv"][seen["argv"].index("--become-password-file") + 1]).parent
    assert not folder.exists()


def test_a_password_that_nobody_reads_holds_nothing_up(monkeypatch):
    monkeypatch.setattr(module, "_program", lambda: "true")
    with pytest.raises(StepFailed, match="Ansible did nothing"):
        run(Target("node1", "10.0.0.1", become=Become(password=SECRET)))


def test_host_keys_are_checked_and_no_log_is_written(standin):
    standin.answers("ok", {"differences": []})
    run()
    environment = standin.seen["environment"]
    assert environment["ANSIBLE_HOST_KEY_CHECKING"] == "1"
    assert "StrictHostKeyChecking=yes" in environment["ANSIBLE_SSH_ARGS"]
    assert environment["ANSIBLE_LOG_PATH"] == os.devnull


def test_what_a_module_answers_comes_back(standin):
    standin.answers("ok", {"differences": [], "changed": True})
    assert result_of(run(), "driver") == {"differences": [], "changed": True}


def test_a_module_that_fails_gives_its_own_key(standin):
    blocker = {"key": "npu-in-use", "message": "python3 (12) uses NPU 0", "fix": "end it"}
    standin.answers("failed", {"msg": "x", "blockers": [blocker]})
    with pytest.raises(StepFailed, match=r"python3 \(12\) uses NPU 0; end it") as failed:
        result_of(run(), "driver")
    assert failed.value.key == "npu-in-use"


def test_a_failure_without_a_key_is_one_of_the_step(standin):
    standin.answers("failed", {"msg": "No such file\nand more"})
    with pytest.raises(StepFailed, match=r"No such file$") as failed:
        result_of(run(), "driver")
    assert failed.value.key == "step-failed:driver"


def test_a_module_that_was_overtaken_says_so(standin):
    standin.answers("failed", {"blockers": [{"key": "taken-over", "message": "run2 has it", "fix": ""}]})
    with pytest.raises(Fenced):
        result_of(run(), "driver")


def test_a_host_that_is_not_reached_is_no_failure_of_the_step(standin):
    standin.answers("unreachable", {"msg": "Failed to connect to the host via ssh"})
    with pytest.raises(IncompleteError, match="Failed to connect"):
        run()


def test_of_a_host_that_is_not_reached_all_lines_are_told_as_one(standin):
    standin.answers("unreachable", {"msg": "Make sure this host can be reached over ssh: \nssh: no route\n"})
    with pytest.raises(IncompleteError, match=r"can be reached over ssh: ssh: no route$"):
        run()


def test_ansible_that_does_nothing_is_told_in_its_own_words(standin):
    standin.says('print("[ERROR]: no such thing", file=sys.stderr); sys.exit(4)')
    with pytest.raises(StepFailed, match=r"Ansible did nothing: \[ERROR\]: no such thing"):
        run()


def gone(pid):
    """Whether a process has ended, or does so within seconds: the kernel takes its time under load."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


WITH_A_CHILD = """
import subprocess
child = subprocess.Popen(["sleep", "600"])
open(SEEN + ".child", "w").write(str(child.pid))
time.sleep(600)
"""


def test_ansible_that_takes_too_long_is_ended_with_its_children(standin):
    standin.says(WITH_A_CHILD.replace("SEEN", repr(str(standin.folder / "seen"))))
    with pytest.raises(IncompleteError, match="more than 5 s"):
        run(seconds=5.0)
    assert gone(int((standin.folder / "seen.child").read_text()))


def test_a_run_that_is_stopped_ends_ansible_at_once_and_begins_none(standin):
    standin.says(WITH_A_CHILD.replace("SEEN", repr(str(standin.folder / "seen"))))
    ansible, errors = Ansible("node1,"), []

    def call():
        try:
            ansible.run("step.yml", TARGET, {}, 60.0)
        except Stopped as error:
            errors.append(str(error))

    thread = threading.Thread(target=call)
    thread.start()
    while not (standin.folder / "seen.child").exists():
        time.sleep(0.01)
    ansible.stop()
    thread.join(20)
    assert errors == ["interrupted"]
    assert gone(standin.seen["pid"])
    with pytest.raises(Stopped, match="interrupted"):
        ansible.run("step.yml", TARGET, {}, 60.0)


def test_the_files_of_a_step_are_for_this_user_alone(standin):
    modes = []
    whole = module._write

    def watched(path, text):
        modes.append(stat.S_IMODE(path.parent.stat().st_mode))
        whole(path, text)

    module._write = watched
    try:
        standin.answers("ok", {"differences": []})
        run()
    finally:
        module._write = whole
    assert {*modes} == {0o700}
