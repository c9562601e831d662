"""Read the logs of a dump, in as many processes as there are processors where there is much of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import IO

from npudoctor.cli.readers import Readers, processors
from npudoctor.collect.dump import Log, Part, Told, line_numbers, logs, logs_of_stream, parts
from npudoctor.errors import UsageError
from npudoctor.triage.gather import Gathered, Sight
from npudoctor.triage.quoting import HEAD
from npudoctor.triage.scan import Finder, Scan, finder, literals
from npudoctor.words import _

ALONE = 16 << 20
"""Bytes that one process reads sooner than others could be started."""
_TASK_BYTES = 16 << 20
_TASK_FILES = 256

_Job = tuple[int, Part]
"""A part of a dump, after where it stands among all."""


_Read = tuple[Gathered, Told]
"""What some parts gave."""


def gather(paths: Sequence[Path], stdin: IO[bytes]) -> tuple[Gathered, Told]:
    """What may matter in the logs of a dump, and what could not be read wholly.

    Raises:
        UsageError: A path is not there, an archive is hostile, or nothing of all is a log.
    """
    gathered, told = Gathered(), Told()
    files = [path for path in paths if str(path) != "-"]
    if len(files) < len(paths):
        _take(gathered, 0, logs_of_stream(stdin, "-", told), _finder())
    for found, said in _read_all(_tasks(enumerate(parts(files, told), 1))):
        gathered.merge(found)
        told.add(said)
    _no_log(told)
    return gathered, told


def number_lines(sights: Iterable[Sight]) -> None:
    """Count the lines before those that are shown; in a file that is gone by now they keep the number 0."""
    waiting: dict[str, list[Sight]] = defaultdict(list)
    for sight in {id(sight): sight for sight in sights if sight.path}.values():
        waiting[sight.path].append(sight)
    for path, group in waiting.items():
        try:
            numbers = line_numbers(path, (sight.offset for sight in group))
        except OSError:
            continue
        for sight in group:
            sight.number(numbers[sight.offset])


def hide_secrets(sights: Iterable[Sight]) -> None:
    """Take passwords and tokens out of the lines that a report quotes, after all has been found in them."""
    from npudoctor.collect.redact.secrets import redact_words

    for sight in {id(sight): sight for sight in sights}.values():
        sight.say(redact_words(sight.line.text))


def _no_log(told: Told) -> None:
    """Refuse what holds no text at all: an image, random bytes."""
    if told.passed and not told.logs and not told.problems:
        raise UsageError(told.passed[0], _("give logs, or an archive of them"))


def _tasks(jobs: Iterable[_Job]) -> Iterator[list[_Job]]:
    """Small files together, a large one or a range of one by itself."""
    task: list[_Job] = []
    size = 0
    for job in jobs:
        full = size + job[1].size > _TASK_BYTES or len(task) >= _TASK_FILES
        if task and (full or job[1].start or task[-1][1].start):
            yield task
            task, size = [], 0
        task.append(job)
        size += job[1].size
    if task:
        yield task


def _read_all(tasks: Iterator[list[_Job]]) -> Iterator[_Read]:
    begun: list[list[_Job]] = []
    size = 0
    for task in tasks:
        begun.append(task)
        size += sum(part.size for _place, part in task)
        if size > ALONE and len(begun) > 1:
            break
    if size <= ALONE or len(begun) < 2 or processors() < 2:
        yield from map(_read, chain(begun, tasks))
        return
    _finder()  # before the fork, so that it is made once
    with Readers(_read, _lost, processors()) as readers:
        yield from readers.answers(chain(begun, tasks))


def _read(task: list[_Job]) -> _Read:
    gathered, told = Gathered(), Told()
    for place, part in task:
        _take(gathered, place, logs(part, told), _finder())
    return gathered.portable(), told


def _lost(task: list[_Job]) -> _Read:
    told = Told()
    said = _("{name}: the process that read it was killed; perhaps memory ran out")
    told.problem(said.format(name=task[0][1].name))
    return Gathered(), told


def _take(gathered: Gathered, place: int, found: Iterable[Log], finder: Finder) -> None:
    for log in found:
        scan = Scan(finder, counting=not log.path)
        chunks = iter(log.chunks)
        first = next(chunks, b"")
        head = first[:HEAD] if not log.start else b""
        gathered.take(scan.hits(chain([first], chunks)), log.name, place, log.path, log.start, head)


@cache
def _finder() -> Finder:
    return finder(literals())
