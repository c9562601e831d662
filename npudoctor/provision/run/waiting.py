"""Tell now and then that something goes on for minutes."""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

EVERY = 30.0


class Waiting:
    """As long as its block runs: tells the seconds since its begin, at once and then every so often."""

    def __init__(self, tell: Callable[[int], None], every: float = EVERY) -> None:
        self._tell, self._every = tell, every
        self._ended = Event()
        self._thread = Thread(target=self._run, name="npudoctor-waiting", daemon=True)

    def __enter__(self) -> None:
        self._began = time.monotonic()
        self._thread.start()

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._tell(round(time.monotonic() - self._began))
            if self._ended.wait(self._every):
                return
