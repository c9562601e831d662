"""What an image reference says about what is inside, by the grammars of `grammars.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.parse.image import parse_image
from npudoctor.regex import regex

FILE = Path(__file__).parent / "grammars.yaml"
_PART = regex(r"<([a-z_]+)(\d?)>")
_EDITION = regex(r"-lts(-sp\d+)?")
_NOT_VERSIONS = ("chip", "os", "arch")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Image:
    """An image reference and what it says. What it does not say is None, or not among the versions.

    Attributes:
        reference: As it was written.
        repository: With the registry: `quay.io/ascend/cann`.
        tag: None where only a digest or nothing is given.
        grammar: The id of the grammar that the tag follows.
        versions: By component: `cann`, `cann_line` (`8.5`), `vllm_ascend`, `mindie`, `torch_npu`, `torch`,
            `python`, `solution` (the number of an Ascend solution), as the tag writes them, in lower case.
        chip: The word of the tag: `910b`, `a3`, `800i-a2`.
        family: The family that it means: `910B`, `A3`.
        os: `Ubuntu 22.04`.
        glibc: The C library of that system.
        arch: The word of the tag: `aarch64`.
    """

    reference: str
    repository: str
    tag: str | None
    grammar: str | None
    versions: Mapping[str, str]
    chip: str | None = None
    family: str | None = None
    os: str | None = None
    glibc: str | None = None
    arch: str | None = None


def read_image(reference: str) -> Image:
    """What an image reference says; nothing of tags that no grammar knows (`latest`, `main`)."""
    name = parse_image(reference)
    for row in _grammars():
        if name.tag and _is_of(row, name.repository) and (says := said(row, name.tag)):
            return _image(reference, name.repository, name.tag, row, says)
    return Image(reference, name.repository, name.tag, None, {})


def said(row: Row, tag: str) -> dict[str, str] | None:
    """What a tag says by one grammar; None where it does not follow it."""
    match = _pattern(row["tag"]).fullmatch(tag.lower())
    if match is None:
        return None
    found = {_named(row, name): text for name, text in match.groupdict().items() if text}
    if "os" in found:
        found["os"] = _EDITION.sub("", found["os"])
    if "python" in found and "." not in found["python"]:
        found["python"] = f"{found['python'][0]}.{found['python'][1:]}"
    return {**row.get("where_silent", {}), **found}


def glibc_of_system(label: str) -> str | None:
    """The C library of a distribution (`openEuler 22.03 SP4`); None where it is not known here."""
    found = (row for row in _systems().values() if f"{label} ".startswith(f"{row['os']} "))
    return next((str(row["glibc"]) for row in found), None)


def grammars() -> Iterator[Row]:
    """The rows of `grammars.yaml`."""
    yield from _grammars()


def _image(reference: str, repository: str, tag: str, row: Row, says: Mapping[str, str]) -> Image:
    system = _systems().get(says.get("os", ""), {})
    chip = says.get("chip")
    return Image(
        reference=reference,
        repository=repository,
        tag=tag,
        grammar=row["id"],
        versions={name: text for name, text in says.items() if name not in _NOT_VERSIONS},
        chip=chip,
        family=_content()["chips"].get(chip),
        os=system.get("os"),
        glibc=system.get("glibc"),
        arch=says.get("arch"),
    )


def _is_of(row: Row, repository: str) -> bool:
    endings = row["repositories"]
    return not endings or any(f"/{repository}".endswith(f"/{ending}") for ending in endings)


def _named(row: Row, group: str) -> str:
    name: str = group.rstrip("0123456789")
    return str(row.get("means", {}).get(name, name))


@lru_cache(maxsize=1)
def _content() -> Any:
    return load(FILE).content


def _grammars() -> list[Row]:
    rows: list[Row] = _content()["grammars"]
    return rows


@lru_cache(maxsize=1)
def _systems() -> dict[str, Row]:
    return {row["word"]: row for row in _content()["systems"]}


@lru_cache(maxsize=64)
def _pattern(tag: str) -> re.Pattern[str]:
    """A tag's grammar as a pattern: `<cann>` becomes the group `cann`."""
    parts = _content()["parts"]
    return re.compile(_PART.sub(lambda part: f"(?P<{part[1]}{part[2]}>{parts[part[1]]})", tag))
