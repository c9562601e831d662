"""Resource limits of the shell and of services."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of the shell and of services."""

    stack_kb: Fact[int]
    """Soft stack limit of the shell in KiB; -1 is unlimited."""


def read_limits(snapshot: Snapshot) -> Limits:
    """Read it out of a snapshot."""
    return Limits(
        stack_kb=unavailable("not read yet"),
    )
