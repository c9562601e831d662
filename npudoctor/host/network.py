"""The NPUs' own network (HCCN) and the host's ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Network:
    """The NPUs' own network (HCCN) and the host's ports."""

    addresses: Fact[Mapping[int, str]]
    """Address by NPU device number."""


def read_network(snapshot: Snapshot) -> Network:
    """Read it out of a snapshot."""
    return Network(
        addresses=unavailable("not read yet"),
    )
