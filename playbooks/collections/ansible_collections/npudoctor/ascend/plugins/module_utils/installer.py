"""Runs a vendor's installer so that it survives its caller, once, and remembers what it said.

The installer runs in a transient unit (`npudoctor-<component>`), or detached where there is no systemd, under
`installer_process`. What it prints goes to a file. `steps/<component>.json` holds (the last run of a component):

```
component, verb, version      what was asked for
argv, folder, environment     how it was called
words                         how it speaks
log                           the file with its words
started, boot_id, unit        when, in which boot, under which unit
rc, ended                     what it ended with; null and absent as long as it runs, or if power was lost
ok, key, line, fix            what its code and its words come to: see `words`
settled                       true where what it left half-done was put right since, without an installer
reboot                        the lines by which it asked for a reboot; they count until another boot
```
"""

from __future__ import annotations

import fcntl
import inspect
import itertools
import os
import sys
import time

from ansible_collections.npudoctor.ascend.plugins.module_utils import installer_process
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Done, Failure
from ansible_collections.npudoctor.ascend.plugins.module_utils.detached import detach, unit_active
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json, write_json, write_whole
from ansible_collections.npudoctor.ascend.plugins.module_utils.words import REFUSALS

# Words are searched in English.
_ENVIRONMENT = {"LC_ALL": "C", "LANG": "C"}
_FOLDERS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_POLL = 0.2
_GRACE = 60.0


class Installer:
    """The installer of one component: `component` names its unit and its step, `words` how it speaks."""

    def __init__(self, state, component: str, words) -> None:
        self.state = state
        self.component = component
        self.words = words
        self.path = state.step_path(component)

    def run(
        self,
        verb: str,
        version: str,
        argv: list,
        seconds: int = 3600,
        environment: dict | None = None,
        answers: str = "",
    ) -> Done:
        """Run it, or wait for the run that is under way and then run it only if that was another one.

        `answers` is what it reads from its standard input. Raises Failure with what it said where it did not work.
        """
        if self.running():
            step = self._wait(seconds)
            if (step["verb"], step["version"]) == (verb, version):
                return self._answer(step)
        self._start(verb, version, argv, seconds, environment or {}, answers)
        return self._answer(self._wait(seconds))

    def running(self) -> bool:
        """Whether a run of it is under way."""
        return _locked(self.path + ".lock") or unit_active(self._unit())

    def _unit(self) -> str:
        return "npudoctor-{0}".format(self.component).replace("_", "-")

    def _start(self, verb: str, version: str, argv: list, seconds: int, environment: dict, answers: str) -> None:
        self.state.folder("steps")
        step = {
            "component": self.component,
            "verb": verb,
            "version": version,
            "argv": argv,
            "folder": self.state.folder("packages"),
            "environment": dict(dict(_ENVIRONMENT, PATH=_path()), **environment),
            "words": self.words,
            "seconds": seconds,
            "answers": answers,
            "log": self._log(),
            "started": time.time(),
            "boot_id": self.state.boot_id(),
            "unit": self._unit(),
            "rc": None,
            "reboot": [],
        }
        write_json(self.path, step)
        program = os.path.join(self.state.folder("steps"), "installer_process.py")
        write_whole(program, inspect.getsource(installer_process).encode())
        detach(self._unit(), [sys.executable, program, self.path])
        self._await_begin()

    def _log(self) -> str:
        """A file that no run before this one wrote to."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        start = os.path.join(self.state.folder("logs"), "{0}-{1}".format(self.component, stamp))
        names = (start + ("-{0}".format(each) if each else "") + ".log" for each in itertools.count())
        return next(name for name in names if not os.path.exists(name))

    def _await_begin(self) -> None:
        """Until the process holds its lock, or has ended already."""
        for _poll in range(int(_GRACE / _POLL)):
            if self.running() or read_json(self.path).get("rc") is not None:
                return
            time.sleep(_POLL)

    def _wait(self, seconds: int) -> dict:
        end = time.monotonic() + seconds + _GRACE
        while self.running() and time.monotonic() < end:
            time.sleep(_POLL)
        return read_json(self.path)

    def _answer(self, step: dict) -> Done:
        log = step.get("log", "")
        if step.get("rc") is None:
            words = "the {0} installer was cut off".format(self.component)
            raise Failure("interrupted", words, "run again", log=log)
        if not step["ok"]:
            words = "the {0} installer says: {1}".format(self.component, step["line"])
            raise Failure(step["key"], words, step["fix"] or "read " + log, rc=step["rc"], log=log, changed=True)
        return Done(step["rc"], log, tuple(step["reboot"]))


def half_done(step: dict) -> bool:
    """Whether the last run of an installer may have left its component half-changed: cut off, or failed on its way."""
    if not step or step.get("settled"):
        return False
    return step.get("rc") is None or not (step["ok"] or step["key"] in REFUSALS)


def settle(state, component: str) -> None:
    """Note that what a run left half-done was put right since, without an installer."""
    step = state.step(component)
    if half_done(step) and not Installer(state, component, None).running():
        write_json(state.step_path(component), dict(step, settled=True))


def wish(state, component: str, reasons: list) -> None:
    """Keep that a component without an installer wants a reboot: written before its change, so that none is lost."""
    state.folder("steps")
    kept = state.step(component)
    reasons = list(dict.fromkeys((kept["reboot"] if kept.get("boot_id") == state.boot_id() else []) + reasons))
    step = {"component": component, "boot_id": state.boot_id(), "rc": 0, "ok": True, "reboot": reasons}
    write_json(state.step_path(component), step)


def wishes(state) -> list:
    """The reboots that installers asked for in this boot, as sentences; a reboot grants them all."""
    boot = state.boot_id()
    return [
        "{0}: {1}".format(component, line)
        for component, step in state.steps().items()
        if step.get("boot_id") == boot
        for line in step.get("reboot", [])
    ]


def _path() -> str:
    """The path of the caller, and where a root login finds its tools: `su` keeps a user's."""
    return ":".join(filter(None, [os.environ.get("PATH", ""), _FOLDERS]))


def _locked(path: str) -> bool:
    try:
        with open(path) as file:  # a file system that became read-only is no installer that runs
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
