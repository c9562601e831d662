"""Run a function over many tasks in several processes, which end with this one, whatever ends it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from npudoctor.errors import NpudoctorError

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

Task = TypeVar("Task")
Answer = TypeVar("Answer")

MOST_PROCESSES = 16
_ON_PARENTS_DEATH = 1
"""`PR_SET_PDEATHSIG` of `linux/prctl.h`."""
_AHEAD = 4
"""Tasks for each process that may be done before the first that is not."""


def processors() -> int:
    """How many processes are of use here."""
    return min(MOST_PROCESSES, len(os.sched_getaffinity(0)))


class Readers(Generic[Task, Answer]):
    """Forked processes, as a block: what is loaded here is loaded there.

    Args:
        work: What each of them does with a task. A `NpudoctorError` that it raises is raised here.
        lost: The answer to a task whose process was killed.
        number: Of processes.
    """

    def __init__(self, work: Callable[[Task], Answer], lost: Callable[[Task], Answer], number: int) -> None:
        self._work, self._lost, self._number = work, lost, number
        self._given = 0
        self._free: list[Connection] = []
        self._busy: dict[Connection, tuple[int, Task]] = {}
        self._processes: list[ForkProcess] = []

    def __enter__(self) -> Readers[Task, Answer]:
        for _number in range(self._number):
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.join()
        for connection in (*self._free, *self._busy):
            connection.close()

    def answers(self, tasks: Iterator[Task]) -> Iterator[Answer]:
        """The answer to each task, in their order."""
        numbered = enumerate(tasks)
        done: dict[int, Answer] = {}
        place = 0
        while self._give(numbered, place) or self._busy:
            done.update(self._finished())
            while place in done:
                yield done.pop(place)
                place += 1

    def _give(self, tasks: Iterator[tuple[int, Task]], place: int) -> bool:
        """Hand out tasks while somebody is free, none far ahead of the one that is waited for."""
        while self._free and self._given < place + _AHEAD * self._number:
            given = next(tasks, None)
            if given is None:
                return False
            self._given += 1
            connection = self._free.pop()
            self._busy[connection] = given
            connection.send(given[1])
        return True

    def _finished(self) -> Iterator[tuple[int, Answer]]:
        for ready in wait(list(self._busy)):
            assert isinstance(ready, Connection)
            place, task = self._busy.pop(ready)
            try:
                answer = ready.recv()
            except (EOFError, ConnectionError):
                ready.close()
                self._start()
                yield place, self._lost(task)
                continue
            self._free.append(ready)
            if isinstance(answer, NpudoctorError):
                raise answer
            yield place, answer

    def _start(self) -> None:
        fork = get_context("fork")
        ours, theirs = fork.Pipe()
        others = [ours, *self._free, *self._busy]
        process = fork.Process(target=_serve, args=(theirs, others, self._work), daemon=True)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        self._free.append(ours)
        self._processes.append(process)


def _serve(tasks: Connection, others: list[Connection], work: Callable[[Task], object]) -> NoReturn:
    """Work until the other side of `tasks` is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who waits; it ends us
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (of a fault of ours the other side says that we ended)
    for ended in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ended, signal.SIG_DFL)
    _end_with_parent()
    for other in others:  # else nobody here would see that the other side is gone
        other.close()
    try:
        while True:
            tasks.send(_answer(work, tasks.recv()))
    except (EOFError, ConnectionError):
        os._exit(0)


def _end_with_parent() -> None:
    """Have the kernel end this process when its parent is gone, in the middle of a task too."""
    import ctypes

    ctypes.CDLL(None).prctl(_ON_PARENTS_DEATH, signal.SIGKILL)


def _answer(work: Callable[[Task], object], task: Task) -> object:
    try:
        return work(task)
    except NpudoctorError as error:
        return error
