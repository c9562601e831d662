"""The container engine, its Ascend runtime, and the containers that map NPUs.

Of a container that was read with its host: the engine of that host, and this one container.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, ParseError, known, unavailable
from npudoctor.host.paths import Paths, read_paths
from npudoctor.images import Image, read_image
from npudoctor.parse.docker import (
    Container,
    DaemonConfig,
    Engine,
    parse_daemon_json,
    parse_docker_info,
    parse_docker_inspect,
)
from npudoctor.regex import regex
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.collect.snapshot import Entry, Snapshot

_NODE = regex(r"/dev/v?davinci(\d{1,4})")
_CANN_FOLDER = regex(r"/(?:cann-|ascend-toolkit/|nnae/|nnrt/)(\d+\.\d+[\w.-]*)")
_CANN_VARIABLES = ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "LD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class NpuContainer:
    """A container that maps NPUs, and what follows from its settings.

    Attributes:
        container: As the engine describes it.
        by_runtime: Whether the Ascend runtime gives it its device nodes and driver.
    """

    container: Container
    by_runtime: bool

    @property
    def source(self) -> str:
        """The command that the container's settings were read with."""
        return f"docker inspect {self.container.name}"

    @property
    def numbers(self) -> tuple[int, ...]:
        """N of every `/dev/davinciN` of the host that it is given, in order."""
        mapped = {
            number for device in self.container.devices if (number := node_number(device.host)) is not None
        }
        return tuple(sorted(mapped | set(self.asked_for or ()) if self.by_runtime else mapped))

    @property
    def asked_for(self) -> tuple[int, ...] | None:
        """Numbers in `ASCEND_VISIBLE_DEVICES`; None where it is not set or holds other words."""
        return device_numbers(self.container.environment.get("ASCEND_VISIBLE_DEVICES", ""))

    @property
    def maps(self) -> bool:
        """Whether it is given an NPU in some way."""
        return bool(self.numbers or self.by_runtime or self.bound_nodes) or _by_hand(self.container)

    @property
    def bound_nodes(self) -> tuple[str, ...]:
        """Device nodes of NPUs that come in as a volume: that gives no right to open them."""
        return tuple(mount.source for mount in self.container.mounts if _NODE.fullmatch(mount.source))

    @property
    def image(self) -> Image:
        """What the name of its image says."""
        return read_image(self.container.image)

    @property
    def cann(self) -> tuple[str, str] | None:
        """The image's CANN version and the words that name it; None where nothing does."""
        return cann_of(self.container)


@dataclass(frozen=True, slots=True)
class Containers:
    """The container engine, its Ascend runtime, and the containers that map NPUs."""

    names: Fact[tuple[str, ...]]
    """Containers that map an NPU; of a container: its own name, where it does."""
    npu: Fact[tuple[NpuContainer, ...]]
    """The same, with their settings."""
    beside: tuple[NpuContainer, ...]
    """Of a container: the others of its host, as far as they are known."""
    engine: Fact[Engine]
    """What the engine says of itself."""
    config: Fact[DaemonConfig]
    """The engine's configuration file."""
    paths: Paths
    """Files and folders of the host that containers mount."""


def read_containers(snapshot: Snapshot) -> Containers:
    """Read it out of a snapshot."""
    host = snapshot.outside or snapshot
    engine = host.command("docker info").map(parse_docker_info, text="")
    npu = _npu_containers(snapshot, engine)
    others = _npu_containers(host, engine).or_none() if snapshot.outside else None
    names = {one.container.name for one in npu.or_none() or ()}
    return Containers(
        names=npu.map(lambda found: tuple(one.container.name for one in found)),
        npu=npu,
        beside=tuple(one for one in others or () if one.container.name not in names),
        engine=engine,
        config=host.file("/etc/docker/daemon.json").map(parse_daemon_json),
        paths=read_paths(host),
    )


def npu_containers(
    containers: tuple[Container, ...], default_runtime: str | None
) -> tuple[NpuContainer, ...]:
    """Those of the containers that map an NPU or ask for one, whoever described them."""
    found = (NpuContainer(one, _by_runtime(one, default_runtime)) for one in containers)
    return tuple(one for one in found if one.maps or _wants_devices(one.container.environment))


def node_number(path: str) -> int | None:
    """N of `/dev/davinciN` or `/dev/vdavinciN`; None for any other path."""
    match = _NODE.fullmatch(path)
    return int(match[1]) if match else None


def device_numbers(text: str) -> tuple[int, ...] | None:
    """Numbers of `0,1,3`, `0-3`, `Ascend910-0,Ascend910-1` or `npu-0`; None for an empty or other value."""
    numbers: list[int] = []
    for part in (part.strip() for part in text.split(",")):
        match = re.fullmatch(r"(?:Ascend\w*-|npu-?)?(\d{1,4})(?:-(\d{1,4}))?", part)
        if match is None:
            return None
        numbers.extend(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(numbers)


def cann_of(container: Container) -> tuple[str, str] | None:
    """The CANN version of a container's image and the words that name it.

    A versioned folder in the image's own variables counts before the tag of the image.
    """
    for name in _CANN_VARIABLES:
        value = container.environment.get(name, "")
        if match := _CANN_FOLDER.search(value):
            return match[1].rstrip(".-"), f"{name}={match[0]}"
    version = read_image(container.image).versions.get("cann")
    return (version, container.image) if version else None


def _npu_containers(snapshot: Snapshot, engine: Fact[Engine]) -> Fact[tuple[NpuContainer, ...]]:
    entries = list(snapshot.matching("commands/docker_inspect_*"))
    whole = snapshot.output("docker inspect")
    if whole.known and whole.value.text.lstrip().startswith("["):
        entries.append(whole.value)
    if not entries:
        return _nothing_inspected(engine, whole)
    try:
        containers = tuple(one for entry in entries for one in _inspected(entry))
    except ParseError as error:
        return unavailable(f"docker inspect: {error}", "docker inspect", "unreadable")
    info = engine.or_none()
    return known(npu_containers(containers, info.default_runtime if info else None), "docker inspect", "")


def _nothing_inspected(engine: Fact[Engine], whole: Fact[Entry]) -> Fact[tuple[NpuContainer, ...]]:
    """No engine, or none of its containers named, is a known fact; an engine that refuses to say is not."""
    if engine.absent:
        return unavailable("docker: no engine with NPUs", "docker info", "absent")
    if not whole.known:
        return whole.map(lambda _entry: ())
    entry = whole.value
    if refusal := entry.error_text.strip():
        return unavailable(f"docker ps: {refusal.splitlines()[0]}", "docker ps", "failed")
    if entry.exit_code != 0:
        return unavailable("docker inspect: no whole answer", "docker inspect", "failed")
    return known((), "docker inspect", "no container with NPUs")


def _inspected(entry: Entry) -> tuple[Container, ...]:
    if entry.state != "complete":
        raise ParseError(N_("no whole answer"))
    if entry.exit_code != 0:  # the container was gone by then
        return ()
    return parse_docker_inspect(entry.text)


def _by_runtime(container: Container, default_runtime: str | None) -> bool:
    runtime = container.runtime
    if runtime in ("", "default"):
        runtime = default_runtime or ""
    return "ascend" in runtime.lower() and _wants_devices(container.environment)


def _wants_devices(environment: Mapping[str, str]) -> bool:
    return environment.get("ASCEND_VISIBLE_DEVICES", "") not in ("", "void")


def _by_hand(container: Container) -> bool:
    """Given all devices, or some through CDI, together with a driver or the name of an NPU."""
    driver = any(mount.destination.startswith("/usr/local/Ascend/driver") for mount in container.mounts)
    return (container.privileged and driver) or any("huawei" in name.lower() for name in container.cdi)
