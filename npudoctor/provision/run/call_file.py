"""A call as the folder of its run keeps it, and back again."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.errors import UsageError
from npudoctor.provision.call import Call, Share
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHARES = ("max_unavailable", "max_failed")
_PATHS = ("run_folder", "matrix")


def call_as_json(call: Call) -> dict[str, Any]:
    """Plain data; paths in full, so that another folder can go on with it."""
    return {each.name: _plain(each.name, getattr(call, each.name)) for each in fields(call)}


def call_of_json(plain: Mapping[str, Any]) -> Call:
    """The call; raises `UsageError` where it is of another version."""
    try:
        found = {name: _back(name, value) for name, value in plain.items()}
        return Call(**found)
    except (TypeError, KeyError):
        raise UsageError(_("the run is of another version of npudoctor"), _("plan again")) from None


def in_full(text: str) -> str:
    """An inventory or a place of packages as a call keeps it: a path that is there in full."""
    is_path = "://" not in text and Path(text).exists()
    return str(Path(text).resolve()) if is_path else text


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, Share):
        return {"count": value.count, "part": value.part}
    if isinstance(value, Path):
        return str(value.resolve())
    if name in ("hosts", "packages") and value:
        return in_full(value)
    return list(value) if isinstance(value, tuple) else value


def _back(name: str, value: Any) -> Any:
    if name in _SHARES:
        return Share(value["count"], value["part"])
    if name in _PATHS:
        return Path(value) if value else None
    return tuple(value) if isinstance(value, list) else value
