"""The loop over all hosts of a run: begins those that may be begun, and gives each a turn when it is due.

A host that waits (for its drain, its reboot, its NPUs) holds neither a thread nor a process.
"""

from __future__ import annotations

import heapq
import os
import time
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from npudoctor.provision.admission import admit
from npudoctor.provision.run.result import Word
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from npudoctor.provision.admission import Limits
    from npudoctor.provision.run.live import Live

MOST_AT_ONCE = 32
_LOOK = 0.2
PACE = "NPUDOCTOR_PROVISION_PACE"
"""In the environment: by what every waiting is multiplied. For hosts that boot in a second, as in tests."""


class Loop:
    """One run over its hosts.

    Attributes:
        brake: Why no other host was begun.
        interrupted: Whether somebody ended it.
    """

    def __init__(
        self,
        hosts: Mapping[str, Live],
        limits: Limits,
        *,
        at_once: int | None = None,
        told: Callable[[str, dict[str, Any]], None] = lambda _event, _what: None,
    ) -> None:
        """`told`: takes an event of the run as a whole, and its details."""
        self.brake = ""
        self.interrupted = False
        self._hosts, self._limits, self._told = hosts, limits, told
        self._at_once = at_once or MOST_AT_ONCE
        self._due: list[tuple[float, str]] = []
        self._back: SimpleQueue[tuple[str, float | BaseException | None]] = SimpleQueue()
        self._busy = 0
        self._finished = max((host.finished for host in hosts.values()), default=0)
        self._pace = float(os.environ.get(PACE) or 1.0)

    def run(self) -> None:
        """Until every host has come to an end, or no other may be begun."""
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="npudoctor-host") as pool:
            while self._go_on():
                self._admit()
                self._start(pool)
                self._take()
        self._leave()

    def stop(self) -> bool:
        """Begin nothing more; what a host is in the middle of lies in its record. May be called anywhere."""
        before, self.interrupted = self.interrupted, True
        return not before

    def _go_on(self) -> bool:
        if self._busy:
            return True
        if self.interrupted:
            return False
        return bool(self._due) or bool(self._may_begin())

    def _may_begin(self) -> tuple[str, ...]:
        answer = admit([host.entry for host in self._hosts.values()], self._limits)
        waiting = any(not host.begun and host.word is None for host in self._hosts.values())
        if answer.brake and not self.brake and waiting:
            self.brake = answer.brake
            self._told("brake", {"key": answer.brake})
        return answer.begin

    def _admit(self) -> None:
        if self.interrupted:
            return
        for name in self._may_begin():
            self._hosts[name].begun = True
            heapq.heappush(self._due, (time.monotonic(), name))

    def _start(self, pool: ThreadPoolExecutor) -> None:
        while self._due and self._due[0][0] <= time.monotonic() and not self.interrupted:
            _when, name = heapq.heappop(self._due)
            self._busy += 1
            pool.submit(self._turn, name)

    def _turn(self, name: str) -> None:
        try:
            self._back.put((name, self._hosts[name].step()))
        except BaseException as error:  # noqa: BLE001 (a fault of ours costs this host only, and is told)
            self._back.put((name, error))

    def _take(self) -> None:
        """What has come back until something is due."""
        wait = min(_LOOK, self._due[0][0] - time.monotonic()) if self._due else _LOOK
        try:
            name, answer = self._back.get(timeout=max(0.01, wait))
        except Empty:
            return
        self._busy -= 1
        host = self._hosts[name]
        if isinstance(answer, BaseException):
            host.stop(Word.PAUSED, "internal-error", f"{type(answer).__name__}: {answer}")
        if host.word is not None:
            self._finished += 1
            host.finished = self._finished
        elif isinstance(answer, float | int):
            heapq.heappush(self._due, (time.monotonic() + answer * self._pace, name))

    def _leave(self) -> None:
        """Hosts that have not come to an end."""
        for host in self._hosts.values():
            if host.word is not None:
                continue
            if host.begun:
                host.stop(Word.PAUSED, "interrupted", _("it goes on where it is when the run is resumed"))
            else:
                key = "interrupted" if self.interrupted else self.brake or "no-slot"
                host.stop(Word.PAUSED, key, _("it was not begun"))
