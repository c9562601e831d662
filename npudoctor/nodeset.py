"""Many host names in few words, as clush and Slurm write them: `node[1-3,7]`, `r2n[01-16].lan`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST = 24
"""Names and ranges of names in one line."""
_NUMBER = regex(r"(.*?)(\d{1,18})(\D*)")
_PIECE = regex(r"(?:[^,\[]|\[[^\]]*\])+")
_SPAN = r"\d{1,18}(?:-\d{1,18})?"
_RANGES = regex(rf"([^*?\[]*)\[({_SPAN}(?:,{_SPAN})*)\]([^*?\[]*)")
_ADDRESS = regex(r"[\d.]+")


@dataclass(frozen=True, slots=True)
class _Series:
    """Names that differ in one number only."""

    head: str
    tail: str
    digits: int
    """How many digits each number has where one begins with 0; else 0."""


def fold(names: Iterable[str], most: int = MOST) -> str:
    """Each name once, those that differ in their last number as ranges; past `most` ranges a count."""
    plain = list(dict.fromkeys(names))
    pieces: list[str] = []
    room = most
    for series, numbers in _series(plain).items():
        ranges = list(_ranges(numbers))
        room -= len(ranges)
        shown = ranges if room >= 0 else ranges[: len(ranges) + room]
        if shown:
            pieces.append(_written(series, shown))
        if room < 0:
            break
    left = len(plain) - _told(plain, most)
    return ", ".join(pieces) + (_(" and {n} more").format(n=left) if left else "")


def among(name: str, written: str) -> bool:
    """Whether a name is one of those that are written so, with ranges as `fold` has them, or as globs."""
    return any(_fits(name, piece.strip()) for piece in _PIECE.findall(written))


def _fits(name: str, piece: str) -> bool:
    match = _RANGES.fullmatch(piece)
    if match is None:
        return fnmatchcase(name, piece)
    head, spans, tail = match[1], match[2].split(","), match[3]
    number = name.removeprefix(head).removesuffix(tail)
    return name == head + number + tail and any(_holds(span, number) for span in spans)


def _holds(span: str, number: str) -> bool:
    """Whether a range has a number, in as many digits where it is written with zeros before it."""
    first, _dash, last = span.partition("-")
    if not (number.isdecimal() and int(first) <= int(number) <= int(last or first)):
        return False
    return len(number) == len(first) if "0" in (first[0], number[0]) else True


def _told(names: list[str], most: int) -> int:
    """How many names the first `most` ranges hold."""
    ranges = [span for numbers in _series(names).values() for span in _ranges(numbers)]
    return sum(last - first + 1 for first, last in ranges[:most])


def _series(names: list[str]) -> dict[_Series, list[int]]:
    """The numbers of each series; of a name without a number, one number that is not written."""
    parted = [_parts(name) for name in names]
    padded = {(head, tail) for head, digits, tail in parted if digits.startswith("0") and len(digits) > 1}
    found: dict[_Series, list[int]] = {}
    for head, digits, tail in parted:
        length = len(digits) if (head, tail) in padded else 0
        found.setdefault(_Series(head, tail, length if digits else -1), []).append(int(digits or 0))
    return found


def _parts(name: str) -> tuple[str, str, str]:
    """What stands before the number that is counted, the number, and the rest; addresses count the last."""
    label, dot, domain = (name, "", "") if _ADDRESS.fullmatch(name) or "/" in name else name.partition(".")
    match = _NUMBER.fullmatch(label)
    return (match[1], match[2], match[3] + dot + domain) if match else (name, "", "")


def _ranges(numbers: list[int]) -> Iterator[tuple[int, int]]:
    first = last = None
    for number in sorted(numbers):
        if last is not None and number == last + 1:
            last = number
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = number
    if first is not None and last is not None:
        yield first, last


def _written(series: _Series, ranges: list[tuple[int, int]]) -> str:
    if series.digits < 0:
        return series.head
    words = [_range(first, last, series.digits) for first, last in ranges]
    inside = words[0] if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else f"[{','.join(words)}]"
    return series.head + inside + series.tail


def _range(first: int, last: int, digits: int) -> str:
    one = str(first).zfill(digits)
    return one if first == last else f"{one}-{str(last).zfill(digits)}"
