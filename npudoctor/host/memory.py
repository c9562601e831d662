"""Main memory, huge pages, shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Memory:
    """Main memory, huge pages, shared memory."""

    total_kb: Fact[int]
    """MemTotal in KiB."""


def read_memory(snapshot: Snapshot) -> Memory:
    """Read it out of a snapshot."""
    return Memory(
        total_kb=unavailable("not read yet"),
    )
