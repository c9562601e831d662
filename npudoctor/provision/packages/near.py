"""Packages as files of this machine: what is in an archive or far away goes into the store of this user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.packages.build import Item, build
from npudoctor.provision.packages.files import tell_nobody
from npudoctor.provision.packages.manifest import object_place
from npudoctor.provision.packages.place import default_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from npudoctor.provision.packages.find import Found


def near(found: Iterable[Found], stack: str, tell: Callable[[int], None] = tell_nobody) -> dict[str, Path]:
    """Where each package that was found lies as a file of its own, by its SHA-256.

    Raises:
        IncompleteError: A mirror broke off.
        WrongBytesError: It gave other bytes than it told of.
        NpudoctorError: There is too little room in the store of this user.
    """
    whole = [one for one in found if one.sha256 and one.held is not None]
    away = [one for one in whole if one.zipped or one.held is None or one.held.path is None]
    if away:
        build([Item(one, stack) for one in away], default_store(), tell)
    here = {one.sha256: one.held.path for one in whole if one not in away and one.held is not None}
    kept = {one.sha256: default_store() / object_place(one.sha256) for one in away}
    return {**kept, **{sha256: path for sha256, path in here.items() if path is not None}}


def kept_here(sha256: str) -> Path | None:
    """The package of that digest in the store of this user; None where it is not in it."""
    path = default_store() / object_place(sha256)
    return path if path.is_file() else None
