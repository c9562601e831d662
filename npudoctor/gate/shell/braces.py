"""Brace expansion: `{a,b}` and `{0..7}` to several words."""

from __future__ import annotations

from npudoctor.regex import regex

_NUMBERS = regex(r"(-?\d{1,4})\.\.(-?\d{1,4})(?:\.\.(-?\d{1,3}))?")
_LETTERS = regex(r"([a-zA-Z])\.\.([a-zA-Z])")
_MOST = 1024
"""Words that one may become; more are left as they stand."""


def expanded(text: str) -> list[str]:
    """All words that a word stands for, in order; itself where it holds no braces that expand."""
    if "{" not in text:
        return [text]
    words = _expand(text)
    return words if len(words) <= _MOST else [text]


def _expand(text: str) -> list[str]:
    """The outermost brace first, so that the order is the shell's."""
    found = _first(text)
    if found is None:
        return [text]
    start, end, choices = found
    behind = _expand(text[end:])
    inside = [word for choice in choices for word in _expand(choice)]
    if len(inside) * len(behind) > _MOST:
        return [text]
    return [text[:start] + one + rest for one in inside for rest in behind]


def _first(text: str) -> tuple[int, int, list[str]] | None:
    """Where the first brace that expands begins and ends, and what it offers."""
    start = text.find("{")
    while start != -1:
        end = _closing(text, start)
        choices = _choices(text[start + 1 : end]) if end else None
        if end and choices:
            return start, end + 1, choices
        start = text.find("{", start + 1)
    return None


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return None


def _choices(inside: str) -> list[str] | None:
    if match := _NUMBERS.fullmatch(inside):
        return _range(match[1], match[2], match[3])
    if match := _LETTERS.fullmatch(inside):
        first, last = ord(match[1]), ord(match[2])
        step = 1 if last >= first else -1
        return [chr(code) for code in range(first, last + step, step)]
    parts = _split(inside)
    return parts if len(parts) > 1 else None


def _range(first: str, last: str, step: str | None) -> list[str]:
    start, end = int(first), int(last)
    by = abs(int(step or 1)) or 1
    width = max(len(first), len(last)) if first.lstrip("-")[:1] == "0" and len(first) > 1 else 0
    numbers = range(start, end + 1, by) if end >= start else range(start, end - 1, -by)
    return [str(number).zfill(width) for number in numbers]


def _split(inside: str) -> list[str]:
    parts, depth = [""], 0
    for sign in inside:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts
