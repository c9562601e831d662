"""Read a machine over SSH: one connection, one script on the standard input of a shell, one stream back."""

from __future__ import annotations

import os
import shlex
import time
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import paramiko

from npudoctor.collect.connect import Connection, verdict
from npudoctor.collect.script import with_deadline
from npudoctor.collect.snapshot import CLOCK, Entry, slug
from npudoctor.collect.stream import StreamReader
from npudoctor.errors import IncompleteError
from npudoctor.text import decode
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.collect.inventory import Become
    from npudoctor.collect.snapshot import Snapshot

_READY = b"npudoctor-ready"
"""What the shell behind `sudo` says: from here on it takes the script."""
_PROMPT = b"npudoctor-password:"
_LOOK = 0.2
"""Seconds between looks at the clock and at standard error."""
_END = 5.0
"""Seconds that the script is given to end by itself before the host's time is over."""
_MOST_SAID = 4096


def read_ssh(connection: Connection, name: str, script: str, become: Become | None = None) -> Snapshot:
    """Run the script on a host and read its stream.

    Args:
        connection: Not open yet; it is closed here.
        name: What the inventory calls the host.
        script: As `script.render` makes it.
        become: As whom it runs there, where not as the user who logs in.

    Raises:
        IncompleteError: The host could not be reached, or nothing came back. Where a part came back, the
            snapshot says in `problems` that it is not whole.
    """
    command, password = shell_command(become)
    try:
        transport = connection.open()
        reader = StreamReader()
        session = Session(connection, with_deadline(script, connection.left - _END), password, reader)
        before = time.time()
        session.run(transport, command, at_once=become is None)
        if not reader.started:
            raise session.silence(become)
        snapshot = reader.finish(name, "ssh")
        clock = _clock(before, time.time())
        return replace(snapshot, name=name, entries={**snapshot.entries, clock.path: clock})
    finally:
        connection.close()


def _clock(before: float, after: float) -> Entry:
    """Our time while the host was read, so that its clock can be compared with those of others."""
    text = f"{before:.3f} {after:.3f} {_reader()}\n"
    return Entry("commands/" + slug(CLOCK), CLOCK, text.encode(), seconds=round(after - before, 2))


@cache
def _reader() -> str:
    """This machine since its start, as a word that says nothing else of it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_bytes()
    except OSError:
        boot = os.urandom(16)
    return sha256(boot).hexdigest()[:12]


def shell_command(become: Become | None, last: str = "exec /bin/sh -s") -> tuple[str, str | None]:
    """The shell that takes the script, and the password that it takes to get there.

    `last`: what the shell does in place of taking a script from its standard input.
    """
    if become is None:
        return last, None
    if become.method != "sudo":
        what = _("become method {method}: only sudo is known").format(method=become.method)
        raise IncompleteError(what, _("set ansible_become_method=sudo"))
    asks = ["-n"] if become.password is None else ["-k", "-S", "-p", _PROMPT.decode()]
    shell = ["/bin/sh", "-c", f"echo {_READY.decode()}; {last}"]
    return shlex.join(["exec", "sudo", *asks, "-u", become.user, *shell]), become.password


class Reader(Protocol):
    """Takes a script's output as it comes.

    Attributes:
        end: None until its last piece is there.
    """

    end: str | None

    @property
    def started(self) -> bool:
        """Whether the script itself has begun to speak."""

    def feed(self, data: bytes) -> None:
        """The next piece."""


class Session:
    """One run of a script.

    Attributes:
        reader: What has come so far.
        said: The end of what came instead of a stream: on standard error, and before the stream's header.
    """

    def __init__(self, connection: Connection, script: str, password: str | None, reader: Reader) -> None:
        self.reader = reader
        self.said = b""
        self._connection = connection
        self._script = script.encode()
        self._password = password
        self._asked = 0

    def run(self, transport: paramiko.Transport, command: str, *, at_once: bool) -> None:
        """Start the shell, hand it the script, and read until the stream ends or time is over."""
        try:
            channel = transport.open_session(timeout=self._connection.left)
            channel.exec_command(command)
            if at_once:
                self._send(channel)
            while self.reader.end is None and not self._connection.over and self._take(channel):
                self._listen(channel)
            self._listen(channel)
        except (paramiko.SSHException, OSError, EOFError) as error:
            if not self.reader.started and not self.said.strip():
                raise verdict(error, self._connection.route) from None

    def silence(self, become: Become | None) -> IncompleteError:
        """Why there is no stream, as far as what was said instead tells."""
        lines = [line.strip() for line in decode(self.said).splitlines() if line.strip()]
        told = ": " + _line_of_sudo(lines, become)[:200] if lines else ""
        if become is not None and self._asked > 1:
            return IncompleteError(_("sudo does not take the password"), _("see ansible_become_password"))
        if become is not None and b"password is required" in self.said:
            return IncompleteError(_("sudo wants a password"), _("give --ask-become-pass"))
        if self._connection.over:
            return IncompleteError(_("no answer in time") + told, _("see whether a shell starts there"))
        place = self._connection.route.place
        mend = _("see: ssh {place} /bin/sh -c id").format(place=place)
        return IncompleteError(_("no shell takes the script") + told, mend)

    def _take(self, channel: paramiko.Channel) -> bool:
        """The next piece of the stream; False where there is no more."""
        channel.settimeout(min(_LOOK, self._connection.left))
        try:
            data = channel.recv(1 << 18)
        except TimeoutError:
            return True
        if not self.reader.started:
            self.said = (self.said + data)[-_MOST_SAID:]
        self.reader.feed(data)
        if self._script and _READY in self.said:
            self._send(channel)
        return bool(data)

    def _listen(self, channel: paramiko.Channel) -> None:
        """Take what is on standard error, lest it holds up the rest; answer `sudo`."""
        while channel.recv_stderr_ready():
            self.said = (self.said + channel.recv_stderr(65536))[-_MOST_SAID:]
        if self._password is not None and _PROMPT in self.said:
            self.said = self.said.replace(_PROMPT, b"")
            self._asked += 1
            if self._asked == 1:
                channel.sendall(self._password.encode() + b"\n")
            else:
                channel.shutdown_write()  # no second guess: accounts get locked that way

    def _send(self, channel: paramiko.Channel) -> None:
        channel.settimeout(self._connection.left)
        script, self._script = self._script, b""
        channel.sendall(script)
        channel.shutdown_write()


def _line_of_sudo(lines: list[str], become: Become | None) -> str:
    """The line that tells most: `sudo` begins with the reason, but for a warning; others end with it."""
    reasons = [line for line in lines if "unable to resolve host" not in line] or lines
    of_sudo = [line for line in reasons if line.startswith("sudo: ") or "sudoers" in line]
    return ((become and of_sudo) or reasons[-1:])[0]
