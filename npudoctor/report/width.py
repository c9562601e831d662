"""Text on a terminal: how wide it is, and where it may be broken. Chinese characters take two columns."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from npudoctor.regex import regex

# What a line may not break inside: a run of narrow characters without a blank, or one wide character; each
# with the marks that open and close it.
_OPENING = r"[\u300a\u300c\u300e\u3010\uff08]*"
_CLOSING = r"[,.:;!?)\u3001\u3002\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f]*"
_PIECE = regex(rf"[ \t]+|{_OPENING}(?:[^\s\u1100-\U0003ffff]+|\S){_CLOSING}")


def columns(text: str) -> int:
    """How many columns of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def wrap(text: str, width: int, first: str = "", then: str = "") -> list[str]:
    """Break `text` into lines of at most `width` columns, with a lead on the first and on all others.

    A word that is wider than a line stays whole: a path or a command is for copying.
    """
    lines, empty = [first], True
    for piece in _PIECE.findall(text):
        if not empty and columns(lines[-1]) + columns(piece.rstrip()) > width:
            lines.append(then)
            empty = True
        if not (empty and piece.isspace()):
            lines[-1] += piece
            empty = False
    return [line.rstrip() for line in lines]


def clip(text: str, width: int) -> str:
    """Cut `text` to `width` columns, with `…` for what is left out."""
    if columns(text) <= width:
        return text
    kept, used = "", 1
    for character in text:
        used += _columns(character)
        if used > width:
            break
        kept += character
    return kept + "…"


def _columns(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
