"""Sees, remembers and reboots for the engine of npudoctor, which sends it to the host and runs it there.

Not for playbooks. One request, one answer, both JSON; beside this file it needs those that it imports, and Python 3.7
or later. It keeps, beside what `state` tells of:

```
/var/lib/npudoctor/
  record.json     what is being done here; `record.json.1` is the one before
  lease           who may write it, until when, and the fence number: a lower one is refused
  history.jsonl   one line for each record that was written
  receipt.json    what the last run left here
```
"""

from __future__ import annotations

import fcntl
import glob
import json
import os
import sys
import time
from contextlib import contextmanager, suppress

from ansible_collections.npudoctor.ascend.plugins.module_utils import npus, rebooting
from ansible_collections.npudoctor.ascend.plugins.module_utils.boot_words import BootWord
from ansible_collections.npudoctor.ascend.plugins.module_utils.installer import Installer, half_done
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import (
    State,
    read_json,
    read_text,
    sync_folder,
    write_json,
    write_whole,
)

ROOT = "/"
MOTD = "/etc/motd.d/npudoctor"
"""Shown to whoever logs in (pam_motd(8)), as long as the record says that a person has to mend the host."""
_MOST_HISTORY = 1 << 20


class Refused(Exception):
    """Another run has the host; `answer` says which."""


def look(state: State, _request: dict) -> dict:
    """What is there now; changes nothing."""
    steps = state.steps()
    return {
        "boot": state.boot_id(),
        "uptime": float((read_text("/proc/uptime").split() or ["0"])[0]),
        "now": time.time(),
        "python": sys.executable,
        "record": read_text(_path(state, "record.json")),
        "lease": read_json(_path(state, "lease")),
        "half": sorted(name for name, step in steps.items() if half_done(step) and not _runs(state, name)),
        "installing": sorted(name for name in steps if _runs(state, name)),
        "disk": {name: rebooting.on_disk(state, name) for name in ("driver", "firmware")},
        "aspm": _aspm(state),
        "reboot": rebooting.reasons(state),
        "failures": {name: step.get("key") for name, step in steps.items() if step.get("key")},
        "system": rebooting.system_state(),
        "trouble": rebooting.npu_trouble(state),
        "busy": npus.users(state),
    }


def take(state: State, request: dict) -> dict:
    """Take the host over, if its fence number is still the one that the caller saw."""
    with _locked(state):
        lease = read_json(_path(state, "lease"))
        if lease.get("fence", 0) != request["seen"]:
            raise Refused(_whose(lease))
        fence = request["seen"] + 1
        _lease(state, dict(request["owner"], fence=fence), request["seconds"])
    return {"fence": fence}


def write(state: State, request: dict) -> dict:
    """Make a text the record; when this returns it outlives a power loss."""
    with _locked(state):
        lease = _mine(state, request)
        path = _path(state, "record.json")
        before = read_text(path)
        if before:
            write_whole(path + ".1", before.encode())
        write_whole(path, request["text"].encode())
        _remember(state, request["line"])
        _mark(state, request.get("mark", ""))
        if request.get("receipt"):
            write_json(_path(state, "receipt.json"), request["receipt"])
        _lease(state, lease, request["seconds"])
    return {}


def release(state: State, request: dict) -> dict:
    """Let others have the host; the fence number stays."""
    with _locked(state):
        _lease(state, _mine(state, request), 0)
    return {}


def check(state: State, request: dict) -> dict:
    """Refuse where the host has been taken over, else hold it for so many seconds more."""
    with _locked(state):
        _lease(state, _mine(state, request), request["seconds"])
    return {}


def reboot(state: State, request: dict) -> dict:
    """Reboot a little later, if this is still the boot in which that was decided."""
    with _locked(state):
        lease = _mine(state, request)
        if state.boot_id() == request["boot"]:
            _lease(state, lease, request["seconds"])
            rebooting.ask(state, request["why"])
    return {}


def stored(state: State, request: dict) -> dict:
    """Of each digest how many bytes are there: -1 where it is whole and right."""
    return {digest: _bytes(state, digest) for digest in request["digests"]}


def adopt(state: State, request: dict) -> dict:
    """Make packages that came in part, and are whole now, some of the store; of each whether it was right."""
    return {digest: _adopt(state.stored(digest), digest) for digest in request["digests"]}


def logs(state: State, request: dict) -> dict:
    """The ends of the newest logs of installers, by their names."""
    newest = sorted(glob.glob(os.path.join(state.home, "logs", "*")), key=os.path.getmtime)[-8:]
    return {os.path.basename(path): read_text(path)[-request["most"] :] for path in newest}


def unserve(state: State, _request: dict) -> dict:
    """End what serves the store to neighbours: it ends when its file is gone."""
    with suppress(FileNotFoundError):
        os.unlink(_path(state, "serve.json"))
    return {}


_VERBS = {
    "look": look,
    "take": take,
    "write": write,
    "release": release,
    "check": check,
    "reboot": reboot,
    "stored": stored,
    "adopt": adopt,
    "logs": logs,
    "unserve": unserve,
}


def answer(request: dict, root: str) -> dict:
    """What a request comes to; `refused` names who has the host."""
    try:
        return _VERBS[request["verb"]](State(root), request)
    except Refused as refused:
        return {"refused": str(refused)}


def _path(state: State, name: str) -> str:
    return os.path.join(state.home, name)


@contextmanager
def _locked(state: State):
    """One writer at a time."""
    os.makedirs(state.home, mode=0o700, exist_ok=True)
    with open(_path(state, ".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _mine(state: State, request: dict) -> dict:
    lease = read_json(_path(state, "lease"))
    if lease.get("fence", 0) != request["fence"]:
        raise Refused(_whose(lease))
    return lease


def _whose(lease: dict) -> str:
    return "run {0} on {1}".format(lease.get("run", "?"), lease.get("host", "?"))


def _lease(state: State, lease: dict, seconds: float) -> None:
    write_json(_path(state, "lease"), dict(lease, until=time.time() + seconds))


def _mark(state: State, text: str) -> None:
    """Worth having, but no run stops for it."""
    path = state.host(MOTD)
    with suppress(OSError):
        if not text:
            os.unlink(path)
            return
        if not os.path.isdir(os.path.dirname(path)):
            os.mkdir(os.path.dirname(path))
            os.chmod(os.path.dirname(path), 0o755)  # noqa: S103 (whoever logs in reads it)
        write_whole(path, text.encode(), 0o644)


def _remember(state: State, line: dict) -> None:
    path = _path(state, "history.jsonl")
    if os.path.exists(path) and os.path.getsize(path) > _MOST_HISTORY:
        lines = read_text(path).splitlines(True)
        write_whole(path, "".join(lines[len(lines) // 2 :]).encode())
    with open(path, "a") as file:
        file.write(json.dumps(dict(line, when=time.time(), boot=state.boot_id())) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _aspm(state: State) -> dict:
    """Whether ASPM is off on the kernel's command line: that of the next boot, and that of this one."""
    word = BootWord(state, "", "pcie_aspm")
    return {"written": word.read() == "pcie_aspm=off", "runs": word.running() == "pcie_aspm=off"}


def _runs(state: State, component: str) -> bool:
    return Installer(state, component, None).running()


def _bytes(state: State, digest: str) -> int:
    path = state.stored(digest)
    if os.path.exists(path) and _sha256(path) == digest:
        return -1
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    return os.path.getsize(path + ".part") if os.path.exists(path + ".part") else 0


def _adopt(path: str, digest: str) -> bool:
    """A wrong one is removed."""
    part = path + ".part"
    if _sha256(part) != digest:
        if os.path.exists(part):
            os.unlink(part)
        return False
    os.chmod(part, 0o600)
    os.replace(part, path)
    sync_folder(os.path.dirname(path))
    return True


def _sha256(path: str) -> str:
    from hashlib import sha256

    digest = sha256()
    try:
        with open(path, "rb") as file:
            for piece in iter(lambda: file.read(1 << 20), b""):
                digest.update(piece)
    except FileNotFoundError:
        return ""
    return digest.hexdigest()


def main(text: str) -> None:
    """Answer one request."""
    os.umask(0o077)
    json.dump(answer(json.loads(text), ROOT), sys.stdout)
