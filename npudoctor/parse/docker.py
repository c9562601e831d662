"""The container engine and its containers: `docker info`, `docker inspect`, `/etc/docker/daemon.json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

_REMAPPED = ("userns", "name=userns")
"""The line of `Security Options` and the word of its JSON."""
_KEY = regex(r"^\s*([A-Za-z][A-Za-z /-]*?)\s*:\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Engine:
    """What `docker info` says of the engine; None where it does not say.

    Attributes:
        version: `24.0.7`.
        runtimes: Names of the runtimes that are registered: `runc`, `ascend`.
        default_runtime: The runtime of a container that names none.
        root: The folder of images and containers.
        cgroup_version: `1` or `2`.
        remaps_users: Whether root in a container is another user of the host (`userns-remap`).
    """

    version: str | None
    runtimes: tuple[str, ...]
    default_runtime: str | None
    root: str | None
    cgroup_version: str | None
    remaps_users: bool


@dataclass(frozen=True, slots=True)
class DaemonConfig:
    """`/etc/docker/daemon.json`.

    Attributes:
        runtimes: Path of the binary by name of the runtime.
        default_runtime: None where the file does not set it (then it is `runc`).
        default_ulimits: Soft and hard limit by name (`stack` in bytes), for containers that set none.
        live_restore: Whether containers outlive a restart of the engine.
        root: `data-root`; None where the file does not set it.
    """

    runtimes: Mapping[str, str]
    default_runtime: str | None
    default_ulimits: Mapping[str, tuple[int, int]]
    live_restore: bool
    root: str | None


@dataclass(frozen=True, slots=True)
class MappedDevice:
    """A device node given to a container: its path on the host and inside, and `rwm` or less."""

    host: str
    container: str
    permissions: str


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder or file of the host inside a container."""

    source: str
    destination: str
    writable: bool


@dataclass(frozen=True, slots=True)
class Container:
    """One container as `docker inspect` tells it (the docker SDK calls the same mapping `attrs`).

    Attributes:
        name: Without the leading slash.
        image: As it was asked for: `quay.io/ascend/cann:8.1.rc1-910b-ubuntu22.04-py3.10`.
        running: Whether it runs now; so is it taken where the description does not say.
        privileged: Whether all devices and rights are given.
        runtime: `runc`, `ascend`; empty where the engine's default is used.
        devices: The nodes mapped with `--device`.
        cdi: Device names asked for through CDI: `huawei.com/Ascend910=0`.
        mounts: Bind mounts and volumes.
        environment: Variables of the container's first process.
        labels: Of container and image.
        shm_bytes: Size of `/dev/shm`; None where the engine does not say.
        ipc: `private`, `host`, `shareable`, `container:…`.
        ulimits: Soft and hard limit by name (`stack` in bytes; -1 is unlimited).
        cap_add: Capabilities added.
        cap_drop: Capabilities taken away.
        user: As set; empty is root.
        groups: Groups added.
        entrypoint: What runs first; empty where only `command` runs.
        command: The arguments, or what runs where there is no entrypoint.
        restart: `no`, `always`, `on-failure`, `unless-stopped`.
        terminal: Whether somebody may sit at it (`-t` or `-i`).
        user_namespace: `host` where it does not take part in `userns-remap`; else empty.
    """

    name: str
    image: str
    running: bool
    privileged: bool
    runtime: str
    devices: tuple[MappedDevice, ...]
    cdi: tuple[str, ...]
    mounts: tuple[Mount, ...]
    environment: Mapping[str, str]
    labels: Mapping[str, str]
    shm_bytes: int | None
    ipc: str
    ulimits: Mapping[str, tuple[int, int]]
    cap_add: tuple[str, ...]
    cap_drop: tuple[str, ...]
    user: str
    groups: tuple[str, ...]
    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    restart: str
    terminal: bool
    user_namespace: str


@parser("docker-info", origin="docker info")
def parse_docker_info(text: str) -> Engine:
    """The engine, from the text of `docker info` or from its `--format '{{json .}}'`.

    Raises:
        ParseError: The text has no server part.
    """
    if text.lstrip().startswith("{"):
        return _engine_of(_mapping(_json(text)))
    matches = (match for line in text.splitlines() if (match := _KEY.match(line)))
    pairs = {match[1].lower(): match[2].strip() for match in matches}
    if not pairs.keys() & {"server version", "runtimes", "default runtime"}:
        raise ParseError("no Server Version and no Runtimes line")
    return Engine(
        version=pairs.get("server version") or None,
        runtimes=tuple(pairs.get("runtimes", "").split()),
        default_runtime=pairs.get("default runtime") or None,
        root=pairs.get("docker root dir") or None,
        cgroup_version=pairs.get("cgroup version") or None,
        remaps_users=any(line.strip() in _REMAPPED for line in text.splitlines()),
    )


@parser("docker-daemon-json", origin="/etc/docker/daemon.json")
def parse_daemon_json(text: str) -> DaemonConfig:
    """The engine's configuration file. An empty file is a configuration that sets nothing.

    Raises:
        ParseError: It is no JSON object; the engine does not start with such a file.
    """
    settings = _mapping(_json(text)) if text.strip() else {}
    runtimes = _mapping(settings.get("runtimes"))
    return DaemonConfig(
        runtimes={name: _string(_mapping(runtime).get("path")) for name, runtime in runtimes.items()},
        default_runtime=_string(settings.get("default-runtime")) or None,
        default_ulimits=_ulimits(list(_mapping(settings.get("default-ulimits")).values())),
        live_restore=settings.get("live-restore") is True,
        root=_string(settings.get("data-root")) or None,
    )


@parser("docker-inspect", origin="docker inspect NAME")
def parse_docker_inspect(text: str) -> tuple[Container, ...]:
    """The containers of a `docker inspect` output: a list of objects, or one object.

    Raises:
        ParseError: It is no JSON, or no container is in it.
    """
    found = _json(text)
    objects = found if isinstance(found, list) else [found]
    containers = tuple(container_of(item) for item in _objects(objects) if "HostConfig" in item)
    if not containers:
        raise ParseError("no object with HostConfig")
    return containers


def container_of(attributes: Mapping[str, Any]) -> Container:
    """One container out of the engine's own description of it. Parts that are missing are empty."""
    host = _mapping(attributes.get("HostConfig"))
    config = _mapping(attributes.get("Config"))
    shm = host.get("ShmSize")
    return Container(
        name=_string(attributes.get("Name")).lstrip("/"),
        image=_string(config.get("Image")) or _string(attributes.get("Image")),
        running=_mapping(attributes.get("State")).get("Running") is not False,
        privileged=host.get("Privileged") is True,
        runtime=_string(host.get("Runtime")),
        devices=tuple(_device(item) for item in _objects(host.get("Devices"))),
        cdi=_cdi(host),
        mounts=_mounts(attributes, host),
        environment=_environment(config),
        labels={name: _string(value) for name, value in _mapping(config.get("Labels")).items()},
        shm_bytes=shm if isinstance(shm, int) and not isinstance(shm, bool) else None,
        ipc=_string(host.get("IpcMode")),
        ulimits=_ulimits(_objects(host.get("Ulimits"))),
        cap_add=tuple(_capability(name) for name in _strings(host.get("CapAdd"))),
        cap_drop=tuple(_capability(name) for name in _strings(host.get("CapDrop"))),
        user=_string(config.get("User")),
        groups=_strings(host.get("GroupAdd")),
        entrypoint=_words(config.get("Entrypoint")),
        command=_words(config.get("Cmd")),
        restart=_string(_mapping(host.get("RestartPolicy")).get("Name")) or "no",
        terminal=config.get("Tty") is True or config.get("OpenStdin") is True,
        user_namespace=_string(host.get("UsernsMode")),
    )


def _engine_of(info: Mapping[str, Any]) -> Engine:
    version = _string(info.get("ServerVersion"))
    if not version:
        raise ParseError("no ServerVersion")
    return Engine(
        version=version,
        runtimes=tuple(_mapping(info.get("Runtimes"))),
        default_runtime=_string(info.get("DefaultRuntime")) or None,
        root=_string(info.get("DockerRootDir")) or None,
        cgroup_version=_string(info.get("CgroupVersion")) or None,
        remaps_users=any(option in _REMAPPED for option in _strings(info.get("SecurityOptions"))),
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"not valid JSON: {error}") from None


def _device(item: Mapping[str, Any]) -> MappedDevice:
    host = _string(item.get("PathOnHost"))
    inside = _string(item.get("PathInContainer")) or host
    return MappedDevice(host, inside, _string(item.get("CgroupPermissions")) or "rwm")


def _cdi(host: Mapping[str, Any]) -> tuple[str, ...]:
    requests = _objects(host.get("DeviceRequests"))
    return tuple(name for request in requests for name in _strings(request.get("DeviceIDs")))


def _mounts(attributes: Mapping[str, Any], host: Mapping[str, Any]) -> tuple[Mount, ...]:
    found = [
        Mount(_string(item.get("Source")), _string(item.get("Destination")), item.get("RW") is not False)
        for item in _objects(attributes.get("Mounts"))
    ]
    return tuple(found) or tuple(_bind(text) for text in _strings(host.get("Binds")))


def _bind(text: str) -> Mount:
    source, _, rest = text.partition(":")
    inside, _, options = rest.partition(":")
    return Mount(source, inside or source, "ro" not in options.split(","))


def _environment(config: Mapping[str, Any]) -> dict[str, str]:
    pairs = (text.partition("=") for text in _strings(config.get("Env")))
    return {name: value for name, _, value in pairs}


def _ulimits(items: list[Any]) -> dict[str, tuple[int, int]]:
    limits: dict[str, tuple[int, int]] = {}
    for item in map(_mapping, items):
        soft, hard = item.get("Soft"), item.get("Hard")
        if isinstance(soft, int) and isinstance(hard, int):
            limits[_string(item.get("Name"))] = (soft, hard)
    return limits


def _capability(name: str) -> str:
    return name.upper().removeprefix("CAP_")


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _strings(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _words(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else _strings(value)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
