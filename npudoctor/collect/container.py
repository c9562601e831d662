"""Read a container through its engine: what the engine says of it, and the one script run inside."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from npudoctor.collect.script import DEADLINE, with_deadline
from npudoctor.collect.snapshot import Snapshot
from npudoctor.collect.stream import StreamReader
from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError, NpudoctorError, UsageError
from npudoctor.text import decode
from npudoctor.words import _

try:
    import docker
    import requests
    from docker.errors import APIError, DockerException, NotFound
except ImportError as error:
    if (error.name or "").partition(".")[0] == "npudoctor":
        raise
    what = _("--container needs the package {name}").format(name=error.name)
    raise UsageError(what, _("type: pip install 'npudoctor[container]'")) from None

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHELL = "/bin/sh"
MOST_SECONDS = DEADLINE + 10.0
"""What reading one container may take in all."""
_ANSWER = 20
"""Seconds that the engine may take for one answer."""
_HEADER = 8
_STDERR = 2
_NO_SHELL = (126, 127)
_MOST_SAID = 4096


@dataclass(frozen=True, slots=True)
class Found:
    """A container of the engine.

    Attributes:
        name: Without the leading slash, whatever the user called it by.
        attributes: As the engine describes it: what `docker inspect` prints.
    """

    name: str
    attributes: Mapping[str, Any]

    @property
    def state(self) -> str:
        """`running`, `exited`, `paused`, `created`, `restarting`, `dead`."""
        return str(self.attributes.get("State", {}).get("Status", "running"))


class Engine:
    """The container engine that `DOCKER_HOST` or the current machine names."""

    def __init__(self, address: str | None = None) -> None:
        """Connect, to an address in place of the usual one where it is given.

        Raises:
            IncompleteError: It is not running, not reachable, or not for this user.
        """
        try:
            given = docker.DockerClient(address, timeout=_ANSWER) if address else None
            self._client = given or docker.from_env(timeout=_ANSWER)
            self._client.ping()
        except (DockerException, requests.RequestException, OSError) as error:
            raise _unreachable(error) from None

    @property
    def is_here(self) -> bool:
        """Whether its containers run on this machine."""
        return bool(self._client.api.base_url.startswith("http+"))

    def find(self, name: str) -> Found:
        """The container of a name, an id or the start of an id.

        Raises:
            UsageError: There is none, or more than one.
            IncompleteError: The engine does not answer.
        """
        try:
            attributes = self._client.api.inspect_container(name)
        except NotFound:
            raise UsageError(_("there is no container {name}").format(name=name), self._hint()) from None
        except APIError as error:
            if "multiple" in str(error).lower():
                what = _("{name} is the start of several ids").format(name=name)
                raise UsageError(what, _("give the name, or more of the id")) from None
            self._failed(error)
        except (DockerException, requests.RequestException, OSError) as error:
            self._failed(error)
        return Found(str(attributes["Name"]).lstrip("/"), attributes)

    def read(self, found: Found, script: str, seconds: float = MOST_SECONDS) -> Snapshot:
        """Run the script inside. Where nothing can be run there, `problems` says why and nothing is in it."""
        if found.state != "running":
            why = _("container {name} is {state}: nothing inside can be read")
            return _nothing(found, why.format(name=found.name, state=found.state))
        run = _Run(time.monotonic() + seconds)
        try:
            exec_id = self._client.api.exec_create(found.attributes["Id"], [SHELL], stdin=True)["Id"]
            run.talk(
                self._client.api.exec_start(exec_id, socket=True),
                with_deadline(script, seconds - 5) + "exit\n",
            )
            code = self._client.api.exec_inspect(exec_id).get("ExitCode")
        except (DockerException, requests.RequestException, OSError) as error:
            return run.snapshot(found, str(getattr(error, "explanation", None) or error), None)
        return run.snapshot(found, "", code)

    def close(self) -> None:
        """Let go of the connection."""
        with suppress(OSError, DockerException):
            self._client.close()

    def _hint(self) -> str:
        """The containers that there are, for whoever mistyped one."""
        try:
            names = sorted(
                each["Names"][0].lstrip("/") for each in self._client.api.containers() if each["Names"]
            )
        except (DockerException, requests.RequestException, OSError):
            names = []
        if not names:
            return _("see: docker ps -a")
        return _("there are: {names}").format(names=", ".join(names[:8]))

    def _failed(self, error: Exception) -> NoReturn:
        raise IncompleteError(_("the container engine does not answer: {why}").format(why=_line(error)))


class _Run:
    """One run of the script inside a container, over the engine's stream of framed output."""

    def __init__(self, until: float) -> None:
        self.reader = StreamReader()
        self._until = until
        self._said = b""
        self._buffer = bytearray()

    def talk(self, stream: Any, script: str) -> None:
        """Hand over the script and read until its stream ends, the process does, or time is over."""
        socket = getattr(stream, "_sock", stream)
        try:
            socket.settimeout(self._left)
            socket.sendall(script.encode())
            while self.reader.end is None and self._left > 0:
                socket.settimeout(self._left)
                data = socket.recv(1 << 18)
                if not data:
                    return
                for part in self._parts(data):
                    self.reader.feed(part)
        finally:
            socket.close()
            stream.close()

    def snapshot(self, found: Found, failure: str, code: int | None) -> Snapshot:
        """What was read; where that is nothing, why."""
        if self.reader.started:
            snapshot = self.reader.finish(found.name, "container")
            return Snapshot(found.name, "container", snapshot.entries, snapshot.problems)
        said = _line(failure or decode(self._said))
        if code in _NO_SHELL or "executable file not found" in said or "no such file" in said:
            why = _("container {name} has no {shell}: nothing inside can be read")
            return _nothing(found, why.format(name=found.name, shell=SHELL))
        why = _("nothing inside container {name} can be read: {why}")
        return _nothing(found, why.format(name=found.name, why=said or _("no answer in time")))

    @property
    def _left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def _parts(self, data: bytes) -> Iterator[bytes]:
        """Standard output out of the engine's frames: a byte of the stream's number, 3 of 0, 4 of length."""
        self._buffer += data
        while len(self._buffer) >= _HEADER:
            end = _HEADER + int.from_bytes(self._buffer[4:_HEADER], "big")
            if len(self._buffer) < end:
                return
            part, kind = bytes(self._buffer[_HEADER:end]), self._buffer[0]
            del self._buffer[:end]
            if not self.reader.started:
                self._said = (self._said + part)[-_MOST_SAID:]
            if kind != _STDERR:
                yield part


def _nothing(found: Found, why: str) -> Snapshot:
    return Snapshot(found.name, "container", {}, (why,))


def _unreachable(error: Exception) -> NpudoctorError:
    """Why the engine cannot be asked: it is not there, or not for this user."""
    text = str(error)
    if "Permission denied" in text or "PermissionError" in text:
        return IncompleteError(
            _("the container engine may not be asked by this user"),
            _("run it as root, or join the group docker"),
        )
    mend = _("start Docker, or set DOCKER_HOST (of Podman: unix:///run/podman/podman.sock)")
    return IncompleteError(_("no container engine answers: {why}").format(why=_line(error)), mend)


def _line(error: object) -> str:
    """The last words of a message, which say most: libraries put their own before."""
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else "…" + text[-200:]
