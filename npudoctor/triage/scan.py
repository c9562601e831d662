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
from npudoctor.triage.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_IN_LINE = 1 << 20
"""Bytes without a line end after which a line is taken to have ended."""
LONG, AROUND = 4000, 1500
"""Bytes of a line that comes whole; of a longer one come its start and what is around each literal."""
_START = 300
_SHORTEST = 6
"""Letters of a code that is looked for by itself: `0`, which is success, stands in every line."""
_ERRORS = (
    "[error]", "[fatal]", "[critical]", "[exception]", "- error -", "error:", "fatal:", "exception:",
    "core dumped", "killed", "check failed: ", "traceback (most recent", "error code", "errno",
    "assertionerror", "memoryerror",
    "notimplementederror", "unsupported:", "distributionnotfound:", "versionconflict:",
    "no module named '", "undefined symbol:", "permission denied", "operation not permitted",
    "cannot allocate memory",
    "\ne0", "\ne1", "\ne2", "\nf0", "\nf1", "\nf2",  # glog: the letter of the level, then month or year
)  # fmt: skip
"""What marks a line as an error, whatever it says."""

Finder: TypeAlias = Callable[[bytes], "Iterable[int]"]
"""Where literals end in some bytes, at least once for each line that holds one, in order."""


class Scan:
    """One pass over a log.

    Attributes:
        counting: Whether lines are to be numbered. Else they get the place of their first byte: to count the
            line ends of a large file takes a fifth of the time, and few lines of it are ever shown.
    """

    def __init__(self, finder: Finder, counting: bool = True) -> None:
        self._finder, self._counting = finder, counting
        self._lines = self._bytes = 0

    def hits(self, chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
        """The lines that hold a literal, each with its number from 1, or its place from byte 0."""
        rest = b"\n"  # the end of the line before, which some literals begin with
        for chunk in chunks:
            first, last = chunk.find(b"\n") + 1, chunk.rfind(b"\n") + 1
            if not first and len(rest) + len(chunk) < MOST_IN_LINE:
                rest += chunk
                continue
            # nothing large is copied for the one line that two chunks share
            yield from self._in(rest + chunk[:first], 1, len(rest) + first)
            yield from self._in(chunk, first, last or len(chunk))
            rest = chunk[last - 1 :] if last else b"\n"
        yield from self._in(rest, 1, len(rest))

    def _in(self, data: bytes, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
        """The same of whole lines, from one byte of the data up to another."""
        counted, start, limit = begin, begin, begin - 1
        for at in self._finder(data):
            if at <= limit:
                continue
            if at >= end:
                break
            before = data.rfind(b"\n", max(limit, begin), at)
            start = start if before < 0 else before + 1
            limit = data.find(b"\n", at, min(end, at + LONG))
            limit = min(end, at + LONG) if limit < 0 else limit
            if self._counting:
                self._lines += data.count(b"\n", counted, start)
                counted = start
            place = self._lines + 1 if self._counting else self._bytes + start - begin
            if limit - start <= LONG:
                yield place, data[start:limit].rstrip(b"\r")
            else:
                limit = min(limit, at + AROUND)
                yield place, data[start : start + _START] + b" ... " + data[max(start, at - AROUND) : limit]
        self._lines += data.count(b"\n", counted, end) if self._counting else 0
        self._bytes += end - begin


@cache
def literals() -> Sequence[str]:
    """All that is looked for, in small letters, none inside another."""
    texts = {literal for form in forms() for literal in form.seek or _codes(form.family)}
    texts |= words() | set(_ERRORS)
    known = Words(texts)
    return tuple(sorted(text for text in texts if known.found_in(text) == {text}))


def _codes(family: str) -> Iterator[str]:
    """The codes of a family in small letters; of those of CANN what ten at a time begin with.

    With some six hundred codes of six letters each, a pass takes a sixth longer.
    """
    families = IN_NUMBERS_OF_ACL if family == "number" else (family,)
    end = _SHORTEST - 1 if family == "cann" else None
    return (
        code.code.lower()[:end] for code in codes() if code.family in families and len(code.code) >= _SHORTEST
    )


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
                limit = data.find(b"\n", to - 1, to + AROUND)
                limit = to + AROUND if limit < 0 else limit

        database.scan(data, match_event_handler=hit, scratch=scratch)
        return ends

    return find


def _aho_corasick(wanted: Sequence[str]) -> Finder:
    import ahocorasick_rs

    automaton = ahocorasick_rs.BytesAhoCorasick(_encoded(wanted))

    def find(data: bytes) -> Iterator[int]:
        return (end - 1 for _id, _start, end in automaton.find_matches_as_indexes(data.lower()))

    return find
