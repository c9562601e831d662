"""`/proc/mounts`: what is mounted where, as which file system, read-only or not."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser

_SHARED = ("nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "fuse.glusterfs", "gpfs", "beegfs", "9p")


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of `/proc/mounts`.

    Attributes:
        device: `/dev/sda2`, `server:/export`.
        point: `/usr/local/Ascend`.
        kind: `ext4`, `nfs4`, `overlay`.
        options: `("rw", "relatime")`.
        line: As printed.
    """

    device: str
    point: str
    kind: str
    options: tuple[str, ...]
    line: str

    @property
    def shared(self) -> bool:
        """Whether it lives on another machine."""
        return self.kind in _SHARED

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written there."""
        return "ro" in self.options


@parser("mounts", origin="/proc/mounts")
def parse_mounts(text: str) -> tuple[Mount, ...]:
    """One record a line, in order; the later one hides the earlier at the same point.

    Raises:
        ParseError: No line has its four fields.
    """
    mounts = tuple(_mount(line) for line in text.splitlines() if len(line.split()) >= 4)
    if not mounts:
        raise ParseError("no line `device point type options`")
    return mounts


def holding(mounts: tuple[Mount, ...], path: str) -> Mount | None:
    """The mount that a path lies on; None where not even `/` was read."""
    found: Mount | None = None
    for mount in mounts:
        if lies_on(path, mount.point) and (found is None or len(mount.point) >= len(found.point)):
            found = mount
    return found


def lies_on(path: str, point: str) -> bool:
    """Whether a path is a mount point or below it."""
    return path == point or path.startswith(point.rstrip("/") + "/")


def _mount(line: str) -> Mount:
    device, point, kind, options = line.split()[:4]
    return Mount(_unescape(device), _unescape(point), kind, tuple(options.split(",")), line.strip())


def _unescape(field: str) -> str:
    return re.sub(r"\\([0-3][0-7]{2})", lambda code: chr(int(code[1], 8)), field)
