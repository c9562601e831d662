"""The container engine, its Ascend runtime, and the containers that map NPUs."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Containers:
    """The container engine, its Ascend runtime, and the containers that map NPUs."""

    names: Fact[tuple[str, ...]]
    """Containers that map an NPU."""


def read_containers(snapshot: Snapshot) -> Containers:
    """Read it out of a snapshot."""
    return Containers(
        names=unavailable("not read yet"),
    )
