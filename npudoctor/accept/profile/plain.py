"""Lines of an early export: `OP_NAME: X, EXEC_TIME: 2.87ms, COUNT: 1, PERCENT: 42.1%`."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from npudoctor.regex import regex

if TYPE_CHECKING:
    from npudoctor.accept.profile.tally import Tally

_OPERATOR = regex(
    r"OP_NAME:\s*(?P<name>[^,\s]+)\s*,\s*EXEC_TIME:\s*(?P<time>[\d.]+)\s*(?P<unit>ns|us|ms|s)\b"
    r"(?:\s*,\s*COUNT:\s*(?P<count>\d+))?(?:\s*,\s*PERCENT:\s*(?P<percent>[\d.]+)\s*%)?"
)
_COPY = regex(
    r"(?P<way>HOST_TO_DEVICE|DEVICE_TO_HOST|DEVICE_TO_DEVICE):\s*(?P<time>[\d.]+)\s*(?P<unit>ns|us|ms|s)\b"
)
_UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_LONGEST_LINE = 1 << 16


def read_lines(stream: BinaryIO, tally: Tally) -> int:
    """Add the operators and copies that the lines name; how many there were."""
    count = 0
    while line := stream.readline(_LONGEST_LINE):
        text = line.decode("utf-8", "replace")
        for found in _OPERATOR.finditer(text):
            entry = tally.entry(found["name"], "")
            entry.count += int(found["count"] or 1)
            entry.time += _time(found["time"], found["unit"])
            entry.ratio = (entry.ratio or 0) + float(found["percent"]) if found["percent"] else entry.ratio
            count += 1
        for found in _COPY.finditer(text):
            count += _copy(tally, found["way"], _time(found["time"], found["unit"]))
    return count


def _copy(tally: Tally, way: str, taken: int) -> int:
    entry = tally.entry(way, "MEMCPY_ASYNC")
    entry.count += 1
    entry.time += taken
    direction = way.lower().replace("_", " ")
    tally.directions[direction] = tally.directions.get(direction, 0) + taken
    return 1


def _time(number: str, unit: str) -> int:
    return round(float(number) * _UNITS[unit])
