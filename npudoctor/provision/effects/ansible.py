"""Run one step on one host with Ansible: a process of its own, whose lines of JSON nobody else sees."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from npudoctor.collect.secret_options import secret_options
from npudoctor.errors import IncompleteError, UsageError
from npudoctor.provision.effects.protocol import Fenced, StepFailed, Stopped
from npudoctor.provision.playbooks import playbooks
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from npudoctor.collect.inventory import Target

TAKEN_OVER = "taken-over"
"""The key by which a module says that another run has the host."""
_GRACE = 10.0
_MOST_SAID = 300
"""Characters of what is told of a failure."""
_SSH = "-o ControlMaster=auto -o ControlPersist=30s -o StrictHostKeyChecking=yes"
_SETTINGS = {
    "ANSIBLE_STDOUT_CALLBACK": "npudoctor.ascend.jsonl",
    "ANSIBLE_LOG_PATH": os.devnull,
    "ANSIBLE_RETRY_FILES_ENABLED": "0",
    "ANSIBLE_HOST_KEY_CHECKING": "1",
    "ANSIBLE_SSH_ARGS": _SSH,
    "ANSIBLE_PIPELINING": "1",
    "ANSIBLE_NOCOLOR": "1",
    "ANSIBLE_FORCE_COLOR": "0",
    "ANSIBLE_LOCALHOST_WARNING": "0",
    "LC_ALL": "C.UTF-8",
}


class Ansible:
    """Ansible, for the hosts of one inventory.

    Passwords go through pipes: a controller that is killed leaves none on its disk.
    """

    def __init__(self, inventory: str, vault: str | None = None) -> None:
        """Nothing runs yet.

        Args:
            inventory: As `--hosts` was typed; a comma list is written down for each step, host by host.
            vault: The password of its vaulted values, where one was typed.
        """
        self._inventory, self._vault = inventory, vault
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = Lock()
        self._stopped = False

    def run(
        self, playbook: str, target: Target, variables: Mapping[str, Any], seconds: float
    ) -> list[dict[str, Any]]:
        """Run a playbook on one host; every event of that host, in order.

        Raises:
            IncompleteError: The host cannot be reached, or Ansible did not come to its end in time.
            StepFailed: Ansible itself failed.
        """
        with tempfile.TemporaryDirectory(prefix="npd-") as scratch:
            folder = Path(scratch)
            command, environment = self._call(playbook, target, variables, folder)
            with secret_options(folder, _passwords(target, self._vault)) as more:
                stdout, stderr = self._finish([*command, *more], environment, seconds)
        events = [json.loads(line) for line in stdout.splitlines() if line.startswith('{"event"')]
        of_host = [event for event in events if event["host"] == target.name]
        unreachable = next((event for event in of_host if event["event"] == "unreachable"), None)
        if unreachable:
            said = " ".join(
                unreachable["result"].get("msg", "").split()
            )  # what `ssh` said is in the next line
            raise IncompleteError(said[:_MOST_SAID] or _("no connection"))
        if not of_host:
            raise StepFailed("ansible", _("Ansible did nothing: {why}").format(why=_complaint(stderr)))
        return of_host

    def stop(self) -> None:
        """End all that runs, and begin nothing more. What an installer does on its host goes on there."""
        with self._lock:
            self._stopped = True
            running = [*self._running]
        for process in running:
            _signal_group(process, signal.SIGTERM)

    def _call(
        self, playbook: str, target: Target, variables: Mapping[str, Any], folder: Path
    ) -> tuple[list[str], dict[str, str]]:
        given = folder / "variables.json"
        _write(given, json.dumps(dict(variables)))
        command = [_program(), str(playbooks() / playbook), "--limit", target.name, "-e", f"@{given}"]
        command += ["-i", _inventory(self._inventory, target, folder)]
        places = {"ANSIBLE_SSH_CONTROL_PATH_DIR": str(folder / "c"), "ANSIBLE_LOCAL_TEMP": str(folder / "t")}
        return command, {**os.environ, **_SETTINGS, **places}

    def _finish(self, command: list[str], environment: dict[str, str], seconds: float) -> tuple[str, str]:
        with self._lock:
            if self._stopped:
                raise Stopped(_("interrupted"))
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=environment,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            return process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise IncompleteError(_("Ansible took more than {n} s").format(n=round(seconds))) from None
        finally:
            _end_group(process)
            with self._lock:
                self._running.discard(process)
            if self._stopped:
                raise Stopped(_("interrupted")) from None


def result_of(events: Sequence[Mapping[str, Any]], component: str) -> dict[str, Any]:
    """What the module of a component answered.

    Raises:
        StepFailed: A task of the host failed; the key is the module's own where it gave one.
        Fenced: Another run has the host.
    """
    for event in events:
        if event["event"] == "failed":
            raise _failure(event["result"], component)
    answers = (event["result"] for event in events if event["event"] == "ok")
    return next((dict(answer) for answer in reversed([*answers]) if "differences" in answer), {})


def _failure(result: Mapping[str, Any], component: str) -> StepFailed | Fenced:
    blockers = result.get("blockers") or [{}]
    key = str(blockers[0].get("key") or f"step-failed:{component}")
    said = _first_line(str(blockers[0].get("message") or result.get("msg", "")))
    if key == TAKEN_OVER:
        return Fenced(said)
    fix, log = str(blockers[0].get("fix", "")), _first_line(str(result.get("log") or ""))
    return StepFailed(key, said or _("the step failed"), fix, log)


def _inventory(text: str, target: Target, folder: Path) -> str:
    """The user's own inventory where it is one, with all its variables; else one that holds this host."""
    if Path(text).exists():
        return text
    host = {
        "ansible_host": target.address,
        "ansible_port": target.port,
        "ansible_user": target.user,
        "ansible_ssh_private_key_file": target.key,
        "ansible_connection": "local" if target.local else None,
    }
    hosts = {target.name: {name: value for name, value in host.items() if value is not None}}
    path = folder / "inventory.json"
    _write(path, json.dumps({"all": {"hosts": hosts}}))
    return str(path)


def _passwords(target: Target, vault: str | None) -> dict[str, str | None]:
    """By the option that takes each."""
    return {
        "--connection-password-file": target.password,
        "--become-password-file": target.become.password if target.become else None,
        "--vault-password-file": vault,
    }


def _write(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _program() -> str:
    beside = Path(sys.executable).with_name("ansible-playbook")
    found = str(beside) if beside.exists() else shutil.which("ansible-playbook")
    if not found:
        raise UsageError(_("Ansible is not there"), _("type: pip install 'npudoctor[fleet]'"))
    return found


def _end_group(process: subprocess.Popen[str]) -> None:
    """Ansible with all its children, wherever it is."""
    if process.poll() is None:
        _signal_group(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _signal_group(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:_MOST_SAID]


def _complaint(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.startswith(("[ERROR]", "ERROR!"))]
    return _first_line("\n".join(lines or stderr.splitlines()[-1:])) or _("it said nothing")
