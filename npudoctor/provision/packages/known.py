"""Digests of packages that public lists give, and where each package is published; and those of this site."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.provision.packages.sums import read_sums
from npudoctor.words import _

SITE_LIST = "NPUDOCTOR_DIGESTS"
"""The variable that names a list of this site, as `sha256sum` writes it: of packages that it built itself."""


@dataclass(frozen=True, slots=True)
class Published:
    """One published file.

    Attributes:
        url: Where it can be had; empty where the list names no place.
        source: Who gives the digest.
        of_site: Whether that is this site.
    """

    name: str
    sha256: str
    url: str
    source: str
    of_site: bool = False


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
    """The published files of a name, or of a glob, whatever the case of its letters.

    Files that the list of this site names are known from it alone.

    Raises:
        UsageError: The list of this site cannot be read.
    """
    of_site = _fitting(_site(os.environ.get(SITE_LIST, "")), pattern)
    own = {one.name for one in of_site}
    return of_site + [one for one in _fitting(published(), pattern) if one.name not in own]


def _fitting(rows: tuple[Published, ...], pattern: str) -> list[Published]:
    return [one for one in rows if fnmatchcase(one.name.lower(), pattern.lower())]


@cache
def _site(file: str) -> tuple[Published, ...]:
    if not file:
        return ()
    try:
        lines = read_sums(Path(file))
    except OSError as error:
        what = f"{SITE_LIST}={file}: {error.strerror}"
        raise UsageError(what, _("name a list that sha256sum wrote")) from None
    return tuple(Published(name, sha256, "", file, of_site=True) for name, sha256 in lines)
