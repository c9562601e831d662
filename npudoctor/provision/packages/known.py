"""Digests of packages that public lists give, and where each package is published."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from npudoctor.data import load
from npudoctor.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Published:
    """One published file.

    Attributes:
        url: Where it can be had; empty where the list names no place.
        source: Who gives the digest.
    """

    name: str
    sha256: str
    url: str
    source: str


@cache
def published() -> tuple[Published, ...]:
    """All of them."""
    from urllib.parse import quote

    content = load(Path(__file__).with_suffix(".yaml")).content
    places = {"": ""} | content["places"]
    return tuple(
        Published(
            name=row["name"],
            sha256=row["sha256"],
            url=places[row["place"]] + quote(row["name"]) if "place" in row else "",
            source=content["sources"][row["source"]]["at"],
        )
        for row in content["files"]
    )


def published_as(pattern: str) -> list[Published]:
    """The published files of a name, or of a glob, whatever the case of its letters."""
    return [one for one in published() if fnmatchcase(one.name.lower(), pattern.lower())]
