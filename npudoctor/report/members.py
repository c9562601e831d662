"""A JSON report member by member, so that of ten thousand hosts one at a time is in memory."""

from __future__ import annotations

from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Any

from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANKS = regex(r"[ \t\r\n]*")
_decode = JSONDecoder().raw_decode


def members(text: str, apart: str) -> Iterator[tuple[str, Any]]:
    """The members of the JSON object in `text`; the items of the list `apart` come one by one under its name.

    Raises:
        JSONDecodeError: It is no JSON, or no object.
    """
    place, more = _opened(text, _past(text, 0, "{"), "}")
    while more:
        key, place = _value(text, place)
        if not isinstance(key, str):
            raise JSONDecodeError("a name is missing", text, place)
        place = _past(text, place, ":")
        if key == apart and text[place : place + 1] == "[":
            place, inner = _opened(text, place + 1, "]")
            while inner:
                item, place = _value(text, place)
                yield key, item
                place, inner = _next(text, place, "]")
        else:
            value, place = _value(text, place)
            yield key, value
        place, more = _next(text, place, "}")
    if _skip(text, place) != len(text):
        raise JSONDecodeError("there is more after the end", text, place)


def _value(text: str, place: int) -> tuple[Any, int]:
    value, end = _decode(text, _skip(text, place))
    return value, end


def _opened(text: str, place: int, close: str) -> tuple[int, bool]:
    """Where the first item begins, and whether there is one."""
    place = _skip(text, place)
    return (place + 1, False) if text[place : place + 1] == close else (place, True)


def _next(text: str, place: int, close: str) -> tuple[int, bool]:
    """Where the next item begins after a comma, and whether there is one."""
    place = _skip(text, place)
    if text[place : place + 1] == close:
        return place + 1, False
    return _past(text, place, ","), True


def _past(text: str, place: int, sign: str) -> int:
    """Behind the sign that must stand here, and the blanks after it."""
    place = _skip(text, place)
    if text[place : place + 1] != sign:
        raise JSONDecodeError(f"no {sign} here", text, place)
    return _skip(text, place + 1)


def _skip(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place
