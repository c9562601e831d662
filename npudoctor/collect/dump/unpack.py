"""The content of gzip, bzip2 and xz as a stream, as far as it goes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_AT_ONCE = 1 << 20
"""Bytes that are unpacked in one step, however small they are packed."""


class CutError(Exception):
    """The stream ends before its end."""


class DamagedError(Exception):
    """The stream is not what its first bytes say."""


class Readable(Protocol):
    """Anything with a `read`."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, fewer only at the end."""


def unpacked(kind: str, stream: Readable, spend: Callable[[int], None]) -> Iterator[bytes]:
    """What a stream of this kind holds; several that follow each other are one.

    Args:
        kind: `gzip`, `bzip2` or `xz`.
        stream: Packed.
        spend: Told of each number of bytes before they are handed out; may raise.

    Raises:
        CutError, DamagedError: After all that could be had.
    """
    unpacker = _Unpacker(kind)
    waiting = b""
    while True:
        packed = waiting or stream.read(1 << 16)
        if unpacker.eof:
            if not packed.strip(b"\0"):
                return
            unpacker = _Unpacker(kind)
        if not packed:
            yield from unpacker.flushed()
            raise CutError
        try:
            data = unpacker.decompress(packed)
        except (zlib.error, OSError, EOFError, ValueError, _lzma_error()) as error:
            raise DamagedError(str(error)) from None
        waiting = unpacker.rest()
        spend(len(data))
        if data:
            yield data


class _Unpacker:
    """One face for zlib, bz2 and lzma."""

    def __init__(self, kind: str) -> None:
        self._zlib = kind == "gzip"
        self._inner = _inner(kind)

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    def decompress(self, packed: bytes) -> bytes:
        data: bytes = self._inner.decompress(packed, MOST_AT_ONCE)
        return data

    def flushed(self) -> Iterator[bytes]:
        """What zlib still holds of a stream that was cut off."""
        if self._zlib and (data := self._inner.flush()):
            yield data

    def rest(self) -> bytes:
        """What was given and not used; bz2 and lzma keep it themselves until their end."""
        if self._zlib:
            return bytes(self._inner.unconsumed_tail or self._inner.unused_data)
        return bytes(self._inner.unused_data) if self._inner.eof else b""


def _lzma_error() -> type[Exception]:
    import lzma

    return lzma.LZMAError


def _inner(kind: str) -> Any:
    if kind == "gzip":
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor()
    import lzma

    return lzma.LZMADecompressor(memlimit=256 << 20)
