"""The NPU driver and firmware: on disk, running, and how they were installed."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Driver:
    """The NPU driver and firmware: on disk, running, and how they were installed."""

    version: Fact[str]
    """The driver that runs, as npu-smi prints it, else the one on disk."""
    firmware: Fact[str]
    """The firmware in flash, else the one on disk."""


def read_driver(snapshot: Snapshot) -> Driver:
    """Read it out of a snapshot."""
    return Driver(
        version=unavailable("not read yet"),
        firmware=unavailable("not read yet"),
    )
