"""The CANN installations, their operator packages and NNAL."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Installation:
    """One CANN on this machine.

    Attributes:
        root: The folder, `/usr/local/Ascend/cann-8.5.0` or `/usr/local/Ascend/ascend-toolkit/8.1.RC1`.
        version: `8.1.RC1`, as its install file says.
        arch: `aarch64` or `x86_64`, as its install file says; None where it does not.
        operators: Chips that operator packages (kernels, ops) are installed for: `910b`, `310p`, …
    """

    root: str
    version: str
    arch: str | None
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cann:
    """The CANN installations, their operator packages and NNAL."""

    installations: Fact[tuple[Installation, ...]]
    """All that were found, in any layout."""
    active: Fact[Installation]
    """The one that this environment uses (ASCEND_HOME_PATH), else the one that `latest` points to."""


def read_cann(snapshot: Snapshot) -> Cann:
    """Read it out of a snapshot."""
    return Cann(unavailable("not read yet"), unavailable("not read yet"))
