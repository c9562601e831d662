"""Chrome traces (`msprof_*.json`, `trace_view.json`, `task_time_*.json`), an event at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

from npudoctor.accept.profile.layouts import cores, kind_of_task, layouts, type_of_name
from npudoctor.accept.profile.numbers import nanoseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from npudoctor.accept.profile.tally import Tally

_CHUNK = 1 << 22
_LONGEST_EVENT = 1 << 24
_TAIL = 64
OF_INTEREST = (b"MEMCPY", b"SDMA", b"DMA_SQE", b"UBDMA", b"ASYNCDMA", b"_WAIT", b"hcom_", b"Hccl")
"""What a trace may tell that no operator table does."""


def tells(stream: BinaryIO, words: Collection[bytes] = OF_INTEREST) -> bool:
    """Whether one of these words stands in the file: most traces need not be read as JSON at all."""
    tail = b""
    while chunk := stream.read(_CHUNK):
        text = tail + chunk
        if any(word in text for word in words):
            return True
        tail = text[-_TAIL:]
    return False


def read_trace(stream: BinaryIO, tally_of: Callable[[str], Tally], kinds: Collection[str] | None) -> int:
    """Add the tasks of a trace to the tallies of their devices; how many there were.

    Args:
        stream: The JSON text: an array of events, or an object with `traceEvents`.
        tally_of: The tally of a device by its number; empty where the trace does not name it.
        kinds: The kinds of tasks to take; all where None.

    Raises:
        ValueError: It is no such trace, or is cut off.
    """
    tracks = _Tracks()
    count = 0
    early = []
    for event in events(stream):
        if event.get("ph") == "M":
            tracks.learn(event)
        elif "dur" not in event:
            continue
        elif not tracks.knows(event.get("pid")):
            early.append(_task(event))  # a name may come after the events of its track
        elif tracks.track(event.get("pid")) is not None:
            count += _add(_task(event), tracks, tally_of, kinds)
    return count + sum(_add(task, tracks, tally_of, kinds) for task in early)


def events(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    """The events of a trace, one by one; raises `ValueError` where it is none or is cut off."""
    import codecs

    decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
    scan = json.JSONDecoder().raw_decode
    text = decode(stream.read(_CHUNK))
    at = _first(text)
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return
        try:
            event, at = scan(text, at)
        except ValueError:
            chunk = stream.read(_CHUNK)
            if not chunk or len(text) - at > _LONGEST_EVENT:
                raise ValueError("cut off") from None
            text, at = text[at:] + decode(chunk), 0
            continue
        if isinstance(event, dict):
            yield event


class _Tracks:
    """What the processes of a trace are, and of which device."""

    def __init__(self) -> None:
        names = layouts()["tracks"]
        self._known = {name: track for track, several in names.items() for name in several}
        self._named: dict[Any, str | None] = {}
        self._labels: dict[Any, str] = {}

    def learn(self, event: dict[str, Any]) -> None:
        """Take in a line of metadata."""
        arguments = event.get("args") or {}
        if event.get("name") == "process_name":
            self._named[event.get("pid")] = self._known.get(arguments.get("name"))
        elif event.get("name") == "process_labels":
            self._labels[event.get("pid")] = str(arguments.get("labels", ""))

    def knows(self, process: Any) -> bool:
        """Whether the process has a name yet."""
        return process in self._named

    def track(self, process: Any) -> str | None:
        """`hardware`, `communication` or None."""
        return self._named.get(process)

    def device(self, process: Any) -> str:
        """The number of the NPU, empty where the trace does not say it."""
        word, _space, number = self._labels.get(process, "").partition(" ")
        return number.strip() if word == "NPU" else ""


Task = tuple[Any, str, str, Any, Any]
"""Process, name, core, start and duration of an event."""


def _task(event: dict[str, Any]) -> Task:
    return event.get("pid"), str(event.get("name", "")), _core(event), event.get("ts"), event["dur"]


def _add(task: Task, tracks: _Tracks, tally_of: Callable[[str], Tally], kinds: Collection[str] | None) -> int:
    process, name, core, begun, lasted = task
    track, type = tracks.track(process), type_of_name(name)
    if track == "communication":
        core = "COMMUNICATION"
    elif track is None or core.lower() not in cores():
        return 0  # the host's, or place holders, records and writes of events
    if kinds is not None and kind_of_task(core, type) not in kinds:
        return 0
    entry = tally_of(tracks.device(process)).entry(type, core)
    start, taken = _nanoseconds(begun), _nanoseconds(lasted)
    entry.count += 1
    entry.time += taken
    entry.spans.add(start, start + taken)
    return 1


def _core(event: dict[str, Any]) -> str:
    """What a task runs on; a copy of an early version has its word for a name only."""
    arguments = event.get("args") or {}
    word = arguments.get("Task Type") or arguments.get("task type") or event.get("name")
    return str(word)


def _nanoseconds(value: Any) -> int:
    return nanoseconds(str(value).encode())


def _first(text: str) -> int:
    """Where the first event stands: behind the bracket of the array."""
    start = text.find("[")
    lead = text[: max(start, 0)].strip()
    if start < 0 or (lead and not lead.startswith("{")):
        raise ValueError("no trace")
    return start + 1


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at
