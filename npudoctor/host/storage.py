"""File systems and the space and inodes left on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Storage:
    """File systems and the space and inodes left on them."""

    free_kb: Fact[Mapping[str, int]]
    """Free KiB by mount point."""


def read_storage(snapshot: Snapshot) -> Storage:
    """Read it out of a snapshot."""
    return Storage(
        free_kb=unavailable("not read yet"),
    )
