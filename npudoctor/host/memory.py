"""Main memory, huge pages, shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, ParseError, first_known
from npudoctor.parse.df import FileSystem, parse_df
from npudoctor.parse.meminfo import parse_meminfo
from npudoctor.parse.sysctl import parse_sysctl
from npudoctor.parse.ulimit import UNLIMITED
from npudoctor.text import line_with
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.collect.snapshot import Snapshot

_MEMINFO = "/proc/meminfo"
_NO_LIMIT = 2**60
"""Control groups of version 1 write a huge number where there is no limit."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Main memory, huge pages, shared memory."""

    total_kb: Fact[int]
    """MemTotal in KiB."""
    available_kb: Fact[int]
    """MemAvailable in KiB: what a new process can have without swapping."""
    swap_total_kb: Fact[int]
    """SwapTotal in KiB; 0 where there is no swap."""
    swap_free_kb: Fact[int]
    """SwapFree in KiB."""
    huge_pages: Fact[int]
    """Huge pages that are set aside (HugePages_Total)."""
    huge_pages_free: Fact[int]
    """Of these, not in use."""
    huge_page_kb: Fact[int]
    """Size of one in KiB."""
    group_limit_kb: Fact[int]
    """Limit of the control group in KiB; -1 where there is none."""
    shm: Fact[FileSystem]
    """The file system at /dev/shm."""


def read_memory(snapshot: Snapshot) -> Memory:
    """Read it out of a snapshot."""
    text = snapshot.file(_MEMINFO)

    def entry(name: str) -> Fact[int]:
        """One line of /proc/meminfo, with that line as its evidence."""
        return text.map(
            lambda it: _value(parse_meminfo(it), name), text=line_with(text.or_none() or "", name + ":")
        )

    return Memory(
        total_kb=entry("MemTotal"),
        available_kb=entry("MemAvailable"),
        swap_total_kb=entry("SwapTotal"),
        swap_free_kb=entry("SwapFree"),
        huge_pages=entry("HugePages_Total"),
        huge_pages_free=entry("HugePages_Free"),
        huge_page_kb=entry("Hugepagesize"),
        group_limit_kb=_group_limit(snapshot),
        shm=_shm(snapshot),
    )


def _value(values: Mapping[str, int], name: str) -> int:
    if name not in values:
        raise ParseError(f"no {name} line")
    return values[name]


def _group_limit(snapshot: Snapshot) -> Fact[int]:
    return first_known(
        snapshot.file("/sys/fs/cgroup/memory.max").map(_limit_kb),
        snapshot.file("/sys/fs/cgroup/memory/memory.limit_in_bytes").map(_limit_kb),
    )


def _limit_kb(text: str) -> int:
    if text.strip() == "max":
        return UNLIMITED
    limit = parse_sysctl(text)
    return UNLIMITED if limit >= _NO_LIMIT else limit // 1024


def _shm(snapshot: Snapshot) -> Fact[FileSystem]:
    rows = snapshot.output("df -Pk").map(lambda entry: entry.text)
    return rows.map(_shm_row, text=line_with(rows.or_none() or "", " /dev/shm"))


def _shm_row(text: str) -> FileSystem:
    row = next((row for row in parse_df(text) if row.mount == "/dev/shm"), None)  # noqa: S108 (read, not used)
    if row is None:
        raise ParseError(N_("no row for /dev/shm"))
    return row
