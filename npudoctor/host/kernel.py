"""The running kernel: command line, settings, headers, modules, messages."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Kernel:
    """The running kernel: command line, settings, headers, modules, messages."""

    release: Fact[str]
    """As uname -r prints it."""


def read_kernel(snapshot: Snapshot) -> Kernel:
    """Read it out of a snapshot."""
    return Kernel(
        release=unavailable("not read yet"),
    )
