"""The tools of a CANN: where `atc` and `msprof` lie in it, and which of them PATH starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, first_known, known, unavailable
from npudoctor.host.paths import read_paths
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.host.paths import Paths

TOOLS = {
    "atc": ("bin/atc", "compiler/bin/atc", "atc/bin/atc"),
    "msprof": ("tools/profiler/bin/msprof", "bin/msprof", "toolkit/tools/profiler/bin/msprof"),
}
"""Below a CANN, in the places that they have had."""
_WHICH = "which atc msprof"
_STARTED = regex(r"(?m)^(\w+) (/.*) -> (/.*)$")


@dataclass(frozen=True, slots=True)
class Started:
    """What PATH starts.

    Attributes:
        path: As PATH leads to it.
        real: The file itself, links followed.
    """

    path: str
    real: str


def read_tools(snapshot: Snapshot, folders: Iterable[str]) -> dict[str, Fact[str]]:
    """The path of each tool of the CANN that these folders lead to; absent where it is not there."""
    paths, folders = read_paths(snapshot), tuple(folders)
    return {
        tool: _tool(paths, [f"{folder}/{place}" for folder in folders for place in places])
        for tool, places in TOOLS.items()
    }


def _tool(paths: Paths, places: list[str]) -> Fact[str]:
    found = [paths.of(place).map(lambda listed: listed.path) for place in places]
    return first_known(*found)


def read_started(snapshot: Snapshot) -> Fact[dict[str, Started]]:
    """What PATH starts, by tool; one that it does not lead to is left out."""
    listed = snapshot.command(_WHICH)
    if not listed.known:
        return unavailable(f"{_WHICH}: not collected", _WHICH)
    rows = _STARTED.findall(listed.value)
    return known({tool: Started(path, real) for tool, path, real in rows}, "PATH", listed.value.strip())
