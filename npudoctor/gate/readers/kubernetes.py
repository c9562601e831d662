"""Kubernetes manifests: plain, rendered by Helm or not, and changed by kustomize."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.finding import Status
from npudoctor.gate.kubernetes import helm, kustomize
from npudoctor.gate.kubernetes.config_maps import plain_data
from npudoctor.gate.kubernetes.manifest import manifest_units
from npudoctor.gate.kubernetes.pods import objects
from npudoctor.gate.reader import reader
from npudoctor.gate.unit import Kind, Setting, Slip, Unit, Unreadable, Where
from npudoctor.gate.yaml_nodes import documents, is_templated
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository

_OBJECT = regex(r"(?m)^\s*(?:- )?kind\s*:")
_VERSION = regex(r"(?m)^\s*(?:- )?apiVersion\s*:")


def is_manifest(file: File) -> bool:
    """YAML whose objects have a kind and a version."""
    if not file.name.endswith((".yml", ".yaml")) or file.name in kustomize.NAMES:
        return False
    return _OBJECT.search(file.text) is not None and _VERSION.search(file.text) is not None


def is_kustomization(file: File) -> bool:
    """By its name."""
    return file.name in kustomize.NAMES


@reader("Kubernetes", is_manifest)
def read_manifest(file: File, repository: Repository) -> Iterator[Unit]:
    """The containers of the pods that the objects of a file make, and its config maps of variables."""
    if is_templated(file):
        yield from _template(file, repository)
        return
    changes = kustomize.around(file, repository)
    found = documents(file)
    yield from manifest_units(found, repository, changes)
    for one in objects(found):
        if one.get("kind").text == "ConfigMap":
            where = one.get("metadata", "name").where
            name = one.get("metadata", "name").text or file.name
            yield Unit(kind=Kind.VARIABLES, name=name, where=where, environment=plain_data(one))


@reader("kustomization", is_kustomization)
def read_kustomization(file: File, repository: Repository) -> Iterator[Unit]:
    """The manifests of other folders with the images that this kustomization gives them."""
    changes = kustomize.kustomization(kustomize.read(file))
    if not changes.images:
        return
    for resource in kustomize.resources(file, repository):
        if is_manifest(resource) and not is_templated(resource):
            yield from manifest_units(documents(resource), repository, changes)


def _template(file: File, repository: Repository) -> Iterator[Unit]:
    """A template: what plain values give, with everything open that its program might add."""
    try:
        found = documents(helm.rendered(file, repository), marked=True)
    except Unreadable:
        found = []
    where = Where(file.path, 1, file.line(1))
    program = Setting("{{ … }}", where, ("{{ … }}",))
    units = list(manifest_units(found, repository, missing=(program,)))
    if units:
        yield from units
    elif "containers:" in file.text:
        yield Unit(kind=Kind.POD, name=file.name, where=where, open=(program,), slips=(_not_rendered(where),))


def _not_rendered(where: Where) -> Slip:
    return Slip(
        id="gate.readable",
        where=where,
        actual=_("a template whose values are not known"),
        expected=_("a rendered manifest"),
        summary=_("Render it (`helm template`, `kustomize build`) and gate what comes out."),
        status=Status.UNKNOWN,
    )
