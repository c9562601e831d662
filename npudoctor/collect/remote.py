"""Run a script on a host and take what it prints, over the same ways by which hosts are read."""

from __future__ import annotations

import os
import re
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from npudoctor.collect.connect import Connection
from npudoctor.collect.ssh import Session, shell_command
from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import paramiko

    from npudoctor.collect.inventory import Target
    from npudoctor.collect.jumps import Jumps
    from npudoctor.collect.ssh_config import SshConfig

_BEGIN = b"npudoctor-begin\n"
_END = re.compile(rb"\nnpudoctor-end (\d+)\n\Z")
_MOST = 64 << 20
"""Bytes of output that are kept."""
_PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class Output:
    """What a script printed, and its exit code."""

    stdout: bytes
    stderr: bytes
    exit_code: int


class Way:
    """How to one host: what its inventory says, and whose connections are shared."""

    def __init__(self, target: Target, config: SshConfig, jumps: Jumps | None = None) -> None:
        self.target = target
        self._config, self._jumps = config, jumps
        self._keeping = False
        self._kept: tuple[Connection, paramiko.Transport] | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """One connection for all scripts that run inside; for one thread at a time."""
        self._keeping = True
        try:
            yield
        finally:
            self._keeping = False
            self._drop()

    def run(self, script: str, seconds: float) -> Output:
        """Run a shell script there, as whom the inventory says.

        Raises:
            IncompleteError: The host cannot be reached, the script does not start, or time is over.
        """
        framed = f"echo npudoctor-begin\n{script}\nstatus=$?\necho\necho npudoctor-end $status\n"
        if self.target.local:
            return self._run_here(framed, seconds)
        connection = self._connection(seconds)
        command, password = shell_command(self.target.become)
        reader = _Reader()
        session = Session(connection, framed, password, reader)
        self._run(session, connection, command)
        return reader.output(session.said)

    def push(
        self, file: Path, start: int, command: str, seconds: float, ended: Callable[[], bool] = lambda: False
    ) -> None:
        """Send a file, from byte `start` on, to the standard input of a shell command there, until `ended`.

        Raises:
            IncompleteError: As `run`; what came through until then is for the command to keep.
        """
        if self.target.local:
            self._push_here(file, start, command, seconds)
            return
        connection = self._connection(seconds)
        line, password = shell_command(self.target.become, f"{{ {command}; }} && echo npudoctor-begin")
        reader = _Reader()
        session = _Upload(connection, "-", password, reader)
        session.file, session.start, session.ended = file, start, ended
        self._run(session, connection, line)

    def _run(self, session: Session, connection: Connection, command: str) -> None:
        """Over the way that is open; one that was opened for this alone is closed again."""
        try:
            session.run(self._open(connection), command, at_once=self.target.become is None)
            if not session.reader.started:
                raise session.silence(self.target.become)
        except IncompleteError:
            self._drop()
            raise
        finally:
            if self._kept is None:
                connection.close()

    def _open(self, connection: Connection) -> paramiko.Transport:
        """A way that is open: the one that is kept, or a new one, which is kept where that is wanted."""
        if self._kept is not None and self._kept[1].is_active():
            return self._kept[1]
        self._drop()
        transport = connection.open()
        if self._keeping:
            self._kept = (connection, transport)
        return transport

    def _drop(self) -> None:
        if self._kept is not None:
            self._kept[0].close()
            self._kept = None

    def _connection(self, seconds: float) -> Connection:
        return Connection(self._config.route(self.target), time.monotonic() + seconds, self._jumps)

    def _push_here(self, file: Path, start: int, command: str, seconds: float) -> None:
        line, _password = shell_command(self.target.become, command)
        with file.open("rb") as source:
            os.lseek(source.fileno(), start, os.SEEK_SET)
            subprocess.run(["/bin/sh", "-c", line], stdin=source, timeout=seconds, check=False)

    def _run_here(self, script: str, seconds: float) -> Output:
        command, _password = shell_command(self.target.become)
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                input=script.encode(),
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise IncompleteError(_("no answer in time")) from None
        reader = _Reader()
        reader.feed(done.stdout)
        if not reader.started:
            raise IncompleteError(
                _("no shell takes the script"), done.stderr.decode("utf-8", "replace")[:200]
            )
        return reader.output(done.stderr)


class _Reader:
    """Takes what comes between the two marks."""

    def __init__(self) -> None:
        self.end: str | None = None
        self.started = False
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        self._bytes += data
        at = self._bytes.find(_BEGIN)
        if not self.started and at >= 0:
            self.started = True
            del self._bytes[: at + len(_BEGIN) - 1]
        if _END.search(self._bytes[-64:]) or len(self._bytes) > _MOST:
            self.end = "done"

    def output(self, said: bytes) -> Output:
        match = _END.search(self._bytes)
        if match is None:
            raise IncompleteError(_("the connection was lost before the host's answer was whole"))
        return Output(bytes(self._bytes[1 : match.start()]), said, int(match[1]))


class _Upload(Session):
    """A run whose input is a file, and not a script."""

    file: Path
    start: int
    ended: Callable[[], bool]

    def _send(self, channel: paramiko.Channel) -> None:
        self._script = b""
        with self.file.open("rb") as source:
            source.seek(self.start)
            while not self.ended() and (piece := source.read(_PIECE)):
                channel.settimeout(self._connection.left)
                channel.sendall(piece)
        channel.shutdown_write()
