"""Bytes of any tool in any locale to clean text: UTF-8 or GBK, no colour codes, no NUL, LF only."""

from __future__ import annotations

from npudoctor.regex import regex

NO_TEXT = "\ufffd"
"""What stands for bytes that are no text in any encoding."""
_ANSI = regex(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]")
_NO_TEXT = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def decode(data: bytes) -> str:
    """Decode `data` and drop what is no text. Never fails: undecodable bytes become U+FFFD."""
    return clean(_to_text(data))


def clean(text: str) -> str:
    """Drop a byte order mark, colour codes and control characters; make every line end LF."""
    text = text.removeprefix("\ufeff")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _NO_TEXT.sub("", text)


def _to_text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("gb18030")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def line_with(text: str, word: str) -> str:
    """The first line of `text` that holds `word`, without blanks around it; empty where none does."""
    return next((line.strip() for line in text.splitlines() if word in line), "")
