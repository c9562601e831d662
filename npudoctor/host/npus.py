"""The NPUs as PCI, the driver and the device nodes see them."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Npus:
    """The NPUs as PCI, the driver and the device nodes see them."""

    chip: Fact[str]
    """The kind of chip by the matrix's name: 310, 310P3, 310B4, 910A, 910B3, Ascend910_9392, 950DT."""
    family: Fact[str]
    """Of the chip: 310, 310P, 310B, 910, 910B, A3 or 950."""
    count: Fact[int]
    """How many NPUs the driver lists."""


def read_npus(snapshot: Snapshot) -> Npus:
    """Read it out of a snapshot."""
    return Npus(
        chip=unavailable("not read yet"),
        family=unavailable("not read yet"),
        count=unavailable("not read yet"),
    )
