"""Read many hosts side by side: so many at once, each within its own time, none in the way of another."""

from __future__ import annotations

import time
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Lock, Semaphore, Thread
from typing import TYPE_CHECKING

from npudoctor.collect.connect import Connection
from npudoctor.collect.jumps import Jumps
from npudoctor.collect.local import Running
from npudoctor.collect.script import DEADLINE
from npudoctor.collect.ssh import read_ssh
from npudoctor.collect.stream import ENDED
from npudoctor.errors import IncompleteError, NpudoctorError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from npudoctor.collect.inventory import Target
    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.collect.ssh_config import SshConfig

MOST_FORKS = 64
TIME = DEADLINE + 60.0
"""Seconds that one host may take in all: to log in, and for the script to end by itself."""
_FILES_PER_HOST = 4
_FILES_OF_OURS = 64
_GRACE = 3.0
"""Seconds after which a host's time is over even where its thread does not come back."""
_LOOK = 0.1


def forks_for(wanted: int | None) -> int:
    """How many hosts at once: as wanted, or `MOST_FORKS`, as far as this process may open files for them.

    Its limit of open files is raised for that, as far as anybody may.
    """
    import resource

    wanted = wanted or MOST_FORKS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _FILES_OF_OURS + wanted * _FILES_PER_HOST
    if soft < needed and soft != resource.RLIM_INFINITY:
        soft = needed if hard == resource.RLIM_INFINITY else min(hard, needed)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, (soft - _FILES_OF_OURS) // _FILES_PER_HOST))


class Reading:
    """One host that is read, or will be.

    Attributes:
        target: The host.
        seconds: How long it took.
        error: Why it could not be read, or is not whole; None before it is read, and where it is whole.
        place: In the inventory, from 0.
    """

    def __init__(self, target: Target, place: int, taken: Callable[[], None]) -> None:
        self.target = target
        self.place = place
        self.seconds = 0.0
        self.error: str | None = None
        self._begun = 0.0
        self._connection: Connection | None = None
        self._answer: Snapshot | NpudoctorError | None = None
        self._taken = taken
        self._settled = Event()
        self._once = Lock()

    @property
    def begun(self) -> bool:
        """Whether somebody reads it by now, or has."""
        return self._begun > 0

    @property
    def settled(self) -> bool:
        """Whether its answer is there."""
        return self._settled.is_set()

    def snapshot(self) -> Snapshot:
        """Wait for it. It is handed out once, so that nobody holds it longer than needed, and frees its slot.

        Raises:
            IncompleteError: The host could not be read.
        """
        self._settled.wait()
        answer, self._answer = self._answer, None
        if isinstance(answer, NpudoctorError):
            raise answer
        assert answer is not None, "handed out before"
        self._taken()
        return answer

    def read(self, config: SshConfig, script: str, seconds: float, jumps: Jumps) -> Snapshot | NpudoctorError:
        """Read it now, in this thread."""
        try:
            if self.target.undefined:
                raise _left_open(self.target.undefined)
            if self.target.local:
                return replace(Running(script).snapshot(), name=self.target.name)
            connection = Connection(config.route(self.target), self._begun + seconds, jumps)
            self._connection = connection
            return read_ssh(connection, self.target.name, script, self.target.become)
        except NpudoctorError as error:
            return error

    def begin(self) -> None:
        """Its time runs from now on."""
        self._begun = time.monotonic()

    def overdue(self, seconds: float) -> bool:
        """Whether it had its time and more."""
        return self.begun and not self.settled and time.monotonic() > self._begun + seconds

    def settle(self, answer: Snapshot | NpudoctorError) -> bool:
        """Take the first answer; False where there was one."""
        with self._once:
            if self.settled:
                return False
            self._answer = answer
            if isinstance(answer, NpudoctorError):
                self.error = str(answer)
            else:
                self.error = "; ".join(answer.problems) or None
            self.seconds = time.monotonic() - self._begun if self.begun else 0.0
            self._settled.set()
            return True

    def wait_until(self, moment: float) -> None:
        """Wait for its answer, but no longer than to a moment of the monotonic clock."""
        if self.begun:
            self._settled.wait(max(0.0, moment - time.monotonic()))

    def close(self) -> None:
        """End its connection; whoever reads it comes back with what there is."""
        if self._connection is not None:
            self._connection.close()


def _left_open(names: Sequence[str]) -> IncompleteError:
    what = _("the template of {name} names a variable that is not there").format(name=", ".join(names))
    return IncompleteError(what, _("mend it in the inventory"))


def _interrupted() -> str:
    return _("interrupted before it was read")


def _ended(answer: Snapshot | NpudoctorError) -> Snapshot | NpudoctorError:
    """An answer after Ctrl-C: whatever the connection says, it was lost because we ended it."""
    if isinstance(answer, NpudoctorError):
        return IncompleteError(_interrupted())
    return replace(answer, problems=(ENDED,)) if answer.problems else answer


class Fleet:
    """Hosts that are being read, from its start to `stop`.

    Attributes:
        readings: One a host, in the order of the inventory.
        interrupted: Whether `stop` came before all were read.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        config: SshConfig,
        script: str,
        *,
        forks: int | None = None,
        seconds: float = TIME,
        told: Callable[[Reading, Sequence[Reading]], None] = lambda _reading, _all: None,
    ) -> None:
        """Begin to read.

        Args:
            targets: The hosts.
            config: How they are reached.
            script: What runs on each.
            forks: How many at once at most; see `forks_for`.
            seconds: What each may take, from its connection to the end of its stream.
            told: Called for each host, and with all, when it is read or is not; from several threads, one
                at a time.
        """
        self._slots = Semaphore(forks_for(forks))
        self._arrived: SimpleQueue[Reading] = SimpleQueue()
        self.readings = [Reading(target, place, self._slots.release) for place, target in enumerate(targets)]
        self.interrupted = False
        self._config, self._script, self._jumps = config, script, Jumps()
        self._seconds = seconds
        self._told, self._telling = told, Lock()
        self._stop = Event()
        for run, name in ((self._start_all, "start"), (self._watch, "watch")):
            Thread(target=run, name=f"npudoctor-{name}", daemon=True).start()

    def arriving(self) -> Iterator[Reading]:
        """Each host once, as soon as it is read or is not; to be gone over once.

        A snapshot keeps the slot of its host until it is taken, so that a slow reader of them does not
        find all of them in memory.
        """
        for _reading in self.readings:
            yield self._arrived.get()

    def stop(self) -> None:
        """End all that is not read yet; may be called from a signal handler, and more than once."""
        self.interrupted = self.interrupted or not all(reading.settled for reading in self.readings)
        self._stop.set()

    def _start_all(self) -> None:
        """One thread a host, so that one which never comes back holds up nobody else."""
        for reading in self.readings:
            self._slots.acquire()
            if self._stop.is_set():
                return
            reading.begin()
            Thread(target=self._read, args=(reading,), name=reading.target.name, daemon=True).start()

    def _read(self, reading: Reading) -> None:
        answer: Snapshot | NpudoctorError = IncompleteError(
            _("reading it failed inside npudoctor"), _("please report it")
        )
        try:
            answer = reading.read(self._config, self._script, self._seconds, self._jumps)
            if self._stop.is_set():
                answer = _ended(answer)
        finally:
            self._settle(reading, answer)

    def _settle(self, reading: Reading, answer: Snapshot | NpudoctorError) -> None:
        if not reading.settle(answer):
            return
        if reading.begun and isinstance(answer, NpudoctorError):
            self._slots.release()
        self._arrived.put(reading)
        with self._telling:
            self._told(reading, self.readings)

    def _watch(self) -> None:
        """The one clock of a run: gives up hosts whose time is over, and all when it is stopped."""
        waiting = self.readings
        while waiting and not self._stop.wait(_LOOK):
            for reading in waiting:
                if reading.overdue(self._seconds + _GRACE):
                    self._give_up(reading, _("no answer in time"))
            waiting = [reading for reading in waiting if not reading.settled]
        for reading in waiting:
            reading.close()
        until = time.monotonic() + 2 * _LOOK
        for reading in waiting:
            reading.wait_until(until)
            self._give_up(reading, _interrupted())
        self._jumps.close()

    def _give_up(self, reading: Reading, why: str) -> None:
        self._settle(reading, IncompleteError(why))
        reading.close()
