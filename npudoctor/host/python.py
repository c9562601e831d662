"""The Python interpreters and the packages that serving needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One Python with its packages, read from package metadata, never imported.

    Attributes:
        path: `/usr/bin/python3`.
        version: `3.11.9`.
        packages: Version by normalised name (lower case, `_` for `-` and `.`): `{"torch_npu": "2.5.1"}`.
    """

    path: str
    version: str
    packages: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Pythons:
    """The Python interpreters of a machine."""

    interpreters: Fact[tuple[Interpreter, ...]]
    """All that were found, the one that `python3` starts first."""


def read_pythons(snapshot: Snapshot) -> Pythons:
    """Read it out of a snapshot."""
    return Pythons(unavailable("not read yet"))
