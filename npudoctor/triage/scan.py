"""Find the lines of a log that may matter, fast: one pass with all literals at once, then only what it hit.

Literals are found in small and capital letters. Hyperscan does it at several GB/s; where it is not installed,
`ahocorasick-rs` does it at a tenth of that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from npudoctor.triage.codes import IN_NUMBERS_OF_ACL, codes
from npudoctor.triage.decode import forms
from npudoctor.triage.signatures import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_IN_LINE = 1 << 20
"""Bytes without a line end after which a line is taken to have ended."""
_SHORTEST = 6
"""Letters of a code that is looked for by itself: `0`, which is success, stands in every line."""
_ERRORS = (
    "[error]", "[fatal]", "[critical]", "[exception]", "error:", "fatal:", "exception:", "core dumped",
    "killed", "traceback (most recent", "error code", "errno",
)  # fmt: skip
"""What marks a line as an error, whatever it says."""

Finder: TypeAlias = Callable[[bytes], "Iterable[int]"]
"""Where literals end in some bytes, at least once for each line that holds one, in order."""


class Scan:
    """One pass over a log.

    Attributes:
        lines: How many line ends there were so far.
    """

    def __init__(self, finder: Finder) -> None:
        self.lines = 0
        self._finder = finder

    def hits(self, chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
        """The lines that hold a literal, each with its number from 1; memory is one chunk's."""
        rest = b""
        for chunk in chunks:
            data = rest + chunk if rest else chunk
            end = len(data) if data.endswith(b"\n") else data.rfind(b"\n") + 1
            if not end and len(data) < MOST_IN_LINE:
                rest = data
                continue
            yield from self._in(data[:end] if end else data)
            rest = data[end:] if end else b""
        yield from self._in(rest)

    def _in(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        counted, limit = 0, -1
        for at in self._finder(data):
            if at <= limit:
                continue
            start = data.rfind(b"\n", 0, at) + 1
            limit = data.find(b"\n", at)
            limit = len(data) if limit < 0 else limit
            self.lines += data.count(b"\n", counted, start)
            counted = start
            yield self.lines + 1, data[start:limit].rstrip(b"\r")
        self.lines += data.count(b"\n", counted)


@cache
def literals() -> Sequence[str]:
    """All that is looked for, in small letters, none inside another."""
    texts = {literal for form in forms() for literal in form.seek or _codes(form.family)}
    kept: list[str] = []
    for text in sorted(texts | words() | set(_ERRORS), key=len):
        if not any(short in text for short in kept):
            kept.append(text)
    return tuple(kept)


def _codes(family: str) -> Iterator[str]:
    families = IN_NUMBERS_OF_ACL if family == "number" else (family,)
    return (code.code.lower() for code in codes() if code.family in families and len(code.code) >= _SHORTEST)


def finder(wanted: Sequence[str]) -> Finder:
    """The fastest engine that is installed, made ready for these literals."""
    try:
        return _hyperscan(wanted)
    except ImportError:
        return _aho_corasick(wanted)


def _encoded(wanted: Iterable[str]) -> list[bytes]:
    """The literals as they stand in logs: in UTF-8, and in GBK what the two write differently."""
    texts = {text.encode(code).lower() for text in wanted for code in ("utf-8", "gb18030")}
    return sorted(texts)


def _hyperscan(wanted: Sequence[str]) -> Finder:
    import hyperscan

    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    texts = _encoded(wanted)
    flags = [hyperscan.HS_FLAG_CASELESS] * len(texts)
    database.compile(expressions=texts, flags=flags, literal=True)
    scratch = hyperscan.Scratch(database)

    def find(data: bytes) -> list[int]:
        ends: list[int] = []
        limit = -1

        def hit(_id: int, _from: int, to: int, _flags: int, _context: object) -> None:
            nonlocal limit
            if to - 1 > limit:
                ends.append(to - 1)
                limit = data.find(b"\n", to - 1)
                limit = len(data) if limit < 0 else limit

        database.scan(data, match_event_handler=hit, scratch=scratch)
        return ends

    return find


def _aho_corasick(wanted: Sequence[str]) -> Finder:
    import ahocorasick_rs

    automaton = ahocorasick_rs.BytesAhoCorasick(_encoded(wanted))

    def find(data: bytes) -> Iterator[int]:
        return (end - 1 for _id, _start, end in automaton.find_matches_as_indexes(data.lower()))

    return find
