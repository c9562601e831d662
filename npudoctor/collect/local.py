"""Read this machine: run the script in a shell beside the caller, who gets ready to judge meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

from npudoctor.collect.script import DEADLINE, nonce_of, render
from npudoctor.collect.stream import StreamReader
from npudoctor.errors import IncompleteError

if TYPE_CHECKING:
    from npudoctor.collect.since import Since
    from npudoctor.collect.snapshot import Snapshot

SHELL = "/bin/sh"
_PLACES = ("/dev/shm", "/tmp", "/var/tmp")  # noqa: S108 - where the script makes a folder of its own
_GRACE = 5.0
"""Seconds beyond the script's own deadline, and after a request to stop."""


class Running:
    """A collection of this machine that is under way."""

    def __init__(self, script: str, shell: tuple[str, ...] = (SHELL,), deadline: float = DEADLINE) -> None:
        self._reader = StreamReader()
        self._ended = Event()
        self._deadline = deadline
        self._nonce = nonce_of(script)
        self._process = _start(shell)
        self._thread = Thread(
            target=self._read,
            args=(f"NPUDOCTOR_PARENT={os.getpid()}\n{script}".encode(),),
            name="npudoctor-collect",
        )
        self._thread.start()

    def snapshot(self) -> Snapshot:
        """Wait for it, and return what was read.

        Raises:
            IncompleteError: The shell gave nothing at all.
        """
        try:
            if not self._ended.wait(self._deadline + _GRACE):
                self.stop()
        except KeyboardInterrupt:
            self.stop()
            raise
        if not self._reader.started:
            raise IncompleteError("the shell returned nothing", f"see whether `{SHELL} -c id` works here")
        return self._reader.finish(os.uname().nodename, "local")

    def stop(self) -> None:
        """End it: first by asking, so that the script takes its tools with it, then by force."""
        self._process.terminate()
        if not self._ended.wait(_GRACE):
            _kill_group(self._process.pid)
        self._ended.wait(_GRACE)

    def _read(self, script: bytes) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(script)
            self._process.stdin.close()
            source = self._process.stdout.fileno()
            while self._reader.end is None and (data := os.read(source, 1 << 18)):
                self._reader.feed(data)
        except BrokenPipeError:  # the shell is gone; `snapshot` says that nothing came
            pass
        finally:
            self._ended.set()
        self._process.stdout.close()
        self._process.wait()  # it removes its folder after the last byte
        _kill_group(self._process.pid)  # whatever a tool left behind in the background
        self._remove_scratch()

    def _remove_scratch(self) -> None:
        """The script removes its folder itself, unless it was killed."""
        for place in (*_PLACES, os.environ.get("TMPDIR", "")):
            folder = os.path.join(place, f"npudoctor.{self._process.pid}.{self._nonce}")
            if os.path.isdir(folder):
                import shutil

                shutil.rmtree(folder, ignore_errors=True)


def start_local(
    *,
    timeout: float | None = None,
    pid: int | None = None,
    everything: bool = False,
    since: Since | None = None,
    model: str | None = None,
) -> Running:
    """Begin to read this machine.

    Args:
        timeout: The most seconds that one command may take; None: what its probe says.
        pid: The process whose environment and limits are read; None: those of this process.
        everything: Also what only `collect` wants.
        since: Error logs too, those that changed since then.
        model: The folder of a model that is looked at.
    """
    return Running(render(everything=everything, pid=pid, timeout=timeout, since=since, model=model))


def read_local(*, timeout: float | None = None, pid: int | None = None, everything: bool = False) -> Snapshot:
    """Read this machine; see `start_local`."""
    return start_local(timeout=timeout, pid=pid, everything=everything).snapshot()


def _start(shell: tuple[str, ...]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            shell,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise IncompleteError(f"{shell[0]}: {error.strerror}", "a host needs a POSIX shell") from None


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
