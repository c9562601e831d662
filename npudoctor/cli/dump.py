"""Read the logs of a dump, in as many processes as there are processors where there is much of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from npudoctor.collect.dump import Log, Part, logs, logs_of_stream, parts
from npudoctor.dataclass import dataclass
from npudoctor.triage.gather import Gathered
from npudoctor.triage.scan import Finder, Scan, finder, literals

ALONE = 48 << 20
"""Bytes that one process reads sooner than others could be started."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A part of a dump, and where it stands among all."""

    part: Part
    place: int


def gather(paths: Sequence[Path], stdin: IO[bytes]) -> tuple[Gathered, list[str]]:
    """What may matter in the logs of a dump, and what could not be read wholly.

    Raises:
        UsageError: A path is not there, or an archive is hostile.
    """
    gathered = Gathered()
    problems: list[str] = []
    files = [path for path in paths if str(path) != "-"]
    if len(files) < len(paths):
        _take(gathered, 0, logs_of_stream(stdin, "-", problems.append), _finder())
    jobs = [_Job(part, place) for place, part in enumerate(parts(files), 1)]
    before: dict[str, int] = {}
    for job, (found, lines, told) in zip(jobs, _read_all(jobs), strict=True):
        gathered.merge(found, before.get(job.part.path, 0) if job.part.start else 0)
        before[job.part.path] = before.get(job.part.path, 0) + lines
        problems += told
    return gathered, problems


def _read_all(jobs: Sequence[_Job]) -> Iterator[tuple[Gathered, int, list[str]]]:
    if sum(job.part.size for job in jobs) < ALONE or len(jobs) < 2:
        yield from map(_read, jobs)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    _finder()  # before the fork, so that it is made once
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as pool:
        yield from pool.map(_read, jobs, chunksize=max(1, min(64, len(jobs) // 16)))


def _read(job: _Job) -> tuple[Gathered, int, list[str]]:
    gathered = Gathered()
    problems: list[str] = []
    lines = _take(gathered, job.place, logs(job.part, problems.append), _finder())
    return gathered, lines, problems


def _take(gathered: Gathered, place: int, found: Iterable[Log], finder: Finder) -> int:
    lines = 0
    for log in found:
        scan = Scan(finder)
        gathered.take(scan.hits(log.chunks), log.name, place)
        lines += scan.lines
    return lines


@cache
def _finder() -> Finder:
    return finder(literals())
