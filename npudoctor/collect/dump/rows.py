"""Lines that a container runtime cut at 16 KiB and stored in several rows, put together again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from npudoctor.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

MOST_OPEN = 4 << 20
"""Bytes of a line that are waited for; a longer one is handed out in pieces."""
_DOCKER_START = b'{"log":"'
_DOCKER: re.Pattern[bytes] = regex(rb'\{"log":"((?:[^"\\]|\\.)*)(","stream":"(\w+)".*)')
_CRI_START: re.Pattern[bytes] = regex(
    rb"\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] "
)
_CRI: re.Pattern[bytes] = regex(rb"(\S+ (std(?:out|err)) )([FP]) (.*)")


@dataclass
class _Row:
    """One row: a whole line, or (`more`) a piece of one. `before` and `after`: what stands around it."""

    stream: bytes
    before: bytes
    text: bytes
    after: bytes
    more: bool


def in_rows(first: bytes) -> bool:
    """Whether a log that begins so is one of Docker's or of a Kubernetes runtime's."""
    return first.startswith(_DOCKER_START) or _CRI_START.match(first) is not None


def joined(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """A log of Docker's or a Kubernetes runtime's with each line in one row; any other as it is.

    The line ends that are taken out follow the joined line, so that the numbers of all others stay.
    """
    first = next(chunks, b"")
    if first.startswith(_DOCKER_START):
        return _in_rows(first, chunks, _docker, _docker_is_whole)
    if _CRI_START.match(first):
        return _in_rows(first, chunks, _cri, _cri_is_whole)
    return _both(first, chunks)


def _both(first: bytes, chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from chunks


def _in_rows(
    first: bytes,
    chunks: Iterable[bytes],
    read: Callable[[bytes], _Row | None],
    is_whole: Callable[[bytes], bool],
) -> Iterator[bytes]:
    begun = _Begun(read)
    rest = b""
    for chunk in _both(first, chunks):
        data, at = rest + chunk, (rest + chunk).rfind(b"\n") + 1
        rest = data[at:] if at or len(data) < MOST_OPEN else b""
        data = data[:at] if at or rest else data
        if not begun and is_whole(data):
            yield data
        else:
            yield b"".join(begun.lines(data))
    yield b"".join(begun.lines(rest)) + b"".join(begun.end())


class _Begun:
    """The rows whose line goes on in the next row of their stream."""

    def __init__(self, read: Callable[[bytes], _Row | None]) -> None:
        self._read = read
        self._rows: dict[bytes, list[_Row]] = {}

    def __bool__(self) -> bool:
        return bool(self._rows)

    def lines(self, data: bytes) -> Iterator[bytes]:
        """Rows, those that were cut as one."""
        for line in data.splitlines(keepends=True):
            row = self._read(line)
            if row is None:
                yield line
                continue
            before = self._rows.setdefault(row.stream, [])
            before.append(row)
            if not row.more or sum(len(each.text) for each in before) > MOST_OPEN:
                yield _as_one(self._rows.pop(row.stream))

    def end(self) -> Iterator[bytes]:
        """What the log breaks off in."""
        yield from map(_as_one, self._rows.values())


def _as_one(rows: list[_Row]) -> bytes:
    last = rows[-1]
    text = b"".join(row.text for row in rows)
    return rows[0].before + text + last.after + b"\n" * (len(rows) - 1)


def _docker(line: bytes) -> _Row | None:
    found = _DOCKER.match(line)
    if not found:
        return None
    return _Row(found[3], _DOCKER_START, found[1], line[found.start(2) :], not found[1].endswith(b"\\n"))


def _docker_is_whole(data: bytes) -> bool:
    return data.count(b'\\n","stream"') == data.count(b"\n")


def _cri(line: bytes) -> _Row | None:
    found = _CRI.match(line)
    if not found:
        return None
    return _Row(found[2], found[1] + b"F ", found[4], line[found.end() :], found[3] == b"P")


def _cri_is_whole(data: bytes) -> bool:
    return b" stdout P " not in data and b" stderr P " not in data
