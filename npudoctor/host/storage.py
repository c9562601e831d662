"""File systems and the space and inodes left on them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, ParseError, first_known
from npudoctor.parse.df import FileSystem, parse_df, parse_df_inodes
from npudoctor.parse.mounts import Mount, holding, lies_on, parse_mounts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.collect.snapshot import Snapshot

_LOGS = "du -sk ascend/log"
T = TypeVar("T", FileSystem, Mount)


@dataclass(frozen=True, slots=True)
class Storage:
    """File systems and the space and inodes left on them."""

    free_kb: Fact[Mapping[str, int]]
    """Free KiB by mount point."""
    space: Fact[tuple[FileSystem, ...]]
    """Rows of `df -Pk`."""
    inodes: Fact[tuple[FileSystem, ...]]
    """Rows of `df -Pi`."""
    mounts: Fact[tuple[Mount, ...]]
    """What is mounted where."""
    mounts_of_init: Fact[tuple[Mount, ...]]
    """The same as process 1 sees it: a pod, or a service of systemd, may see `/` read-only by itself."""
    log_folders_kb: Fact[Mapping[str, int]]
    """KiB in each folder of Ascend logs that is there."""

    def space_at(self, path: str) -> Fact[FileSystem]:
        """The file system that a path lies on, with its row of `df -Pk`."""
        return _row_at(self.space, path)

    def inodes_at(self, path: str) -> Fact[FileSystem]:
        """The same with its row of `df -Pi`."""
        return _row_at(self.inodes, path)

    def mount_at(self, path: str) -> Fact[Mount]:
        """What a path is mounted from, with its line of /proc/mounts."""
        return _mount_at(self.mounts, path)

    def mount_of_init_at(self, path: str) -> Fact[Mount]:
        """The same for process 1, where that is known; else as whoever read it sees it."""
        return first_known(_mount_at(self.mounts_of_init, path), self.mount_at(path))


def read_storage(snapshot: Snapshot) -> Storage:
    """Read it out of a snapshot."""
    space = _whole(snapshot, "df -Pk").map(parse_df)
    return Storage(
        free_kb=space.map(lambda rows: {row.mount: row.free for row in rows}),
        space=space,
        inodes=_whole(snapshot, "df -Pi").map(parse_df_inodes),
        mounts=snapshot.file("/proc/mounts").map(parse_mounts),
        mounts_of_init=snapshot.file("/proc/1/mounts").map(parse_mounts),
        log_folders_kb=_whole(snapshot, _LOGS).map(_folders),
    )


def _whole(snapshot: Snapshot, line: str) -> Fact[str]:
    """What a command printed whatever its exit code: `df` and `du` exit with 1 for one dead mount."""
    return snapshot.output(line).map(lambda entry: entry.text)


def _mount_at(mounts: Fact[tuple[Mount, ...]], path: str) -> Fact[Mount]:
    return _proven(mounts.map(lambda all_mounts: _there(holding(all_mounts, path), path)))


def _folders(text: str) -> Mapping[str, int]:
    return {path: int(size) for size, path in re.findall(r"^(\d{1,18})\s+(/.*?)[ \t]*$", text, re.M)}


def _row_at(rows: Fact[tuple[FileSystem, ...]], path: str) -> Fact[FileSystem]:
    return _proven(rows.map(lambda all_rows: _there(_nearest(all_rows, path), path)))


def _nearest(rows: tuple[FileSystem, ...], path: str) -> FileSystem | None:
    above = [row for row in rows if lies_on(path, row.mount)]
    return max(above, key=lambda row: len(row.mount), default=None)


def _there(found: T | None, path: str) -> T:
    if found is None:
        raise ParseError(f"no file system that holds {path}")
    return found


def _proven(fact: Fact[T]) -> Fact[T]:
    """The same fact with its own line as evidence, not the beginning of the table."""
    row = fact.or_none()
    return fact if row is None else Fact(row, tuple(Evidence(it.source, row.line) for it in fact.evidence))
