"""Tables of sums: op_statistic, the statistics of collectives, and the steps of torch_npu."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from npudoctor.accept.profile.numbers import nanoseconds
from npudoctor.accept.profile.table import open_table, rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from npudoctor.accept.profile.tally import Tally


def read_statistic(stream: BinaryIO, tally_of: Callable[[str], Tally], name: str) -> int:
    """Add op_statistic to the tallies of its devices; how many rows there were."""
    table = open_table(stream, "statistic", name)
    number = 0
    for device, type, core, count, time, ratio in rows(
        stream, table, ("device", "type", "core", "count", "time", "ratio")
    ):
        taken = _time(time)
        if taken is None:
            continue
        entry = tally_of(_word(device)).entry(_word(type), _word(core))
        entry.count += int(count) if count.strip().isdigit() else 1
        entry.time += taken
        entry.ratio = _sum(entry.ratio, _ratio(ratio))
        number += 1
    return number


def read_collectives(stream: BinaryIO, tally_of: Callable[[str], Tally], name: str) -> int:
    """Sum up hccl_statistic or communication_statistic; how many rows there were."""
    table = open_table(stream, "statistic", name)
    count = 0
    for count, (device, time) in enumerate(rows(stream, table, ("device", "time")), 1):  # noqa: B007
        tally = tally_of(_word(device))
        tally.communication_ns = (tally.communication_ns or 0) + (_time(time) or 0)
    return count


def read_steps(stream: BinaryIO, tally_of: Callable[[str], Tally], name: str) -> int:
    """Sum up the Bubble of step_trace_time, waits for the stage before in a pipeline; how many rows."""
    table = open_table(stream, "steps", name)
    count = 0
    for count, (device, bubble) in enumerate(rows(stream, table, ("device", "bubble")), 1):  # noqa: B007
        tally = tally_of(_word(device))
        tally.bubble_ns = (tally.bubble_ns or 0) + (_time(bubble) or 0)
    return count


def _time(text: bytes) -> int | None:
    """ns; None for N/A and for a header that stands in the table once more."""
    try:
        return nanoseconds(text)
    except ValueError:
        return None


def _ratio(text: bytes) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _sum(one: float | None, two: float | None) -> float | None:
    return two if one is None else one + (two or 0)


def _word(text: bytes) -> str:
    return text.decode("utf-8", "replace").strip().strip('"')
