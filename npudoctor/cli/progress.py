"""What a person sees on standard error while hosts are read: one live line, or a line for each host."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TextIO

from npudoctor.collect.fleet import Reading
from npudoctor.words import _, ngettext

_CLEAR = "\r\033[K"
_REDRAWN = 256
"""How often the line is drawn anew in a run: going over ten thousand hosts for each takes a minute."""


class Progress:
    """Tells of each host as it comes; on a terminal only failures stay, all else is one live line."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._told = 0

    def begin(self, hosts: int) -> None:
        """Reading begins; the first of them may take a while."""
        if self._live:
            self._write(_done(0, hosts))

    def tell(self, reading: Reading, readings: Sequence[Reading]) -> None:
        """One host is read, or is not."""
        line = f"{reading.target.name}: {reading.error or _seconds(reading)}"
        if not self._live:
            self._write(line + "\n")
            return
        self._told += 1
        if not reading.error and self._told % (1 + len(readings) // _REDRAWN):
            return
        kept = f"{_CLEAR}{line}\n" if reading.error else ""
        self._write(kept + _CLEAR + _summary(readings)[: shutil.get_terminal_size().columns - 1])

    def close(self) -> None:
        """Leave no live line behind."""
        if self._live:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _seconds(reading: Reading) -> str:
    return _("read in {seconds} s").format(seconds=f"{reading.seconds:.1f}")


def _done(done: int, hosts: int) -> str:
    text = ngettext("{done} of {all} host", "{done} of {all} hosts", hosts)
    return text.format(done=done, all=hosts)


def _summary(readings: Sequence[Reading]) -> str:
    done = [reading for reading in readings if reading.settled]
    line = _done(len(done), len(readings))
    if failed := sum(1 for reading in done if reading.error):
        line += ", " + _("{failed} not read").format(failed=failed)
    waiting = [reading.target.name for reading in readings if reading.begun and not reading.settled]
    return line + ("; " + _("waiting for {names}").format(names=" ".join(waiting[:20])) if waiting else "")
