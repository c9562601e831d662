"""One container of a pod as a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.commands import container_commands
from npudoctor.gate.shell import Word
from npudoctor.gate.shell.word import hole, holes, shown
from npudoctor.gate.unit import Kind, Mount, Resource, Setting, Unit, Where
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from npudoctor.gate.kubernetes.config_maps import ConfigMaps
    from npudoctor.gate.kubernetes.pods import Pod
    from npudoctor.gate.unit import Command, Scope
    from npudoctor.gate.yaml_nodes import Yaml

_REFERENCE = regex(r"\$(\$)?\(([A-Za-z_][\w.-]*)\)")
_TRUE = ("true", "True", "yes", "on")


class Container:
    """A container while it is read.

    Args:
        pod: What it is in.
        value: Its mapping.
        maps: The config maps of the repository.
        missing: What could not be read and may set anything in it.
    """

    def __init__(self, pod: Pod, value: Yaml, maps: ConfigMaps, missing: tuple[Setting, ...] = ()) -> None:
        self._pod = pod
        self._value = value
        self._maps = maps
        self._open = list(missing)

    def unit(self) -> Unit:
        """The unit."""
        pod, value = self._pod, self._value
        environment = self._environment()
        security = value.get("securityContext")
        resources = tuple(self._resources())
        mounts = tuple(self._mounts())
        labels = dict(_settings(pod.object.get("metadata", "labels")))
        return Unit(
            kind=Kind.POD,
            name=self._name(),
            where=value.get("name").where if value.get("name") else value.where,
            image=_setting(value.get("image")),
            environment=environment,
            mounts=mounts,
            privileged=_setting(security.get("privileged")),
            runtime=_setting(pod.spec.get("runtimeClassName")),
            ipc=self._ipc(),
            user=_setting(security.get("runAsUser"))
            or _setting(pod.spec.get("securityContext", "runAsUser")),
            capabilities_dropped=tuple(
                Setting(one.text or "", one.where) for one in security.get("capabilities", "drop").elements()
            ),
            resources=resources,
            labels={**labels, **dict(_settings(pod.metadata.get("labels")))},
            annotations=dict(_settings(pod.metadata.get("annotations"))),
            node_selector={**_affinity(pod.spec), **dict(_settings(pod.spec.get("nodeSelector")))},
            scheduler=_setting(pod.spec.get("schedulerName")),
            commands=tuple(
                container_commands(self._words(environment), environment, value.file.path, self._place)
            ),
            open=tuple(self._all_open()),
        )

    def _name(self) -> str:
        names = (self._pod.object.get("metadata", "name").text, self._value.get("name").text)
        return shown("/".join(name for name in names if name)) or Kind.POD.value

    def _place(self, path: str, line: int) -> Where:
        return Where(path, line, self._value.file.line(line))

    def _ipc(self) -> Setting | None:
        shared = self._pod.spec.get("hostIPC")
        return Setting("host", shared.where) if shared.text in _TRUE else None

    def _environment(self) -> dict[str, Setting]:
        found: dict[str, Setting] = {}
        for one in self._value.get("envFrom").elements():
            found |= self._env_from(one)
        for one in self._value.get("env").elements():
            name = one.get("name").text
            if name:
                found[name] = self._variable(one, found)
        return found

    def _env_from(self, value: Yaml) -> dict[str, Setting]:
        name = value.get("configMapRef", "name")
        data = self._maps.data(name.text or "")
        if data is None:
            what = f"config map {name.text}" if name.text else f"secret {value.get('secretRef', 'name').text}"
            self._open.append(Setting("", value.where, (what,)))
            return {}
        prefix = value.get("prefix").text or ""
        return {prefix + key: one for key, one in data.items()}

    def _variable(self, value: Yaml, earlier: Scope) -> Setting:
        plain = value.get("value")
        source = value.get("valueFrom")
        if not source:
            raw = _referred(plain.text or "", earlier)
            return Setting(shown(raw), plain.where if plain else value.where, holes(raw))
        key = source.get("configMapKeyRef")
        if key:
            data = self._maps.data(key.get("name").text or "") or {}
            return data.get(key.get("key").text or "") or self._from("config map", key)
        if secret := source.get("secretKeyRef"):
            return self._from("secret", secret)
        field = source.get("fieldRef", "fieldPath")
        what = field.text or source.get("resourceFieldRef", "resource").text or "valueFrom"
        return Setting("", field.where if field else source.where, field=what)

    def _from(self, what: str, key: Yaml) -> Setting:
        return Setting("", key.where, field=f"{what} {key.get('name').text}/{key.get('key').text}")

    def _resources(self) -> Iterator[Resource]:
        limits, requests = (self._value.get("resources", key) for key in ("limits", "requests"))
        names = dict.fromkeys([name for name, _ in limits.items()] + [name for name, _ in requests.items()])
        for name in names:
            if "/" in name or holes(name):
                limit, request = limits.get(name), requests.get(name)
                where = limits.key(name) if limit else requests.key(name)
                yield Resource(shown(name), where, _setting(limit), _setting(request))

    def _mounts(self) -> Iterator[Mount]:
        volumes = {one.get("name").text: one for one in self._pod.spec.get("volumes").elements()}
        for one in self._value.get("volumeMounts").elements():
            volume = volumes.get(one.get("name").text)
            target = one.get("mountPath").text or ""
            below = one.get("subPath").text
            yield _mount(volume, target, below, one.where)

    def _commands(self, environment: Scope) -> list[Command]:
        path = self._value.file.path
        return container_commands(self._words(environment), environment, path, self._place)

    def _words(self, environment: Scope) -> list[Word]:
        found = []
        for key in ("command", "args"):
            value = self._value.get(key)
            for one in [*value.elements()] or ([value] if value.text else []):
                line = one.line + 1 if one.is_block else one.line
                found.append(Word(_referred(one.text or "", environment), line))
        return found

    def _all_open(self) -> Iterator[Setting]:
        yield from self._open
        if self._pod.partial:
            yield Setting("", self._value.where, ("serving runtime",))
        elif not self._value.get("image"):
            yield Setting("", self._value.where, ("image",))


def _mount(volume: Yaml | None, target: str, below: str | None, where: Where) -> Mount:
    if volume is None:
        return Mount("", shown(target), where, unresolved=holes(target))
    host = volume.get("hostPath", "path").text
    if host is not None:
        source = f"{host.rstrip('/')}/{below}" if below else host
        return Mount(shown(source), shown(target), where, unresolved=holes(source + target))
    empty = volume.get("emptyDir")
    memory = empty.get("medium").text == "Memory"
    return Mount("", shown(target), where, memory, empty.get("sizeLimit").text or "" if memory else "")


def _setting(value: Yaml) -> Setting | None:
    if value.text is None:
        return None
    return Setting(shown(value.text), value.where, holes(value.text))


def _settings(value: Yaml) -> Iterator[tuple[str, Setting]]:
    for name, one in value.items():
        if found := _setting(one):
            yield name, found


def _affinity(spec: Yaml) -> dict[str, Setting]:
    """Labels that a node must have, where only one value is allowed."""
    terms = spec.get(
        "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"
    )
    found = {}
    for term in list(terms.elements())[:1]:
        for one in term.get("matchExpressions").elements():
            values = list(one.get("values").elements())
            if one.get("operator").text == "In" and len(values) == 1 and values[0].text:
                found[one.get("key").text or ""] = Setting(values[0].text, values[0].where)
    return found


def _referred(text: str, environment: Scope) -> str:
    """`$(NAME)` of a command as the kubelet puts it in; one that is not set stays as it is."""

    def value(found: re.Match[str]) -> str:
        one = environment.get(found[2])
        if found[1]:
            return found[0][1:]
        if one is None:
            return found[0]
        return one.text if one.known else hole(found[2])

    return _REFERENCE.sub(value, text)
