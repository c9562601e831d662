"""The diary of a simulated host: what happened to it, written by its own tools, kept outside of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Event:
    """One line.

    Attributes:
        time: Seconds since the epoch.
        what: `install-begin`, `install-end`, `power-cut`, `reboot-asked`, …
    """

    time: float
    what: str
    words: str


@dataclass(frozen=True)
class Install:
    """One run of an installer that got as far as to change something.

    Attributes:
        code: Its exit code; None where it was killed.
    """

    component: str
    version: str
    options: str
    code: int | None = None


def read_events(path: Path) -> list[Event]:
    """All lines so far."""
    rows = (line.split("\t") for line in path.read_text().splitlines())
    return [Event(float(time), what, words) for time, what, words in rows]


def installs(events: list[Event]) -> list[Install]:
    """Every run of an installer, in the order in which they began."""
    runs: list[Install] = []
    for event in events:
        words = event.words.split(" ", 2)
        if event.what == "install-begin":
            runs.append(Install(words[0], words[1], *words[2:]))
        if event.what == "install-end":
            place = max(
                number for number, run in enumerate(runs) if [run.component, run.version] == words[:2]
            )
            runs[place] = replace(runs[place], code=int(words[2]))
    return runs
