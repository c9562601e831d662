"""Readers: who reads which file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Unit

Read = Callable[["File", "Repository"], Iterable["Unit"]]
Matches = Callable[["File"], bool]


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of deployment file.

    Attributes:
        name: `Dockerfile`, `Compose`, …
        matches: Whether it reads a file, by name and, where the name does not tell, by its text.
        read: The units of the file.
    """

    name: str
    matches: Matches
    read: Read


def needs(package: str) -> UsageError:
    """The error for a package of the extra `gate` that is not installed."""
    return UsageError(_("the gate needs {name}").format(name=package), "pip install 'npudoctor[gate]'")


_readers: dict[str, Reader] = {}


def reader(name: str, matches: Matches) -> Callable[[Read], Read]:
    """Register a function as the reader of the files that `matches` says."""

    def register(function: Read) -> Read:
        _readers[name] = Reader(name, matches, function)
        return function

    return register


def all_readers() -> tuple[Reader, ...]:
    """Every reader of the folder `readers`, by name of its module."""
    folder = Path(__file__).parent / "readers"
    for module in sorted(folder.glob("[a-z]*.py")):
        import_module(f"{__package__}.readers.{module.stem}")
    return tuple(_readers.values())
