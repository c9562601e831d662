"""What a person sees on standard error while many bytes are copied, hashed or fetched: one live line."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

from npudoctor.words import _

_REDRAWN_AFTER = 0.2


class Counting:
    """A count of bytes; nothing where standard error is no terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._done, self._drawn, self._began = 0, 0.0, time.monotonic()

    def __enter__(self) -> Counting:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live and self._drawn:
            self._write("\r\033[K")

    def tell(self, size: int) -> None:
        """So many bytes more."""
        self._done += size
        now = time.monotonic()
        if not self._live or now - self._drawn < _REDRAWN_AFTER:
            return
        self._drawn = now
        rate = self._done / max(now - self._began, 0.1)
        told = _("{done} MB, {rate} MB/s").format(done=self._done // 10**6, rate=f"{rate / 10**6:.0f}")
        self._write(f"\r\033[K{told}")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
