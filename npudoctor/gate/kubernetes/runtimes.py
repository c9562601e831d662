"""Serving runtimes of KServe: the images that served models run in."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from npudoctor.gate.kubernetes.pods import objects
from npudoctor.gate.unit import Setting, Unreadable
from npudoctor.gate.yaml_nodes import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.yaml_nodes import Yaml

_KINDS = ("ServingRuntime", "ClusterServingRuntime")
_SERVES = "kserve-container"
_known: WeakKeyDictionary[Repository, dict[str, Setting]] = WeakKeyDictionary()


def runtime_image(model: Yaml, repository: Repository) -> Setting | None:
    """The image of the runtime that a model names; None where the repository does not hold the runtime."""
    if repository not in _known:
        _known[repository] = {name: image for file in repository.files for name, image in _images(file)}
    return _known[repository].get(model.get("runtime").text or "")


def _images(file: File) -> Iterator[tuple[str, Setting]]:
    if not file.name.endswith((".yaml", ".yml")) or "ServingRuntime" not in file.text:
        return
    try:
        found = documents(file)
    except Unreadable:
        return
    for one in objects(found):
        image = _serving(one).get("image") if one.get("kind").text in _KINDS else None
        if image and image.text and "{{" not in image.text:
            yield one.get("metadata", "name").text or "", Setting(image.text, image.where)


def _serving(runtime: Yaml) -> Yaml:
    """The container that serves: by its name, else the first."""
    containers = list(runtime.get("spec", "containers").elements())
    named = (one for one in containers if one.get("name").text == _SERVES)
    return next(named, containers[0] if containers else runtime.get("spec", "containers"))
