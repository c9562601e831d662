"""CSV tables of a profiler: the wanted columns only, whatever they are called and wherever they stand."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, BinaryIO

from npudoctor.accept.profile.layouts import cores, layouts, type_of_name
from npudoctor.accept.profile.numbers import nanoseconds
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from npudoctor.accept.profile.tally import Entry, Tally

_NEWLINE = 0x0A
_LONGEST_LINE = 1 << 20
_WANTED = ("device", "name", "type", "core", "start", "time")
_UNNAMED = (b"", b"N/A")
_MARK = b"\xef\xbb\xbf"  # what a spreadsheet puts before UTF-8


@dataclass(frozen=True, slots=True)
class Table:
    """Where the wanted columns of a table stand.

    Attributes:
        places: The index of each column that is there, by our name for it.
        width: The number of columns in the header.
    """

    places: Mapping[str, int]
    width: int


def open_table(stream: BinaryIO, kind: str, name: str) -> Table:
    """Read the header line of a table of this kind.

    Raises:
        UsageError: It is no such table.
    """
    header = [word.strip() for word in _split(stream.readline(_LONGEST_LINE).removeprefix(_MARK))]
    places = columns(header, kind)
    if "time" not in places and "bubble" not in places:
        raise UsageError(
            _("{file}: the first line is no header of such a table").format(file=name),
            _("give what the profiler wrote"),
        )
    return Table(places, len(header))


def columns(header: list[str], kind: str) -> dict[str, int]:
    """The places of the columns of a kind of table in this header."""
    at = {word.lower(): place for place, word in reversed(list(enumerate(header)))}
    found = {}
    for column, spellings in layouts()["columns"][kind].items():
        place = next((at[word.lower()] for word in spellings if word.lower() in at), None)
        if place is not None:
            found[column] = place
    return found


def rows(stream: BinaryIO, table: Table, wanted: tuple[str, ...]) -> Iterator[tuple[bytes, ...]]:
    """The wanted columns of each row, empty where the table lacks one.

    Shapes, which hold commas in quotes, stand behind what we want: a row is split only as far as is needed.
    A row that is too short ends the table (`ValueError`): the file is cut off.
    """
    last = max(table.places[column] for column in wanted if column in table.places)
    lacking = last + 1  # the rest of the row, which becomes the empty field of a column that is not there
    pick: Callable[[list[bytes]], tuple[bytes, ...]] = itemgetter(
        *(table.places.get(column, lacking) for column in wanted)
    )
    for line in stream:
        fields = line.split(b",", lacking)
        whole = len(fields) > lacking
        if whole and line.find(b'"', 0, -len(fields[-1])) < 0 and line[-1] == _NEWLINE:
            fields[-1] = b""
            yield pick(fields)
            continue
        if not line.strip(b"\r\n \t,"):
            continue
        words = _split(line)
        if len(words) < table.width:
            raise ValueError("cut off")
        yield pick([*(word.encode() for word in words[:lacking]), b""])


def read_operators(stream: BinaryIO, tally_of: Callable[[str], Tally], name: str) -> int:
    """Add the rows of op_summary or kernel_details to the tally of their device; how many there were.

    Args:
        stream: The table.
        tally_of: The tally of a device, by its name in the table (empty: the table has no such column).
        name: The file's name, for messages.

    Raises:
        UsageError: It is no such table.
        ValueError: It ends within a row.
    """
    table = open_table(stream, "operators", name)
    entries: dict[tuple[bytes, bytes, bytes], Entry] = {}
    count = 0
    for device, full_name, type, core, start, time in rows(stream, table, _WANTED):
        if type in _UNNAMED:
            type = type_of_name(_clean(full_name)).encode()  # noqa: PLW2901 (a light profile left it out)
        entry = entries.get((device, type, core))
        if entry is None:
            if not _is_time(time):
                continue
            entry = tally_of(_clean(device)).entry(_clean(type), _clean(core))
            entries[device, type, core] = entry
        count += _add(entry, start, time)
    return count


def read_tasks(
    stream: BinaryIO, tally_of: Callable[[str], Tally], name: str, kinds: Collection[str] | None
) -> int:
    """Add the rows of task_time, those of these kinds or all; else as `read_operators`."""
    table = open_table(stream, "tasks", name)
    known = cores()
    count = 0
    for device, full_name, _type, core, start, time in rows(stream, table, _WANTED):
        kind = known.get(_clean(core).lower())
        if kind is None or (kinds is not None and kind not in kinds) or not _is_time(time):
            continue
        entry = tally_of(_clean(device)).entry(type_of_name(_clean(full_name)), _clean(core))
        count += _add(entry, start, time)
    return count


def _add(entry: Entry, start: bytes, time: bytes) -> int:
    """One task more, unless the row has no time: N/A, or the header once more in files put together."""
    try:
        taken = nanoseconds(time)
    except ValueError:
        return 0
    entry.count += 1
    entry.time += taken
    if start and start != b"N/A":
        at = nanoseconds(start)
        entry.spans.starts.append(at)
        entry.spans.ends.append(at + taken)
    return 1


def _is_time(text: bytes) -> bool:
    try:
        nanoseconds(text)
    except ValueError:
        return False
    return True


def _clean(text: bytes) -> str:
    return text.decode("utf-8", "replace").strip().strip('"')


def _split(line: bytes) -> list[str]:
    import csv

    return next(csv.reader([line.decode("utf-8", "replace").rstrip("\r\n").replace("\0", "")]), [])
