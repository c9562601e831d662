"""A Compose file with what belongs to it: `.env`, overrides, and services that it extends."""

from __future__ import annotations

import posixpath
from functools import cached_property
from typing import TYPE_CHECKING

from npudoctor.gate.compose.service import Service
from npudoctor.gate.compose.values import Values
from npudoctor.gate.unit import Setting, Unreadable
from npudoctor.gate.yaml_nodes import Yaml, documents
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Unit

_BASES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_OVERRIDE = regex(r"((?:docker-)?compose)\.override(\.ya?ml)")
_OWN = ("image", "build", "extends")
_DEEPEST = 8


class Project:
    """What `docker compose` would make of a file."""

    def __init__(self, file: File, repository: Repository) -> None:
        self._file = file
        self._repository = repository
        self._values = Values(file, repository)
        self._missing: list[Setting] = []
        self._read: dict[str, Yaml] = {}

    def units(self) -> Iterator[Unit]:
        """Its services. Raises `Unreadable` where it is no YAML."""
        services = self._read[self._file.path] = _services(self._file)
        for name, value in services.items():
            if value.is_map:
                self._missing = []
                layers = self._layers(name, value)
                service = Service(name, layers, self._values, self._repository, self._missing)
                yield service.unit(services.key(name))

    def _layers(self, name: str, value: Yaml) -> list[Yaml]:
        """The mappings of a service, the weakest first."""
        layers = self._extended(value, _DEEPEST)
        if self._file.name in _BASES:
            return layers + self._overrides(name)
        if not any(layer.get(key) for layer in layers for key in _OWN):
            return self._base(name, value) + layers
        return layers

    def _extended(self, value: Yaml, left: int) -> list[Yaml]:
        extends = value.get("extends")
        if not extends or left == 0:
            return [value]
        name = extends.get("service").text or extends.text or ""
        path = extends.get("file").text
        file = value.file if path is None else self._repository.near(value.file, self._values.raw(path))
        base = self._services_of(file).get(name) if file else None
        if base is None or not base:
            self._missing.append(Setting(name, extends.where, (f"extends {name}",)))
            return [value]
        return [*self._extended(base, left - 1), value]

    def _services_of(self, file: File) -> Yaml:
        if file.path not in self._read:
            self._read[file.path] = _services_or_none(file)
        return self._read[file.path]

    def _overrides(self, name: str) -> list[Yaml]:
        """What the override beside the file says; other files with parts of the service leave it open."""
        found = []
        for file, services in self._others:
            value = services.get(name)
            if not value:
                continue
            if _OVERRIDE.fullmatch(file.name):
                found.append(value)
            elif not any(value.get(key) for key in _OWN):
                self._missing.append(Setting(file.name, value.where, (file.name,)))
        return found

    def _base(self, name: str, value: Yaml) -> list[Yaml]:
        """What the file under a partial one says of the service."""
        for base in _BASES:
            found = self._bases[base].get(name) if base in self._bases else None
            if found:
                return self._extended(found, _DEEPEST)
        self._missing.append(Setting(name, value.where, (f"{name}: image",)))
        return []

    @cached_property
    def _bases(self) -> dict[str, Yaml]:
        """The services of the files beside it that Compose reads by themselves."""
        files = {name: self._repository.near(self._file, name) for name in _BASES}
        return {name: _services_or_none(file) for name, file in files.items() if file}

    @cached_property
    def _others(self) -> list[tuple[File, Yaml]]:
        """The files beside it with services, and these."""
        files = [file for file in self._beside() if file.path != self._file.path]
        return [(file, _services_or_none(file)) for file in files]

    def _beside(self) -> list[File]:
        folder = self._file.folder
        return [
            file
            for file in self._repository.files
            if file.folder == folder and file.name.endswith((".yml", ".yaml")) and "services" in file.text
        ] + [
            file
            for name in ("compose.override.yaml", "compose.override.yml", "docker-compose.override.yml")
            if (file := self._repository.at(posixpath.join(folder, name)))
            and all(file.path != other.path for other in self._repository.files)
        ]


def _services(file: File) -> Yaml:
    found = documents(file)
    return found[0].get("services") if found else Yaml(None, file)


def _services_or_none(file: File) -> Yaml:
    try:
        return _services(file)
    except Unreadable:
        return Yaml(None, file)
