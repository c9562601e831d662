"""One Compose service: its layers (extends, overrides) as one, and the unit that they make."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from npudoctor.gate.commands import container_commands, split_command
from npudoctor.gate.docker.run import is_cdi, memory_mount, volume
from npudoctor.gate.dotenv import variables
from npudoctor.gate.shell import Word
from npudoctor.gate.shell.word import holes, shown
from npudoctor.gate.unit import Build, Kind, Mount, Setting, Unit, Where
from npudoctor.gate.yaml_nodes import Yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npudoctor.gate.compose.values import Values
    from npudoctor.gate.files import Repository
    from npudoctor.gate.unit import Command, Scope


class Service:
    """A service while it is read.

    Args:
        name: Its key.
        layers: The mappings that make it, the weakest first.
        values: Substitutes variables.
        repository: Finds the files that it names.
        missing: What could not be read and may set anything in it.
    """

    def __init__(
        self,
        name: str,
        layers: Sequence[Yaml],
        values: Values,
        repository: Repository,
        missing: Sequence[Setting],
    ) -> None:
        self.name = name
        self._layers = layers
        self._values = values
        self._repository = repository
        self._open = list(missing)

    def unit(self, where: Where) -> Unit:
        """The unit; `where` is the line of the service."""
        environment = self._environment()
        devices = self._devices()
        return Unit(
            kind=Kind.SERVICE,
            name=self.name,
            where=where,
            image=self._one("image"),
            build=self._build(),
            environment=environment,
            devices=tuple(one for one in devices if not is_cdi(one.text)),
            cdi=tuple(one for one in devices if is_cdi(one.text)),
            mounts=tuple(self._mounts()),
            privileged=self._one("privileged"),
            runtime=self._one("runtime"),
            shm=self._one("shm_size"),
            ipc=self._one("ipc"),
            user=self._one("user"),
            capabilities_dropped=tuple(self._values.setting(one) for one in self._elements("cap_drop")),
            labels=dict(pair for layer in self._layers for pair in self._values.pairs(layer.get("labels"))),
            commands=tuple(self._commands(environment)),
            open=tuple(self._open),
        )

    def _value(self, *path: str) -> Yaml:
        """The strongest layer's value."""
        found = [value for layer in self._layers if (value := layer.get(*path))]
        return found[-1] if found else Yaml(None, self._layers[-1].file)

    def _one(self, key: str) -> Setting | None:
        value = self._value(key)
        return self._values.setting(value) if value.text is not None else None

    def _elements(self, key: str) -> Iterator[Yaml]:
        """The elements of all layers; a text counts as a list of one."""
        for layer in self._layers:
            value = layer.get(key)
            yield from value.elements()
            if value.text is not None:
                yield value

    def _place(self, path: str, line: int) -> Where:
        file = self._repository.at(path)
        return Where(path, line, file.line(line) if file else "")

    def _environment(self) -> dict[str, Setting]:
        found: dict[str, Setting] = {}
        for one in self._elements("env_file"):
            found |= self._env_file(one)
        for layer in self._layers:
            found |= dict(self._values.pairs(layer.get("environment")))
        return found

    def _env_file(self, value: Yaml) -> dict[str, Setting]:
        path = value.get("path") if value.is_map else value
        name = self._values.setting(path)
        file = self._repository.near(path.file, name.text) if name.known else None
        if file is None:
            if value.get("required").text != "false":
                self._open.append(Setting(name.text, path.where, (name.text,)))
            return {}
        return variables(file)

    def _devices(self) -> list[Setting]:
        found = [self._device(one) for one in self._elements("devices")]
        if any(self._elements("device_cgroup_rules")):  # gives the right to open nodes that are mounted
            mounted = [mount for mount in self._mounts() if mount.source.startswith("/dev/")]
            found += [Setting(mount.source, mount.where) for mount in mounted]
        return found

    def _device(self, value: Yaml) -> Setting:
        if not value.is_map:
            return self._values.setting(value)
        parts = [value.get(key).text for key in ("source", "target", "permissions")]
        return self._values.at(":".join(part for part in parts if part), value.where)

    def _mounts(self) -> Iterator[Mount]:
        for one in self._elements("volumes"):
            yield self._mount(one) if one.is_map else volume(self._values.raw(one.text or ""), one.where)
        for one in self._elements("tmpfs"):
            target, _colon, options = self._values.raw(one.text or "").partition(":")
            yield memory_mount(target, options.partition("size=")[2].partition(",")[0], one.where)

    def _mount(self, value: Yaml) -> Mount:
        target = self._values.raw(value.get("target").text or "")
        if value.get("type").text == "tmpfs":
            size = self._values.raw(value.get("tmpfs", "size").text or "")
            return memory_mount(target, size, value.where)
        bound = value.get("type").text == "bind"
        source = self._values.raw(value.get("source").text or "") if bound else ""
        return Mount(shown(source), shown(target), value.where, unresolved=holes(source + target))

    def _commands(self, environment: Scope) -> list[Command]:
        words = [*self._command("entrypoint"), *self._command("command")]
        return container_commands(words, environment, self._value("command").file.path, self._place)

    def _command(self, key: str) -> list[Word]:
        value = self._value(key)
        if value.is_list:
            return [_word(self._values.raw(one.text or ""), one) for one in value.elements()]
        if value.text is None:
            return []
        return split_command(self._values.raw(value.text), _first_line(value))

    def _build(self) -> Build | None:
        value = self._value("build")
        if not value or value.get("dockerfile_inline"):
            return None
        context = self._values.setting(value.get("context") if value.is_map else value).text or "."
        if "://" in context or context.startswith("git@"):
            return None
        folder = posixpath.normpath(posixpath.join(value.file.folder, context))
        name = self._values.setting(value.get("dockerfile")).text or "Dockerfile"
        return Build(
            context=folder,
            dockerfile=posixpath.normpath(posixpath.join(folder, name)),
            where=value.where,
            arguments=dict(self._values.pairs(value.get("args"))),
            target=self._values.setting(value.get("target")).text,
        )


def _word(raw: str, value: Yaml) -> Word:
    return Word(raw, _first_line(value))


def _first_line(value: Yaml) -> int:
    """The line where a text starts: of a block (`|`) the one below its key."""
    return value.line + 1 if value.is_block else value.line
