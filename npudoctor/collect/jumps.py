"""Hosts that stand between: one connection to each, whoever goes through it."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from npudoctor.collect.connect import Connection
from npudoctor.errors import IncompleteError
from npudoctor.words import _

if TYPE_CHECKING:
    import paramiko

    from npudoctor.collect.ssh_config import Route


class Jumps:
    """The connections to hosts that stand between, from the first use of each to `close`.

    Sixty-four logins at once are more than sshd takes (MaxStartups), and one is enough.
    """

    def __init__(self) -> None:
        self._jumps: dict[Route, _Jump] = {}
        self._lock = Lock()

    def to(self, route: Route, until: float) -> paramiko.Transport:
        """The open connection to a host, made where there is none; raises what stood in the way."""
        with self._lock:
            jump = self._jumps.setdefault(route, _Jump(route))
        return jump.open(until)

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            jumps = list(self._jumps.values())
        for jump in jumps:
            jump.close()


class _Jump:
    """One of them. Who comes while somebody logs in waits, and shares the verdict where it failed."""

    def __init__(self, route: Route) -> None:
        self._route = route
        self._lock = Lock()
        self._connection: Connection | None = None
        self._transport: paramiko.Transport | None = None
        self._verdict: IncompleteError | None = None

    def open(self, until: float) -> paramiko.Transport:
        connection = Connection(self._route, until)
        if not self._lock.acquire(timeout=connection.left):
            raise IncompleteError(
                f"{self._route.host}: " + _("no answer in time"),
                _("see whether it is up, and firewalls between"),
            )
        try:
            if self._verdict:
                raise self._verdict
            if self._transport is None or not self._transport.is_active():
                self._connection, self._transport = connection, connection.open()
            return self._transport
        except IncompleteError as error:
            self._verdict = error
            raise
        finally:
            self._lock.release()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
