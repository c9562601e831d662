"""Whether bytes are text, and in which encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BYTES_THAT_TEXT_LACKS = bytes(set(range(32)) - {7, 8, 9, 10, 11, 12, 13, 27}) + b"\x7f"
_NO_TEXT = (b"\x7fELF", b"\x89PNG", b"SQLite format 3\0", b"%PDF-", b"\xca\xfe\xba\xbe")
"""How programs, libraries, images and databases begin, some of which hold much text."""
_LOOKED_AT = 1 << 16


def encoding_of(first: bytes) -> str | None:
    """`utf-8` for all that has single bytes for ASCII letters; None where it is no text."""
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if first.startswith(_NO_TEXT):
        return None
    head = first[:_LOOKED_AT]
    half = len(head) // 2
    if half > 8 and head[1::2].count(0) > 0.7 * half and not head[::2].count(0):
        return "utf-16-le"
    if half > 8 and head[::2].count(0) > 0.7 * half and not head[1::2].count(0):
        return "utf-16-be"
    odd = len(head) - len(head.translate(None, _BYTES_THAT_TEXT_LACKS))
    return "utf-8" if odd * 50 <= len(head) else None


def recoded(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The same in UTF-8; what is no letter becomes a question mark."""
    import codecs

    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "replace")
