"""What a kustomization changes in the manifests that it lists: their images; patches leave them open."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.gate.unit import Setting, Unreadable
from npudoctor.gate.yaml_nodes import Yaml, documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_PATCHES = (
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "components",
    "transformers",
    "replacements",
)


@dataclass(frozen=True, slots=True)
class Kustomization:
    """One kustomization.

    Attributes:
        images: What it says of images, the first that fits counts.
        patched: Where it patches its resources, the line that says so.
    """

    images: tuple[Yaml, ...]
    patched: tuple[Setting, ...]

    def image(self, setting: Setting | None) -> Setting | None:
        """An image as this kustomization changes it."""
        if setting is None:
            return None
        name, tag = _split(setting.text)
        for one in self.images:
            if one.get("name").text == name:
                return _changed(one, name, tag, setting)
        return setting


def around(file: File, repository: Repository) -> Kustomization | None:
    """The kustomization beside a manifest, where it lists it."""
    for name in NAMES:
        found = repository.near(file, name)
        if found and found.path != file.path:
            value = read(found)
            listed = [one.text for key in ("resources", "bases") for one in value.get(key).elements()]
            if any(text and posixpath.normpath(text) == file.name for text in listed):
                return kustomization(value)
    return None


def read(file: File) -> Yaml:
    """The content of a kustomization; nothing where it is no YAML."""
    try:
        found = documents(file)
    except Unreadable:
        found = []
    return found[0] if found else Yaml(None, file)


def kustomization(value: Yaml) -> Kustomization:
    """What it changes."""
    patched = [Setting(key, value.key(key), (key,)) for key in _PATCHES if value.get(key)]
    return Kustomization(tuple(value.get("images").elements()), tuple(patched))


def resources(file: File, repository: Repository, left: int = 6) -> Iterator[File]:
    """The manifests of other folders that a kustomization takes, those of its bases too."""
    value = read(file)
    for key in ("resources", "bases"):
        for one in value.get(key).elements():
            text = one.text or ""
            if text.endswith((".yaml", ".yml")):
                found = repository.near(file, text)
                if found and (left < 6 or found.folder != file.folder):
                    yield found
            elif left and (base := _base(text, file, repository)):
                yield from resources(base, repository, left - 1)


def _base(text: str, file: File, repository: Repository) -> File | None:
    found = (repository.near(file, posixpath.join(text, name)) for name in NAMES)
    return next((one for one in found if one), None)


def _split(image: str) -> tuple[str, str]:
    bare = image.partition("@")[0]
    name, colon, tag = bare.rpartition(":")
    return (name, tag) if colon and "/" not in tag else (bare, "")


def _changed(one: Yaml, name: str, tag: str, setting: Setting) -> Setting:
    new_name = one.get("newName").text or name
    new_tag, digest = one.get("newTag"), one.get("digest").text
    if digest:
        return Setting(f"{new_name}@{digest}", one.get("digest").where, parts=(setting.where,))
    text = f"{new_name}:{new_tag.text or tag}" if new_tag.text or tag else new_name
    where = new_tag.where if new_tag.text else one.where
    return Setting(text, where, parts=(setting.where,))
