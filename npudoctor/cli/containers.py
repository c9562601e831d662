"""From `--container` to what was collected of the container, and of the machine that it runs on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from npudoctor.cli.sources import Chosen, Source
from npudoctor.collect.container import Engine, Found
from npudoctor.collect.containers import description, within
from npudoctor.collect.local import Running, start_local
from npudoctor.collect.script import render
from npudoctor.collect.snapshot import Snapshot

FIRST = 1
"""The process whose environment and limits count where none is named: the one that the container is for."""


@contextmanager
def reading_container(choice: Chosen, *, everything: bool) -> Iterator[Source]:
    """Begin to read the machine; the container is read when it is asked for.

    Raises:
        UsageError: There is no such container, or no `docker` package.
        IncompleteError: The engine cannot be asked.
    """
    engine = Engine()
    running: Running | None = None
    try:
        found = engine.find(choice.container or "")
        if engine.is_here:
            running = start_local(timeout=choice.timeout, everything=everything, since=choice.since)
        script = render(
            everything=everything, pid=choice.pid or FIRST, timeout=choice.timeout, since=choice.since
        )
        yield Source(found.name, "container", lambda: _read(engine, found, script, running))
    finally:
        if running:
            running.stop()
        engine.close()


def _read(engine: Engine, found: Found, script: str, running: Running | None) -> Snapshot:
    inside = engine.read(found, script)
    host = running.snapshot() if running else Snapshot(found.name, "container", {})
    return within(host, description(found.attributes), inside)
