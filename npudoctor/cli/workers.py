"""Judge many hosts in several processes: it is pure computing, some 40 ms a host."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.resource_tracker import ensure_running
from typing import TYPE_CHECKING, Generic, TypeVar

from npudoctor.cli.judging import Task
from npudoctor.errors import IncompleteError, NpudoctorError
from npudoctor.words import _, language, use_language

if TYPE_CHECKING:
    from collections.abc import Iterable
    from multiprocessing.context import SpawnProcess

    from npudoctor.collect.snapshot import Snapshot

Answer = TypeVar("Answer")


class Workers(Generic[Answer]):
    """Processes that judge, as a block; they end with it, and with this process, whatever ends it.

    Args:
        number: Of processes.
        make: Called in each of them, once: gives what is done with a task. It must be found by its name.
        lost: The answer for a host that could not be read, or whose process ended; with the reason.
    """

    def __init__(
        self,
        number: int,
        make: Callable[[], Callable[[Task], Answer]],
        lost: Callable[[Task, str], Answer],
    ) -> None:
        self._lost = lost
        spawn = get_context("spawn")  # a fork would copy the locks of the threads that read hosts
        self._busy: dict[Connection, tuple[int, Task]] = {}
        self._free: list[Connection] = []
        self._processes: list[SpawnProcess] = []
        ensure_running()  # what the first start would do too, and then end the block of the next line
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C is for us, not for them
        for _number in range(number):
            ours, theirs = spawn.Pipe()
            work = spawn.Process(target=_work, args=(theirs, make, language()), daemon=True)
            work.start()
            theirs.close()
            self._free.append(ours)
            self._processes.append(work)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __enter__(self) -> Workers[Answer]:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in (*self._free, *self._busy):
            connection.close()
        for process in self._processes:
            process.terminate()
            process.join()

    def judge(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Answer]]:
        """Each task with its place as soon as it is judged; no more are taken than there are processes."""
        for place, task in tasks:
            while not self._free:
                yield from self._finished()
            try:
                portable = _portable(task)
            except IncompleteError as error:
                yield place, self._lost(task, str(error))
                continue
            connection = self._free.pop()
            connection.send(portable)
            self._busy[connection] = (place, task)
            yield from self._finished(0)
        while self._busy:
            yield from self._finished()

    def _finished(self, seconds: float | None = None) -> Iterator[tuple[int, Answer]]:
        """What is judged by now; waits for one where no time is given. Raises what a process raised."""
        if not (self._busy or self._free):
            raise NpudoctorError(_("the processes that judge hosts ended"), _("see whether memory ran out"))
        for connection in wait(list(self._busy), seconds):
            assert isinstance(connection, Connection)
            place, task = self._busy.pop(connection)
            try:
                answer = connection.recv()
            except (EOFError, OSError):
                yield place, self._lost(task, _("the process that judged it ended; please report it"))
                continue  # that one is gone; the others go on
            self._free.append(connection)
            if isinstance(answer, NpudoctorError):
                raise answer
            yield place, answer


def _portable(task: Task) -> Task:
    """The task as another process can do it: bundles are read there, all else was read here."""
    if isinstance(task.read, partial):
        return task
    return Task(task.name, task.kind, partial(_as_it_is, task.read()))


def _as_it_is(snapshot: Snapshot) -> Snapshot:
    return snapshot


def _work(connection: Connection, make: Callable[[], Callable[[Task], object]], words: str) -> None:
    """One process: a task in, what was judged out, until the other side is gone."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (if it dies of a fault of ours, the other side says so)
    use_language(words)
    judge = make()
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            connection.send(judge(task))
        except NpudoctorError as error:  # told where it was asked for
            connection.send(error)
