"""Run the test: locust as a process of its own, its records back as a list."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.accept.load import LOCUSTFILE
from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError, UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from npudoctor.accept.load.figures import Record
    from npudoctor.accept.load.probe import Service

_LOOK = 0.5
_HERE = "127.0.0.1"
_GRACE = 30.0
_START = 60.0


@dataclass(frozen=True, slots=True)
class Test:
    """What is sent.

    Attributes:
        rates: Requests a second of each step.
        seconds: Of each step.
        timeout: That one request may take, in seconds.
        processes: Senders on this machine.
        workers: Senders on other machines, which locust's workers there are.
    """

    service: Service
    prompts: Sequence[str]
    rates: Sequence[float]
    seconds: float
    max_tokens: int
    timeout: float
    headers: Mapping[str, str]
    processes: int
    workers: int

    @property
    def senders(self) -> int:
        """In all."""
        return self.workers or self.processes

    @property
    def whole(self) -> float:
        """Seconds until the last request has ended at the latest."""
        return len(self.rates) * self.seconds + self.timeout


def run(test: Test, told: Callable[[float], None]) -> list[Record]:
    """All requests that were sent. `told` hears the seconds since the start, now and then.

    Raises:
        UsageError: locust is not installed.
        IncompleteError: It ended before its time.
        KeyboardInterrupt: After locust was ended.
    """
    if importlib.util.find_spec("locust") is None:
        raise UsageError(_("accept load needs locust"), _("type: pip install 'npudoctor[load]'"))
    with tempfile.TemporaryDirectory(prefix="npudoctor-load-") as folder:
        records = Path(folder, "records.jsonl")
        records.touch()
        settings = Path(folder, "settings.json")
        settings.touch(mode=0o600)
        settings.write_text(json.dumps(_settings(test, records)), encoding="utf-8")
        _run(test, settings, Path(folder, "locust.log"), told)
        with records.open(encoding="utf-8") as lines:
            return _all(test, [json.loads(line) for line in lines])


def _all(test: Test, records: list[Record]) -> list[Record]:
    """None may be missing: figures without requests that failed in an unforeseen way would be too good."""
    sent = sum(test.senders * round(test.seconds * rate / test.senders) for rate in test.rates)
    if len(records) != sent:
        what = _("{got} of {sent} requests have a record").format(got=len(records), sent=sent)
        raise IncompleteError(what, _("see whether each of locust's workers stayed"))
    return records


def _settings(test: Test, records: Path) -> dict[str, Any]:
    return {
        "url": test.service.url,
        "kind": test.service.kind.value,
        "model": test.service.model,
        "prompts": list(test.prompts),
        "rates": list(test.rates),
        "seconds": test.seconds,
        "max_tokens": test.max_tokens,
        "timeout": test.timeout,
        "headers": dict(test.headers),
        "senders": test.senders,
        "records": str(records),
    }


def _command(test: Test) -> list[str]:
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "--loglevel", "ERROR"]
    command += [
        "--users",
        str(test.senders),
        "--spawn-rate",
        str(test.senders),
        "--only-summary",
        "--stop-timeout",
        "1",
    ]
    if test.workers:
        return [*command, "--master", "--expect-workers", str(test.workers)]
    if test.processes == 1:
        return command
    port = str(_free_port())
    bound = ["--master-bind-host", _HERE, "--master-bind-port", port]
    here = [*bound, "--master-host", _HERE, "--master-port", port]
    return [*command, "--processes", str(test.processes), *here]


def _free_port() -> int:
    """Of this machine and this test alone: whoever reaches it is told the settings, with the key."""
    with socket.create_server((_HERE, 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _run(test: Test, settings: Path, log: Path, told: Callable[[float], None]) -> None:
    environment = {**os.environ, "NPUDOCTOR_LOAD": str(settings)}
    with log.open("wb") as output:
        locust = subprocess.Popen(
            _command(test),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=settings.parent,
            start_new_session=True,
        )
        try:
            _wait(locust, test.whole + _GRACE + _START, told)
        finally:
            _end(locust)
    if locust.returncode:
        said = log.read_text(errors="replace").strip().splitlines()[-1:] or [""]
        raise IncompleteError(
            _("locust ended before its time: {said}").format(said=said[0]), _("see its log")
        )


def _wait(locust: subprocess.Popen[bytes], seconds: float, told: Callable[[float], None]) -> None:
    for look in range(int(seconds / _LOOK)):
        try:
            locust.wait(_LOOK)
        except subprocess.TimeoutExpired:
            told(look * _LOOK)
        else:
            return
    raise IncompleteError(_("locust did not end in time"), _("see whether its workers are connected"))


def _end(locust: subprocess.Popen[bytes]) -> None:
    """End it and the senders that it started, also where it has ended by itself."""
    with suppress(ProcessLookupError):
        os.killpg(locust.pid, signal.SIGKILL)
    locust.wait()
