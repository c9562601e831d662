"""Readers: who reads which file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
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


def need_packages() -> None:
    """Raises `UsageError` where a package of the extra `gate` is not installed."""
    wanted = _PACKAGES | ({"tomli": "tomli"} if sys.version_info < (3, 11) else {})
    missing = [package for module, package in wanted.items() if find_spec(module) is None]
    if missing:
        named = ", ".join(missing)
        raise UsageError(_("the gate needs {name}").format(name=named), "pip install 'npudoctor[gate]'")


_PACKAGES = {
    "dockerfile_parse": "dockerfile-parse",
    "dotenv": "python-dotenv",
    "tree_sitter": "tree-sitter",
    "tree_sitter_bash": "tree-sitter-bash",
}
"""The packages of the extra, by the module that they bring."""
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
