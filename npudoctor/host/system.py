"""Operating system, architecture, C library, virtual machine or container."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class System:
    """Operating system, architecture, C library, virtual machine or container."""

    os: Fact[str]
    """As the matrix names it: Ubuntu 22.04, openEuler 22.03 SP4, Kylin V10 SP3."""
    arch: Fact[str]
    """aarch64 or x86_64."""
    glibc: Fact[str]
    """Version of the C library."""
    in_container: Fact[bool]
    """Whether this is inside a container."""
    in_vm: Fact[bool]
    """Whether this is a virtual machine."""


def read_system(snapshot: Snapshot) -> System:
    """Read it out of a snapshot."""
    return System(
        os=unavailable("not read yet"),
        arch=unavailable("not read yet"),
        glibc=unavailable("not read yet"),
        in_container=unavailable("not read yet"),
        in_vm=unavailable("not read yet"),
    )
