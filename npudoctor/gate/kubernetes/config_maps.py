"""The config maps of a repository, and those that kustomize makes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from npudoctor.gate.dotenv import engine_variables
from npudoctor.gate.kubernetes.pods import objects
from npudoctor.gate.unit import Setting, Unreadable
from npudoctor.gate.yaml_nodes import Yaml, documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository

_ENDINGS = (".yaml", ".yml")
_known: WeakKeyDictionary[Repository, ConfigMaps] = WeakKeyDictionary()


class ConfigMaps:
    """Config maps by name."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._data: dict[str, dict[str, Setting]] | None = None

    def data(self, name: str) -> dict[str, Setting] | None:
        """The data of a config map; None where the repository does not hold it."""
        if self._data is None:
            self._data = {}
            for file in self._repository.files:
                self._data |= dict(self._maps_of(file))
        return self._data.get(name)

    def _maps_of(self, file: File) -> Iterator[tuple[str, dict[str, Setting]]]:
        if not file.name.endswith(_ENDINGS) or "onfigMap" not in file.text:
            return
        try:
            found = documents(file)
        except Unreadable:
            return
        for one in objects(found):
            if one.get("kind").text == "ConfigMap":
                yield one.get("metadata", "name").text or "", plain_data(one)
        for document in found:
            for one in document.get("configMapGenerator").elements():
                yield one.get("name").text or "", self._generated(one)

    def _generated(self, value: Yaml) -> dict[str, Setting]:
        data = {}
        for one in value.get("literals").elements():
            name, _equals, text = (one.text or "").partition("=")
            data[name] = Setting(text, one.where)
        for one in [*value.get("envs").elements(), value.get("env")]:
            if one.text and (file := self._repository.near(value.file, one.text)):
                data |= engine_variables(file)
        return data


def config_maps(repository: Repository) -> ConfigMaps:
    """The config maps of a repository; they are read once."""
    return _known.setdefault(repository, ConfigMaps(repository))


def plain_data(value: Yaml) -> dict[str, Setting]:
    """The data of a config map that are plain texts of one line."""
    return {
        name: Setting(one.text, one.where)
        for name, one in value.get("data").items()
        if one.text is not None and not one.is_block
    }
