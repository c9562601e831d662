"""What the name of a container image says about the CANN inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re

_VERSION = r"\d+\.\d+\.(?:rc\d+(?:\.\d+)?|\d+)(?:[.-](?:alpha|beta)\.?\d+)?"
_CHIP = r"910b|910|a3|310p|310b|950"
_CANN = regex(rf"(?P<version>{_VERSION})(?:-(?P<chip>{_CHIP})\b.*)?")
_VERL = regex(rf"verl-(?P<version>{_VERSION})-(?P<chip>{_CHIP})-.*")
_NAMED = regex(rf".*\bcann(?P<version>{_VERSION})-.*?(?P<chip>{_CHIP})-.*")


@dataclass(frozen=True, slots=True)
class Image:
    """An image reference in its parts.

    Attributes:
        repository: With the registry: `quay.io/ascend/cann`.
        tag: None where only a digest or nothing is given.
        cann: The CANN version that the tag names, as the tag writes it: `8.1.rc1`; None where it names none.
        chip: The chip word of the tag: `910b`, `a3`, `310p`; None likewise.
    """

    repository: str
    tag: str | None
    cann: str | None
    chip: str | None


@parser("image", origin="an image reference such as quay.io/ascend/cann:8.1.rc1-910b-ubuntu22.04-py3.10")
def parse_image(text: str) -> Image:
    """Take an image reference apart. Tags of other products (vllm-ascend, torch-npu) name no CANN.

    Sources: the tag lists of quay.io/ascend/cann and quay.io/ascend/verl, 2026-08.
    """
    name = text.strip().partition("@")[0]
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = name, ""
    match = _match(repository.rpartition("/")[2], tag.lower())
    found = match.groupdict() if match else {}
    return Image(repository, tag or None, found.get("version"), found.get("chip"))


def _match(project: str, tag: str) -> re.Match[str] | None:
    if project == "cann":
        return _CANN.fullmatch(tag)
    return _VERL.fullmatch(tag) or _NAMED.fullmatch(tag)
