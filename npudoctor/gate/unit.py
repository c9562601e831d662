"""What deployment files say: units that will be built or run, and each of their values with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, Unavailable
from npudoctor.finding import Edit, Status


class Unreadable(Exception):
    """A file that is not what its name says: why, and the 1-based line where that shows, if any."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.line = line


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a file.

    Attributes:
        path: The file, as the user would type it.
        line: 1-based.
        text: The line as it stands there (of several, the one that matters).
    """

    path: str
    line: int
    text: str

    @property
    def evidence(self) -> Evidence:
        """The same as proof of a finding."""
        return Evidence(self.path, self.text.strip(), self.line)


@dataclass(frozen=True, slots=True)
class Setting:
    """One value as it will be, and where it is set.

    Attributes:
        text: After substitution. What stays open is left as it is written (`$IMAGE`).
        where: The line that a person would edit: that of the value, not that of its use.
        unresolved: Names that nothing here resolves (`IMAGE`, `.Values.image.tag`); empty: the text holds.
        field: Where Kubernetes takes it from at run time: `metadata.annotations['huawei.com/Ascend910']`,
            `secret NAME/KEY`, `config map NAME/KEY` (of one that is not in the repository).
        parts: Lines that set the variables in it (build arguments, `.env`), where it has any.
    """

    text: str
    where: Where
    unresolved: tuple[str, ...] = ()
    field: str = ""
    parts: tuple[Where, ...] = ()

    @property
    def known(self) -> bool:
        """Whether the text is what will be there."""
        return not self.unresolved and not self.field

    @property
    def open_names(self) -> str:
        """What is not resolved, for a person."""
        return ", ".join(self.unresolved) or self.field

    @property
    def fact(self) -> Fact[str]:
        """The same as the checks take it: what is not resolved is unavailable by name."""
        if self.known:
            return Fact(self.text, self.evidence)
        why = f"{self.open_names} is not set in these files"
        return Fact(Unavailable(why, self.where.path), self.evidence)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Its line, and those of the variables in it."""
        return tuple(dict.fromkeys(where.evidence for where in (self.where, *self.parts)))


Scope = Mapping[str, Setting]
"""Variables by name."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder, file or memory of a container.

    Attributes:
        source: Path on the host; empty for anything that is no host path (volumes, config maps, memory).
        target: Path inside.
        where: The line of the mount.
        memory: Whether it is memory (tmpfs, `emptyDir: {medium: Memory}`).
        size: Of memory, as written (`16Gi`); empty where it is not limited there.
        unresolved: Names in source or target that nothing resolves.
    """

    source: str
    target: str
    where: Where
    memory: bool = False
    size: str = ""
    unresolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resource:
    """An extended resource of a container (`huawei.com/Ascend910`), `where` is the line of the name."""

    name: str
    where: Where
    limit: Setting | None = None
    request: Setting | None = None


@dataclass(frozen=True, slots=True)
class Requirement:
    """A Python package that will be installed.

    Attributes:
        name: Normalised: `torch-npu`.
        specifier: As pip takes it: `==2.9.0`, `<2`, ``.
        where: Its line.
        unresolved: Names in it that nothing resolves.
        indexes: URLs of other indexes that are searched for it.
        text: The requirement as it is written, after substitution.
        parts: Lines that set the variables in it.
    """

    name: str
    specifier: str
    where: Where
    unresolved: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    text: str = ""
    parts: tuple[Where, ...] = ()

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Its line, and those of the variables in it."""
        return tuple(dict.fromkeys(where.evidence for where in (self.where, *self.parts)))

    @property
    def pinned(self) -> str | None:
        """The version of `==2.9.0` or `===2.9.0`; None where it is not one version."""
        parts = [part.strip() for part in self.specifier.split(",") if part.strip()]
        exact = [part.lstrip("=").strip() for part in parts if part.startswith("==")]
        one = exact[0] if len(exact) == 1 and not self.unresolved else ""
        return one if one and "*" not in one else None


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command of a shell script, a RUN line, a container's command or an entrypoint.

    Attributes:
        words: The program and its arguments after substitution; what stays open as it is written (`$MODEL`).
        where: The line where it starts.
        unresolved: Names in its words that nothing resolves.
        environment: Variables that the shell has exported by then, and those in front of the command.
        lines: Where each word stands, where that is known; else empty.
        sure: Whether it is run however the branches of its script go.
    """

    words: tuple[str, ...]
    where: Where
    unresolved: tuple[str, ...] = ()
    environment: Scope = field(default_factory=dict)
    lines: tuple[Where, ...] = ()
    sure: bool = True

    def place(self, index: int) -> Where:
        """The line of one word."""
        return self.lines[index] if index < len(self.lines) else self.where


@dataclass(frozen=True, slots=True)
class Build:
    """An image that is built from a Dockerfile of the repository.

    Attributes:
        context: The folder of the context, as the user would type it.
        dockerfile: The Dockerfile, likewise.
        where: The line that asks for it.
        arguments: Build arguments that are given.
        target: The stage that is wanted; empty for the last one.
    """

    context: str
    dockerfile: str
    where: Where
    arguments: Scope = field(default_factory=dict)
    target: str = ""


@dataclass(frozen=True, slots=True)
class Slip:
    """Something wrong that a reader itself saw: a lost build argument, `export X = Y`, no YAML.

    Attributes:
        id: The check that it belongs to.
        where: Its line.
        actual: What is wrong, in words for a person.
        expected: What would be right.
        summary: What to do, as one sentence.
        edits: What to change, where that is known.
        status: How bad it is.
    """

    id: str
    where: Where
    actual: str
    expected: str = ""
    summary: str = ""
    edits: tuple[Edit, ...] = ()
    status: Status = Status.FAIL


class Kind(str, Enum):
    """What a unit is. The words are for a person."""

    BUILD = "image"
    """A Dockerfile: the stage that is the result."""
    SERVICE = "service"
    """A Compose service."""
    POD = "container"
    """A container of a Kubernetes pod (template)."""
    RUN = "docker run"
    """A `docker run` or `docker create` line (also of podman and nerdctl)."""
    SCRIPT = "script"
    """A shell script: what it exports and starts."""
    VARIABLES = "variables"
    """A file of variables (`.env`), or a config map that no pod here uses."""
    PACKAGES = "packages"
    """A list of Python packages: requirements, pyproject, conda environment."""
    TARGET = "target"
    """`npudoctor.yaml`."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that will be built or run.

    Attributes:
        kind: What it is.
        name: Its own name: service, stage, pod/container, `--name`; else the file's.
        where: Its first line (service key, FROM, container's name, `docker run`).
        image: The image that it runs, or that its stage is built on in the end.
        build: How its image is built here.
        environment: Variables of its processes, by name.
        devices: Device nodes, each as `host[:container[:permissions]]`; one node a setting, loops unrolled.
        cdi: Names asked for through CDI.
        mounts: What is mounted.
        privileged: `true` or `false`; None where not set.
        runtime: Of the engine (`ascend`), or `runtimeClassName` of the pod.
        shm: Size of /dev/shm (`16gb`, `8g`, bytes) where set as such; memory at /dev/shm is a mount.
        ipc: `host`, `private`, `container:…`; `host` for `hostIPC: true`.
        user: Who runs in it.
        capabilities_dropped: `ALL`, `DAC_OVERRIDE`, …
        resources: Extended resources of a pod's container, whoever's (also `nvidia.com/gpu`).
        labels: Of the pod, and of the object around it.
        annotations: Of the pod.
        node_selector: Of the pod, plain node affinity included.
        scheduler: `volcano`, …
        requirements: Python packages that it installs.
        commands: What it starts or runs; a container's command and arguments are one command.
        python: The interpreter that is chosen in it (`3.11`), where something other than the image says so.
        open: Parts of its settings that are not known at all (`docker run $OPTS`, an `extends` of a file that
            is not there, a Helm value in a key): what is missing in it may come from there.
        slips: What the reader itself saw to be wrong.
    """

    kind: Kind
    name: str
    where: Where
    image: Setting | None = None
    build: Build | None = None
    environment: Scope = field(default_factory=dict)
    devices: tuple[Setting, ...] = ()
    cdi: tuple[Setting, ...] = ()
    mounts: tuple[Mount, ...] = ()
    privileged: Setting | None = None
    runtime: Setting | None = None
    shm: Setting | None = None
    ipc: Setting | None = None
    user: Setting | None = None
    capabilities_dropped: tuple[Setting, ...] = ()
    resources: tuple[Resource, ...] = ()
    labels: Scope = field(default_factory=dict)
    annotations: Scope = field(default_factory=dict)
    node_selector: Scope = field(default_factory=dict)
    scheduler: Setting | None = None
    requirements: tuple[Requirement, ...] = ()
    commands: tuple[Command, ...] = ()
    python: Setting | None = None
    open: tuple[Setting, ...] = ()
    slips: tuple[Slip, ...] = ()

    @property
    def is_privileged(self) -> bool:
        """Whether it is given all devices."""
        return self.privileged is not None and self.privileged.text.lower() == "true"
