"""The folder of a run: what was asked for, what was planned, what was decided and seen, and who is at it.

`call.json` and `plan.json` do not change; `journal.jsonl` grows, each line on the disk before the run goes
on; `report.json` comes last. Losing the folder loses history, not safety: what a host is in the middle of
lies on the host.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shlex
import socket
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from npudoctor.errors import UsageError, write_error
from npudoctor.provision.admission import BRAKES
from npudoctor.provision.record import TERMINAL
from npudoctor.provision.run.result import Word, host_of_json
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.provision.run.result import HostResult

_ENDS = frozenset(phase.value for phase in TERMINAL)


def default_runs() -> Path:
    """Where runs are kept."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "npudoctor" / "runs"


class RunFolder:
    """One of them, while this process is at it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock_file: Any = None
        self._journal: Any = None
        self._writing = Lock()

    @property
    def id(self) -> str:
        """The name of the run."""
        return self.path.name

    @property
    def words(self) -> str:
        """What `resume` and `retry` have to be given to find it."""
        runs = self.path.parent.absolute()
        if runs == default_runs().absolute():
            return self.id
        return f"{self.id} --run-dir {shlex.quote(str(runs))}"

    @classmethod
    def new(cls, runs: Path, call: Mapping[str, Any], plan: Mapping[str, Any]) -> RunFolder:
        """Make one and take it; raises `UsageError` where it cannot be written."""
        name = time.strftime("%Y%m%d-%H%M%S-", time.gmtime()) + secrets.token_hex(2)
        folder = cls(runs / name)
        try:
            folder.path.mkdir(mode=0o700, parents=True)
            folder._put("call.json", call)
            folder._put("plan.json", plan)
        except OSError as error:
            raise write_error(folder.path, error, _("give --run-dir")) from None
        folder.take()
        return folder

    def take(self) -> None:
        """Be the only one at it; raises `UsageError` where another process is."""
        self._lock_file = (self.path / "lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = (self.path / "lock").read_text(encoding="utf-8").strip()
            what = _("run {run}: another process is at it ({who})").format(run=self.id, who=who)
            raise UsageError(what, _("wait until it has ended")) from None
        self._lock_file.truncate(0)
        self._lock_file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        self._lock_file.flush()
        self._journal = (self.path / "journal.jsonl").open("a", encoding="utf-8")

    def close(self) -> None:
        """Let others have it."""
        for file in (self._journal, self._lock_file):
            if file is not None:
                with suppress(OSError):  # what the disk has not taken was told by who wrote it
                    file.close()

    def say(self, event: str, **what: Any) -> None:
        """One line of the journal, on the disk when this returns; raises `NpudoctorError` if it is full."""
        line = json.dumps({"when": round(time.time(), 3), "event": event, **what}, default=str)
        with self._writing, self._told_where("journal.jsonl"):
            self._journal.write(line + "\n")
            self._journal.flush()
            os.fsync(self._journal.fileno())

    @property
    def ended(self) -> bool:
        """Whether it came to its end: a report is there, and no host of it waits for `resume`."""
        report = self.report()
        return (
            bool(report)
            and not report.get("interrupted")
            and not any(
                host["word"] == "paused" and host.get("key") not in BRAKES for host in report.get("hosts", ())
            )
        )

    def report(self) -> dict[str, Any]:
        """What an earlier process of this run reported; empty where none came so far."""
        try:
            found: dict[str, Any] = json.loads((self.path / "report.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found

    def begun(self) -> frozenset[str]:
        """Hosts that an earlier process of this run was in the middle of, as far as the journal goes."""
        phases = {told["host"]: told["phase"] for told in self._told("phase")}
        return frozenset(name for name, phase in phases.items() if phase not in _ENDS)

    def causes(self) -> dict[str, str]:
        """By host: why it turned back, as an earlier process of this run had it said."""
        return {told["host"]: told["cause"] for told in self._told("phase") if told.get("cause")}

    def earlier(self) -> dict[str, HostResult]:
        """By host, the one told of last at the end: how earlier processes of this run left it."""
        found: dict[str, dict[str, Any]] = {}
        for told in self._told("phase", "end"):
            known = found.pop(told["host"], {})
            found[told["host"]] = {"word": Word.PAUSED.value, **known, **told, "name": told["host"]}
        return {name: host_of_json(told) for name, told in found.items()}

    def _told(self, *events: str) -> Iterator[dict[str, Any]]:
        """The lines of the journal about such events of hosts."""
        journal = self.path / "journal.jsonl"
        for line in journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []:
            with suppress(ValueError):  # the last line may be cut off
                told = json.loads(line)
                if told.get("event") in events and "host" in told:
                    yield told

    def put(self, name: str, content: Mapping[str, Any]) -> None:
        """Write a file of the folder, whole or not at all; raises `NpudoctorError` where it is full."""
        with self._told_where(name):
            self._put(name, content)

    @contextmanager
    def _told_where(self, name: str) -> Iterator[None]:
        """A run that cannot write down what it does ends; its hosts go on from where they are."""
        try:
            yield
        except OSError as error:
            mend = _("make room there, and type: npudoctor provision resume {run}").format(run=self.words)
            raise write_error(self.path / name, error, mend) from None

    def _put(self, name: str, content: Mapping[str, Any]) -> None:
        scratch = self.path / f".{name}"
        scratch.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        with scratch.open("rb") as file:
            os.fsync(file.fileno())
        scratch.replace(self.path / name)

    def get(self, name: str) -> dict[str, Any]:
        """A file of the folder; raises `UsageError` where it is not there or damaged."""
        try:
            found: dict[str, Any] = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            what = f"{self.path / name}: {getattr(error, 'strerror', None) or error}"
            raise UsageError(what, _("start anew: npudoctor provision --hosts …")) from None
        return found


def find_run(runs: Path, name: str | None) -> RunFolder:
    """The run of that name, or the newest one; raises `UsageError` where there is none."""
    there = [run for run in _all(runs) if name in (None, run.id)]
    if not there:
        what = _("there is no run {name}").format(name=name) if name else _("there is no run yet")
        raise UsageError(what, _("see {folder}").format(folder=runs))
    return there[0]


def unended_runs(runs: Path) -> Iterator[RunFolder]:
    """Those that have not come to their end, the newest first."""
    return (run for run in _all(runs) if not run.ended)


def _all(runs: Path) -> list[RunFolder]:
    """The newest first."""
    there = sorted(path for path in runs.glob("*-*-*") if (path / "plan.json").exists())
    return [RunFolder(path) for path in reversed(there)]
