"""What a plan asks of the place where packages are: is this one there, and is it whole."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Protocol

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from npudoctor.matrix.stacks import NamedStack
    from npudoctor.provision.components import Component


class Condition(str, Enum):
    """How a package is found."""

    HERE = "here"
    MISSING = "missing"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Package:
    """One file that a component needs.

    Attributes:
        name: Its name; a glob where none is there.
        sha256: 64 hex digits; empty where it is missing.
        size: In bytes.
        optional: Whether it can come from elsewhere too.
        why: What is wrong with it where it is damaged, or what there is instead where it is missing.
    """

    name: str
    sha256: str
    size: int
    condition: Condition
    optional: bool = False
    why: str = ""


class Shelf(Protocol):
    """A folder, a store or a mirror."""

    @property
    def files(self) -> dict[str, tuple[str, int]]:
        """Name and size of each package that was found, by its SHA-256."""

    def packages(self, component: Component, stack: NamedStack, arch: str) -> tuple[Package, ...]:
        """The files that a component of a stack needs on hosts of an architecture."""
