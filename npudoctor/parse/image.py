"""The name of a container image in its parts."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.parse.registry import parser


@dataclass(frozen=True, slots=True)
class ImageName:
    """An image reference in its parts. What the tag means is in `npudoctor.images`.

    Attributes:
        repository: With the registry: `quay.io/ascend/cann`.
        tag: None where only a digest or nothing is given.
        digest: `sha256:…`; None where the reference has none.
    """

    repository: str
    tag: str | None
    digest: str | None


@parser("image", origin="an image reference such as quay.io/ascend/cann:8.1.rc1-910b-ubuntu22.04-py3.10")
def parse_image(text: str) -> ImageName:
    """Take an image reference apart: `[REGISTRY[:PORT]/]PATH[:TAG][@DIGEST]`."""
    name, _at, digest = text.strip().partition("@")
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = name, ""
    return ImageName(repository, tag or None, digest or None)
