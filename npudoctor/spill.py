"""Things of many hosts in the order of the hosts: the first few in memory, the rest in a file on a disk."""

from __future__ import annotations

import os
from array import array
from collections.abc import Collection
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

from npudoctor.errors import NpudoctorError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")
KEPT = 64
"""How many things stay in memory: a few hosts shall cost no file."""


class Spill(Collection[T], Generic[T]):
    """Things by their places, by `for` in the order of the places, as often as is wanted.

    The file has no name, so that it is gone when this process ends, whatever ends it; `TMPDIR` says where.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._things: dict[int, T] = {}
        self._index = array("Q")
        self._end = 0
        self._file: IO[bytes] | None = None

    def put(self, place: int, thing: T) -> None:
        """Keep one thing, in any order; each place once.

        Raises:
            NpudoctorError: The disk is full, or there is no folder for temporary files.
        """
        if len(self._things) < self._kept:
            self._things[place] = thing
            return
        data = _packed(thing)
        try:
            self._file = self._file or _open()
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            raise _no_room(error) from None
        self._index.extend((place, self._end, len(data)))  # 24 bytes a thing; a dict takes ten times as much
        self._end += len(data)

    def __len__(self) -> int:
        return len(self._things) + len(self._index) // 3

    def __iter__(self) -> Iterator[T]:
        index = self._index
        places = [
            *((place, -1) for place in self._things),
            *((index[at], at) for at in range(0, len(index), 3)),
        ]
        for place, at in sorted(places):
            yield self._things[place] if at < 0 else self._read(index[at + 1], index[at + 2])

    def __contains__(self, thing: object) -> bool:
        return any(thing == each for each in self)

    def _read(self, start: int, length: int) -> T:
        assert self._file is not None
        try:
            return _unpacked(os.pread(self._file.fileno(), length, start))  # type: ignore[no-any-return]
        except OSError as error:
            raise _no_room(error) from None


def _open() -> IO[bytes]:
    import tempfile

    return tempfile.TemporaryFile(prefix="npudoctor-", dir=_folder())


def _folder() -> str | None:
    """Where TMPDIR says; else not /tmp, which often lies in memory."""
    large = "/var/tmp"  # noqa: S108 (the file has no name there)
    return None if os.environ.get("TMPDIR") or not os.access(large, os.W_OK) else large


def _no_room(error: OSError) -> NpudoctorError:
    place = os.environ.get("TMPDIR") or _folder() or "/tmp"  # noqa: S108
    what = _("what was found on the hosts does not fit into {folder}").format(folder=place)
    return NpudoctorError(f"{what}: {error.strerror}", _("set TMPDIR to a folder with room"))


def _packed(thing: Any) -> bytes:
    import pickle
    import zlib

    return zlib.compress(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL), 1)


def _unpacked(data: bytes) -> Any:
    import pickle
    import zlib

    return pickle.loads(zlib.decompress(data))  # noqa: S301 (we wrote it, and nobody else can open it)
