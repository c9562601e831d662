"""Log in to a host over SSH, through those that stand between; whatever stands in the way is a verdict."""

from __future__ import annotations

import logging
import random
import shlex
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import npudoctor.collect.without_invoke  # noqa: F401  # isort: skip (before paramiko)
import paramiko
from paramiko.ssh_exception import IncompatiblePeer

from npudoctor.collect.login import check_key, log_in, prefer_known
from npudoctor.errors import IncompleteError, NpudoctorError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from npudoctor.collect.jumps import Jumps
    from npudoctor.collect.ssh_config import Route

_NO_TIME = 0.01
_PAUSES = (0.3, 0.8, 2.0)
"""Seconds, about, before a server that hung up is called again."""
_AT_ONCE = 3.0
logging.getLogger("paramiko").setLevel(logging.CRITICAL + 1)  # its threads print traces of their own


class Connection:
    """A way to one host, open from `open` to `close`.

    Attributes:
        route: The way.
        until: When, on the monotonic clock, all must be over.
    """

    def __init__(self, route: Route, until: float, jumps: Jumps | None = None) -> None:
        """Not open yet. With `jumps`, a host that stands between is shared with others, and stays open."""
        self.route = route
        self.until = until
        self._jumps = jumps
        self._open: list[Callable[[], object]] = []

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self.left <= _NO_TIME

    @property
    def left(self) -> float:
        """Seconds until all must be over; never quite 0, which would mean no waiting at all."""
        return max(_NO_TIME, self.until - time.monotonic())

    def open(self) -> paramiko.Transport:
        """Log in.

        Raises:
            IncompleteError: What stands in the way, and how to mend it.
        """
        return self._log_in(self.route)

    def close(self) -> None:
        """End it, also from another thread, which then sees its connection lost."""
        for close in reversed(self._open):
            with suppress(OSError, EOFError, paramiko.SSHException):
                close()

    def _log_in(self, route: Route) -> paramiko.Transport:
        with self._verdicts(route):
            transport = self._met(route)
            check_key(transport, route)
            log_in(transport, route)
        return transport

    def _met(self, route: Route) -> paramiko.Transport:
        """The line to a server. One with too many callers hangs up at once: it is called again, later."""
        for pause in _PAUSES:
            begun = time.monotonic()
            try:
                return self._call(route)
            except (EOFError, ConnectionResetError, paramiko.SSHException) as error:
                if not _hung_up(error) or time.monotonic() - begun > _AT_ONCE or self.left < 2 * pause:
                    raise
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 (not all callers at the same time again)
        return self._call(route)

    def _call(self, route: Route) -> paramiko.Transport:
        transport = paramiko.Transport(self._line(route))
        self._open.append(transport.close)
        transport.banner_timeout = transport.auth_timeout = transport.handshake_timeout = self.left
        prefer_known(transport, route)
        transport.start_client(timeout=self.left)
        return transport

    def _line(self, route: Route) -> Any:
        """A socket, or what stands in for one."""
        if route.jump:
            target, source = (route.host, route.port), ("127.0.0.1", 0)
            between = self._between(route.jump)
            tunnel = between.open_channel("direct-tcpip", target, source, timeout=self.left)
            self._open.append(tunnel.close)
            return tunnel
        if route.proxy_command:
            return self._through(route.proxy_command)
        line = socket.create_connection((route.host, route.port), timeout=self.left)
        self._open.append(line.close)
        return line

    def _between(self, jump: Route) -> paramiko.Transport:
        return self._jumps.to(jump, self.until) if self._jumps else self._log_in(jump)

    def _through(self, command: str) -> socket.socket:
        """A socket whose other end a command has as its standard input and output.

        paramiko's own ProxyCommand never sees the end of a command, and waits for more than has come.
        """
        ours, theirs = socket.socketpair()
        self._open.append(ours.close)
        with theirs:
            process = subprocess.Popen(
                shlex.split(command), stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.DEVNULL
            )
        self._open += [process.wait, process.kill]  # called the other way round
        return ours

    @contextmanager
    def _verdicts(self, route: Route) -> Iterator[None]:
        """Say in one sentence what stood in the way."""
        try:
            yield
        except NpudoctorError:
            raise
        except Exception as error:  # noqa: BLE001 (what a server sends may raise anything inside paramiko)
            late = self.over and not isinstance(error, OSError)
            raise verdict(TimeoutError() if late else error, route) from None


def _hung_up(error: Exception) -> bool:
    """Whether the line ended before the server said who it is, as sshd's MaxStartups makes it."""
    return not isinstance(error, paramiko.SSHException) or "protocol banner" in str(error)


def verdict(error: Exception, route: Route) -> IncompleteError:
    """What an error of the connection means, and how to mend it."""
    place = f"{route.host} port {route.port}"
    if isinstance(error, paramiko.ChannelException):
        return _of_channel(error, route, place)
    if route.proxy_command and isinstance(error, EOFError | OSError | ValueError | paramiko.SSHException):
        mend = _("try it by hand: {command}").format(command=route.proxy_command)
        return IncompleteError(_("the ProxyCommand leads to no SSH server"), mend)
    if isinstance(error, OSError):
        return _of_network(error, place)
    return _of_protocol(error, place)


def _of_channel(error: paramiko.ChannelException, route: Route, place: str) -> IncompleteError:
    """Of the way through the host between, where there is one; else of the session on the host itself."""
    if route.jump is None:
        what = _("it lets us in, but opens no session: {why}").format(why=error.args[1])
        return IncompleteError(f"{place}: {what}", _("see MaxSessions and the log of sshd there"))
    what = _("{between} does not let us through to {place}: {why}")
    mend = _("try: ssh {place}").format(place=route.place)
    return IncompleteError(what.format(between=route.jump.host, place=place, why=error.args[1]), mend)


def _of_network(error: OSError, place: str) -> IncompleteError:
    words: dict[type[OSError], tuple[str, str]] = {
        socket.gaierror: (_("its name is not known"), _("see ansible_host, HostName, or the DNS")),
        ConnectionRefusedError: (_("connection refused"), _("see whether sshd runs there, on that port")),
        TimeoutError: (_("no answer in time"), _("see whether it is up, and firewalls between")),
        ConnectionError: (_("the connection was lost"), _("see the log of sshd there")),
    }
    for kind, (what, mend) in words.items():
        if isinstance(error, kind):
            return IncompleteError(f"{place}: {what}", mend)
    what = error.strerror or str(error)
    return IncompleteError(f"{place}: {what}", _("see the network between here and there"))


def _of_protocol(error: Exception, place: str) -> IncompleteError:
    said = str(error) or type(error).__name__
    if "banner" in said:
        what = _("what answers there is no SSH server, or it is overloaded")
        return IncompleteError(f"{place}: {what}", _("see which service has that port"))
    if isinstance(error, EOFError) or "EOF" in said or "not open" in said or "No existing session" in said:
        return IncompleteError(f"{place}: " + _("the connection was lost"), _("see the log of sshd there"))
    if "imeout" in said or "timed out" in said:
        return IncompleteError(
            f"{place}: " + _("no answer in time"), _("see whether it is up, and firewalls between")
        )
    if isinstance(error, paramiko.SSHException):
        return _of_ssh(error, said, place)
    return IncompleteError(f"{place}: {said}", _("see the log of sshd there"))


_GARBLED = (
    "packet", "MAC", "protocol version", "strict-kex", "Sequence number", "out of range", "Unknown type",
)  # fmt: skip


def _of_ssh(error: paramiko.SSHException, said: str, place: str) -> IncompleteError:
    """What paramiko finds wrong with what the other side says."""
    if "Incompatible version" in said:
        what, mend = _("it speaks an old SSH only, version 1"), _("update its SSH server")
    elif isinstance(error, IncompatiblePeer):
        what = _("it offers only methods of encryption that are not used any more ({why})")
        what, mend = what.format(why=said), _("update its SSH server, or see its sshd_config")
    elif any(word in said for word in _GARBLED):
        what = _("what it sends is not SSH, or was garbled on the way")
        mend = _("see which service has that port, and the network between here and there")
    elif "host key" in said.lower() or "ignature" in said:
        what, mend = _("it does not prove that its host key is its own"), _("see the log of sshd there")
    else:
        what, mend = said, _("see the log of sshd there")
    return IncompleteError(f"{place}: {what}", mend)
