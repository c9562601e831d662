"""From a path to the tallies of all devices in it. The only place here that opens files."""

from __future__ import annotations

import json
import sqlite3
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from npudoctor.accept.profile.database import ranks, read_analysis, read_database
from npudoctor.accept.profile.files import Output, outputs
from npudoctor.accept.profile.plain import read_lines
from npudoctor.accept.profile.quick import read_quickly
from npudoctor.accept.profile.statistic import read_collectives, read_statistic, read_steps
from npudoctor.accept.profile.table import open_table, read_operators, read_tasks
from npudoctor.accept.profile.tally import Tally
from npudoctor.accept.profile.trace import OF_INTEREST, read_trace, tells
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RANK = regex(r"profiler(?:_info)?_(\d+)\.(?:json|db)")
_BESIDE = ("transfer", "wait")
_TIMES = "Communication Time Info"


@dataclass(frozen=True, slots=True)
class Measured:
    """One device of one output.

    Attributes:
        folder: Where its files lie.
        rank: Its rank, where known.
        device: The number of the NPU, where known.
        tally: Its tasks.
    """

    folder: Path
    rank: int | None
    device: int | None
    tally: Tally


@dataclass(frozen=True, slots=True)
class Reading:
    """All devices of a path, by rank and device, and what could not be read of it."""

    measured: tuple[Measured, ...]
    problems: tuple[str, ...]


def read(path: Path) -> Reading:
    """Read all profiles below a path.

    Raises:
        UsageError: There is none, or nothing in it can be read.
    """
    problems: list[str] = []
    measured = [one for output in outputs(path) for one in _Reader(output, problems).measured()]
    if not measured:
        raise UsageError(
            problems[0] if problems else _("{path}: no operator is in it").format(path=path),
            _("profile a run that launches operators, and export it"),
        )
    measured.sort(key=lambda one: (_order(one.rank), _order(one.device), str(one.folder)))
    return Reading(tuple(measured), tuple(problems))


class _Reader:
    """Reads one output, the best source first: a folder may hold the same tasks as text and as a database."""

    def __init__(self, output: Output, problems: list[str]) -> None:
        self._output, self._problems = output, problems
        self._tallies: dict[str, Tally] = {}

    def measured(self) -> list[Measured]:
        """The devices that ran operators or collectives."""
        sources = (*self._best(), self._tasks, self._trace, self._statistic, self._lines)
        if any(source() for source in sources):
            self._sums()
        known = self._ranks()
        return [
            Measured(
                self._output.folder,
                known.get(device, known.get("") if len(self._tallies) == 1 else None),
                int(device) if device.isdigit() else None,
                tally,
            )
            for device, tally in self._tallies.items()
            if tally.operators() or tally.communicates
        ]

    def _best(self) -> tuple[Callable[[], int], ...]:
        """Tables before databases, unless copies are in the database only."""
        copies = self._output.files.keys() & {"tasks", "trace"}
        return (self._text, self._database) if copies else (self._database, self._text)

    def tally(self, device: str) -> Tally:
        """The tally of a device; of a table that names none, the output's only one."""
        if not device:
            device = self._output.device or (next(iter(self._tallies), ""))
        elif set(self._tallies) == {""}:
            device = ""
        return self._tallies.setdefault(device, Tally())

    def _text(self) -> int:
        count = self._each("operators", self._operators)
        if count and not self._tasks(_BESIDE):
            self._trace(_BESIDE)
        if count and not any(tally.communicates for tally in self._tallies.values()):
            self._trace(("communication",))
        return count

    def _operators(self, stream: BinaryIO, name: str) -> int:
        places = open_table(stream, "operators", name).places
        quickly = read_quickly(Path(name), places, self.tally)
        if quickly is not None:
            return quickly
        stream.seek(0)
        return read_operators(stream, self.tally, name)

    def _database(self) -> int:
        files = self._output.files.get("database", ())
        return sum([self._read(file, partial(read_database, file, self.tally)) for file in files])

    def _tasks(self, kinds: tuple[str, ...] | None = None) -> int:
        return self._each("tasks", lambda stream, name: read_tasks(stream, self.tally, name, kinds))

    def _trace(self, kinds: tuple[str, ...] | None = None) -> int:
        def from_trace(stream: BinaryIO, _name: str) -> int:
            if kinds is not None:
                if not tells(stream, OF_INTEREST):
                    return 0
                stream.seek(0)
            return read_trace(stream, self.tally, kinds)

        return self._each("trace", from_trace)

    def _statistic(self) -> int:
        return self._each("statistic", lambda stream, name: read_statistic(stream, self.tally, name))

    def _lines(self) -> int:
        return self._each("lines", lambda stream, _name: read_lines(stream, self.tally("")))

    def _sums(self) -> None:
        """What other tables know of waits and collectives."""
        self._each("steps", lambda stream, name: read_steps(stream, self.tally, name))
        if not any(tally.communicates for tally in self._tallies.values()):
            self._each("collectives", lambda stream, name: read_collectives(stream, self.tally, name))
        if len(self._tallies) == 1:
            self._waits(next(iter(self._tallies.values())))

    def _waits(self, tally: Tally) -> None:
        if self._each("waits", lambda stream, _name: _waits(json.load(stream), tally)):
            return
        for kind in ("analysis", "database"):
            for file in self._output.files.get(kind, ()):
                self._read(file, partial(read_analysis, file, tally))

    def _each(self, kind: str, take: Callable[[BinaryIO, str], int]) -> int:
        def of_file(file: Path) -> int:
            with file.open("rb") as stream:
                return take(stream, str(file))

        files = self._output.files.get(kind, ())
        return sum([self._read(file, partial(of_file, file)) for file in files])

    def _read(self, file: Path, take: Callable[[], int]) -> int:
        """What a file gives; a damaged one becomes a problem that is told, and the others are read."""
        before = sum(len(span) for tally in self._tallies.values() for span in tally.spans.values())
        try:
            return take()
        except UsageError as error:
            self._problems.append(str(error))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            self._problems.append(_("{file}: is damaged or cut off").format(file=file))
        except sqlite3.Error as error:
            self._problems.append(_("{file}: is no whole database ({error})").format(file=file, error=error))
        except OSError as error:
            self._problems.append(f"{file}: {error.strerror}")
        after = sum(len(span) for tally in self._tallies.values() for span in tally.spans.values())
        return after - before

    def _ranks(self) -> dict[str, int]:
        """The rank by device; under the empty name the rank of the whole output."""
        known: dict[str, int] = {}
        for file in self._output.files.get("database", ()):
            try:
                known |= ranks(file)
            except (sqlite3.Error, ValueError, TypeError):
                continue  # the damage was told when its tasks were read
        for file in (*self._output.files.get("rank", ()), *self._output.files.get("database", ())):
            rank = _rank(file)
            if rank is not None:
                known.setdefault("", rank)
        return known


def _rank(file: Path) -> int | None:
    if found := _RANK.search(file.name):
        return int(found[1])
    if file.name != "profiler_metadata.json":
        return None
    try:
        rank = json.loads(file.read_bytes())["distributed_info"]["rank"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return rank if isinstance(rank, int) else None


def _waits(document: Any, tally: Tally) -> int:
    """Sum up the waits of communication.json (ms), without its own totals; how many operations there were."""
    count = 0
    for count, times in enumerate(_communications(document), 1):  # noqa: B007
        tally.wait_ns = (tally.wait_ns or 0) + round(float(times["Wait Time(ms)"]) * 1e6)
        tally.moving_ns += round(float(times["Transit Time(ms)"]) * 1e6)
    return count


def _communications(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The times of each operation: of msprof by its name, of torch_npu below steps and kinds."""
    if _TIMES in node:
        yield node[_TIMES]
        return
    for name, below in node.items():
        if not name.startswith("Total "):
            yield from _communications(below)


def _order(number: int | None) -> int:
    return -1 if number is None else number
