"""From the paths of bundles to what was collected of each host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

from npudoctor.cli.interrupt import interruptible
from npudoctor.cli.sources import Source, Sources
from npudoctor.collect.bundle import read_bundle
from npudoctor.errors import IncompleteError
from npudoctor.words import _


@contextmanager
def reading_bundles(paths: Sequence[Path]) -> Iterator[Sources]:
    """The bundles, in order. Of several, Ctrl-C leaves those that come after it unread.

    Raises:
        KeyboardInterrupt: At the end of the block, where Ctrl-C left any.
    """
    bundles = _Bundles(paths)
    sources = Sources(len(paths), bundles.sources(), interrupted=lambda: bundles.interrupted)
    if len(paths) == 1:
        yield sources
        return
    with interruptible(bundles.stop):
        yield sources
    if bundles.interrupted:
        raise KeyboardInterrupt


class _Bundles:
    def __init__(self, paths: Sequence[Path]) -> None:
        self.interrupted = False
        self._paths = paths
        self._left = len(paths)

    def sources(self) -> Iterator[Source]:
        for place, path in enumerate(self._paths):
            self._left -= 1
            read = _left_unread if self.interrupted else partial(read_bundle, path)
            yield Source(str(path), "bundle", read, place=place)

    def stop(self) -> bool:
        """Leave the rest; whether there was any."""
        self.interrupted = self._left > 0
        return self.interrupted


def _left_unread() -> NoReturn:
    raise IncompleteError(_("interrupted before it was read"))
