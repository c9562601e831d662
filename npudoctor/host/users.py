"""The user who runs this, HwHiAiUser, and the owners of device nodes and folders."""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Users:
    """The user who runs this, HwHiAiUser, and the owners of device nodes and folders."""

    uid: Fact[int]
    """Of the user who runs this."""


def read_users(snapshot: Snapshot) -> Users:
    """Read it out of a snapshot."""
    return Users(
        uid=unavailable("not read yet"),
    )
