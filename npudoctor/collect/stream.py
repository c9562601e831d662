"""Read the stream that a rendered script returns: the same for a local run, over SSH, and from a file.

A stream is `npudoctor-stream/1 @NONCE`, then frames. Each part of a frame starts on a line of its own with
the nonce, so the outputs between may hold any bytes. `probe.sh` shows what a frame looks like.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from npudoctor.collect.containers import INSPECT, split
from npudoctor.collect.grep import files_of_grep
from npudoctor.collect.snapshot import Entry, Snapshot, State, slug
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"npudoctor-stream/1 @"
ENDED = "collecting was ended before all was read"
"""What is wrong with a host whose reading was ended, by the host or by us."""
_HEADER = regex(rb"npudoctor-stream/1 (@[0-9a-f]{32})\n")
_KILLED = (124, 137, 138, 143)
"""Exit codes of a command that the watch ended: by SIGTERM, SIGKILL, or given up."""
_PLACES = ("files/", "commands/", "logs/", "environment", "python-packages")
_TOO_BIG = (141, 153)
"""Exit codes of SIGPIPE and SIGXFSZ: the reader, or the file, had enough."""
_MOST = 64 << 20
"""Bytes of one output that are kept whatever the script's own cap says."""
_MOST_IN_ALL = 256 << 20
"""Bytes of a whole stream."""
_MOST_ENTRIES = 50_000
_MOST_LINE = 65536
"""Bytes of a line that starts or ends a part of a frame."""
_DENIED = regex(
    rb"permission denied|operation not permitted|must be (?:run as )?root|are you root|root privileges", re.I
)


class StreamReader:
    """Takes a stream in pieces, as they come, and keeps no more than the outputs.

    Attributes:
        entries: What is complete so far, by its path in a bundle.
        end: The word of the end mark (`done`, `interrupted`), or None before it has come.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.end: str | None = None
        self._mark = b""
        self._buffer = bytearray()
        self._size = 0
        self._frame: _Frame | None = None

    @property
    def started(self) -> bool:
        """Whether the stream's header has come."""
        return bool(self._mark)

    def feed(self, data: bytes) -> None:
        """Take the next piece. What stands before the header (a login banner) is passed over."""
        self._buffer += data
        if not self._mark and not self._begin():
            return
        self._size += len(data)
        while self.end is None and self._step():
            pass
        if self.end is None and (self._size > _MOST_IN_ALL or len(self.entries) > _MOST_ENTRIES):
            self.end = "flooded"

    def finish(self, name: str, source: str) -> Snapshot:
        """The snapshot out of all that has come; a frame that is not closed is cut off."""
        if self._frame is not None:
            self._frame.take(bytes(self._buffer))
            self._close(self._frame, self._frame.entry("timeout" if self.end else "cut-off"))
            self._frame = None
        problems = () if self.end == "done" else (self._problem(),)
        return Snapshot(self._host_name() or name, source, self.entries, problems)

    def _begin(self) -> bool:
        match = _HEADER.search(self._buffer)
        if match is None:
            del self._buffer[: max(0, len(self._buffer) - 65536)]
            return False
        self._mark = b"\n" + match[1]
        del self._buffer[: match.end() - 1]  # its line feed may begin the first frame
        return True

    def _step(self) -> bool:
        """Take one marked line and what stands before it; False where more has to come first."""
        start = self._buffer.find(self._mark)
        if start < 0:
            keep = len(self._mark)
            self._take(bytes(self._buffer[:-keep]))
            del self._buffer[:-keep]
            return False
        stop = self._buffer.find(b"\n", start + len(self._mark))
        if stop < 0:
            self.end = "flooded" if len(self._buffer) - start > _MOST_LINE else None
            return False
        self._take(bytes(self._buffer[:start]))
        line = bytes(self._buffer[start + len(self._mark) : stop])
        # The line feed stays: it is the first byte of the next mark where an output is empty. An output
        # itself begins after it.
        del self._buffer[: stop if line[:1] in b"<." else stop + 1]
        self._marked(line)
        return True

    def _take(self, data: bytes) -> None:
        if self._frame is not None and data:
            self._frame.take(data)

    def _marked(self, line: bytes) -> None:
        kind, rest = line[:1], line[1:].decode("utf-8", "replace")
        if kind == b">":
            if self._frame is not None:
                self._close(self._frame, self._frame.entry("timeout"))
            self._frame = _Frame(rest[:1], _plain(rest[2:]))
        elif kind == b"!" and self._frame is not None:
            self._frame.in_stderr = True
        elif kind == b"<" and self._frame is not None:
            self._close(self._frame, self._frame.closed(rest.split()))
            self._frame = None
        elif kind == b".":
            self.end = rest

    def _add(self, entry: Entry) -> None:
        if ".." in entry.path.split("/") or not entry.path.startswith(_PLACES):
            return  # no script of ours wrote this
        for part in split(entry) if entry.path == INSPECT else (entry,):
            self.entries.setdefault(part.path, part)

    def _close(self, frame: _Frame, entry: Entry) -> None:
        for each in files_of_grep(entry) if frame.kind == "g" else (entry,):
            self._add(each)

    def _host_name(self) -> str:
        entry = self.entries.get("files/proc/sys/kernel/hostname")
        return entry.text.strip() if entry else ""

    def _problem(self) -> str:
        if self.end == "interrupted":
            return ENDED
        if self.end == "lost":
            return "the host has no room for temporary files, or no more processes, to read all of it"
        if self.end == "flooded":
            return "the stream is larger than any host's"
        return "the stream is cut off" if self.started else "no stream came back"


class _Frame:
    """An output that is coming in."""

    def __init__(self, kind: str, origin: str) -> None:
        self.kind = kind
        self.origin = origin
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.in_stderr = False

    def take(self, data: bytes) -> None:
        into = self.stderr if self.in_stderr else self.stdout
        into += data[: max(0, _MOST - len(into))]

    def entry(self, state: State, exit_code: int = 0, seconds: float = 0.0) -> Entry:
        output = bytes(self.stdout)
        if self.kind == "e":
            output = _variables(output)
        return Entry(self._path(), self.origin, output, bytes(self.stderr), exit_code, seconds, state)

    def _path(self) -> str:
        command = not self.origin.startswith("/")
        top = {"f": "files", "c": "commands", "l": "logs"}.get(self.kind)
        if top is None:
            return self.origin
        return f"{top}/{slug(self.origin)}" if self.kind == "c" or command else top + self.origin

    def closed(self, words: list[str]) -> Entry:
        """The entry, from the words of the closing line: a state, or EXIT [CAP [LIMIT START END]]."""
        numbers = list(_numbers(words))
        if not numbers:
            return self._unread(words)
        code, cap, limit, start, end = (*numbers, 0.0, 0.0, 0.0, 0.0, 0.0)[:5]
        cut = self._trim(int(cap))
        seconds = round(max(0.0, end - start), 2)
        state = self._state(int(code), cut, bool(limit) and seconds >= limit - 0.02)
        return self.entry(state, int(code), seconds)

    def _unread(self, words: list[str]) -> Entry:
        state: State = "failed"
        if words == ["absent"]:
            state = "absent"
        elif words == ["denied"]:
            state = "denied"
        elif words == ["cut"]:
            state = "cut-off"
        return self.entry(state, {"absent": 127, "denied": 126}.get(state, 1))

    def _trim(self, cap: int) -> bool:
        """Cut to the cap (negative: the end is kept); whether there was more."""
        if not cap or len(self.stdout) <= abs(cap):
            return False
        if cap < 0:
            del self.stdout[:cap]
            # Half a line has lost what says that a secret stands in it.
            del self.stdout[: self.stdout.find(b"\n", 0, _MOST_LINE) + 1]
        else:
            del self.stdout[cap:]
        return True

    def _state(self, code: int, cut: bool, late: bool) -> State:
        if late and code in _KILLED:
            return "timeout"
        if cut or code in _TOO_BIG:
            return "cut-off"
        if self.kind in "fl" and code:
            return "failed"
        if code and not self.stdout.strip() and _DENIED.search(self.stderr):
            return "denied"
        return "complete"


def _plain(title: str) -> str:
    """A path without the detours that a variable such as `ASCEND_HOME_PATH` may hold."""
    detour = title.startswith("/") and ("//" in title or "/." in title)
    return posixpath.normpath(title) if detour else title


def _numbers(words: list[str]) -> Iterator[float]:
    for word in words:
        try:
            yield float(word)
        except ValueError:
            return


def _variables(block: bytes) -> bytes:
    """The kernel's NUL-separated variables as `NAME=value` lines; a line feed in a value becomes `\\n`."""
    if b"\0" not in block:
        return block
    lines = [line.replace(b"\n", b"\\n") for line in block.split(b"\0") if line]
    return b"".join(line + b"\n" for line in lines)
