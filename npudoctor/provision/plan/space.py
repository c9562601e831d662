"""Whether there is room for the packages, for their unpacking, and for what they lay down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.parse.mounts import lies_on
from npudoctor.provision.plan.ground import OURS
from npudoctor.provision.plan.serving import SERVING
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.parse.df import FileSystem
    from npudoctor.provision.plan.ground import Ground
    from npudoctor.provision.plan.steps import Work
    from npudoctor.provision.plan.wanted import Wanted

_MB = 1_000_000
_UNPACKED = 2.0
"""A makeself package is unpacked beside what it lays down; compressed archives grow to about this."""
_UNPACK_AT = "/tmp"  # noqa: S108 (where makeself unpacks to)


@dataclass(frozen=True, slots=True)
class Shortage:
    """A file system that is too small.

    Attributes:
        free: Bytes.
        parts: Bytes that are needed there, by what for.
    """

    mount: str
    free: int
    parts: dict[str, int]

    def words(self) -> dict[str, str]:
        """For the texts of the blocker."""
        parts = ", ".join(f"{what} {_size(need)}" for what, need in self.parts.items())
        needed = sum(self.parts.values())
        return {"mount": self.mount, "free": _size(self.free), "needed": _size(needed), "parts": parts}


def shortages(ground: Ground, wanted: Wanted, work: tuple[Work, ...]) -> Iterator[Shortage]:
    """Every file system that lacks room; none where the table of file systems could not be read."""
    needed: dict[str, dict[str, int]] = {}
    free: dict[str, int] = {}
    for path, what, size in _needs(ground, wanted, work):
        row = _row_of(ground, path)
        if row is not None and size:
            parts = needed.setdefault(row.mount, {})
            parts[what] = parts.get(what, 0) + size
            free[row.mount] = 1024 * row.free
    for mount, parts in needed.items():
        if sum(parts.values()) > free[mount]:
            yield Shortage(mount, free[mount], parts)


def _needs(ground: Ground, wanted: Wanted, work: tuple[Work, ...]) -> Iterator[tuple[str, str, int]]:
    """Where, what for, and how many bytes."""
    staged = ground.ours.store
    largest = 0
    for one in work:
        for package in (*one.packages, *one.previous):
            if package.sha256 not in staged:
                yield OURS, _("packages"), package.size
            largest = max(largest, package.size)
        brought = one.packages or one.component.name != SERVING  # an image that is there takes no more room
        if one.difference.action != "reboot" and brought:
            for space in one.component.space_for(wanted.stack):
                yield space.at, one.component.name, space.mb * _MB
    yield _UNPACK_AT, _("unpacking"), int(_UNPACKED * largest)


def _row_of(ground: Ground, path: str) -> FileSystem | None:
    """The file system of a path; of one that was not asked for, by its name, as if no link were in it."""
    places = ground.places.or_none() or {}
    if path in places:
        return places[path]
    above = [row for row in ground.space.or_none() or () if lies_on(path, row.mount)]
    return max(above, key=lambda row: len(row.mount), default=None)


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
