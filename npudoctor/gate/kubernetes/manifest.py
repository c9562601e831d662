"""The units of a manifest's documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.gate.kubernetes.config_maps import config_maps
from npudoctor.gate.kubernetes.container import Container
from npudoctor.gate.kubernetes.pods import objects, pods
from npudoctor.gate.kubernetes.runtimes import runtime_image

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.gate.files import Repository
    from npudoctor.gate.kubernetes.kustomize import Kustomization
    from npudoctor.gate.unit import Setting, Unit
    from npudoctor.gate.yaml_nodes import Yaml


def manifest_units(
    found: list[Yaml],
    repository: Repository,
    changes: Kustomization | None = None,
    missing: Iterable[Setting] = (),
) -> Iterator[Unit]:
    """The containers of all pods of some documents.

    Args:
        found: The documents.
        repository: Holds the config maps that they name.
        changes: What a kustomization makes of them.
        missing: What is not known of the documents and may set anything.
    """
    maps = config_maps(repository)
    left_open = (*missing, *(changes.patched if changes else ()))
    for one in objects(found):
        for pod in pods(one):
            for value in pod.containers:
                unit = Container(pod, value, maps, left_open).unit()
                if pod.partial and unit.image is None:
                    unit = replace(unit, image=runtime_image(value, repository))
                yield replace(unit, image=changes.image(unit.image)) if changes else unit
