"""Where pods are described in an object: any mapping with a list of containers, under whatever kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.yaml_nodes import Yaml

_MOST_VALUES = 50_000
_DEEPEST = 24


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod, or the template of one.

    Attributes:
        object: The object around it.
        metadata: Labels and annotations of the pod.
        spec: What has `containers`.
        containers: Its containers; of a served model (`predictor.model`) the one that the runtime completes.
        partial: Whether the rest of it stands elsewhere: a served model has its containers in a runtime.
    """

    object: Yaml
    metadata: Yaml
    spec: Yaml
    containers: tuple[Yaml, ...]
    partial: bool = False


def objects(documents: list[Yaml]) -> Iterator[Yaml]:
    """The objects of a file, those inside a `List` too."""
    for document in documents:
        if document.get("kind").text == "List":
            yield from document.get("items").elements()
        elif document.get("kind").text and document.get("apiVersion").text:
            yield document


def pods(one: Yaml) -> Iterator[Pod]:
    """The pods of an object, in the order of the file; each once, however often an alias repeats it."""
    seen: set[int] = set()
    left = [_MOST_VALUES]
    if one.get("kind").text == "CustomResourceDefinition":
        return
    yield from _search(one, one.get("metadata"), one, seen, left, 0)


def _search(
    value: Yaml, metadata: Yaml, around: Yaml, seen: set[int], left: list[int], depth: int
) -> Iterator[Pod]:
    left[0] -= 1
    if value.identity in seen or left[0] < 0 or depth > _DEEPEST:
        return
    if value.is_map or value.is_list:
        seen.add(value.identity)
    if pod := _pod(value, metadata, around):
        yield pod
        return
    inner = value.get("metadata") or metadata
    for _key, child in value.items():
        if child.is_map or child.is_list:
            yield from _search(child, inner, around, seen, left, depth + 1)
    for child in value.elements():
        yield from _search(child, metadata, around, seen, left, depth + 1)


def _pod(value: Yaml, metadata: Yaml, around: Yaml) -> Pod | None:
    containers = tuple(one for one in value.get("containers").elements() if one.is_map)
    extra = tuple(one for one in value.get("initContainers").elements() if one.is_map)
    if containers:
        return Pod(around, metadata, value, (*containers, *extra))
    model = value.get("model")
    if model.is_map and (model.get("modelFormat") or model.get("storageUri")):
        return Pod(around, metadata, value, (model,), partial=True)
    return None
