"""Ctrl-C in the middle of many hosts: a report of what is there, and then the end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible(stop: Callable[[], bool]) -> Iterator[None]:
    """Let the first Ctrl-C call `stop`, which says whether there was anything to end; the second ends all."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        if not stop():
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
