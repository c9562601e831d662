"""Containers by their options: device nodes, the driver, shared memory, visible devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_devices import MANAGER, MEMORY, SOC_NODES, missing_nodes
from npudoctor.checks.container_mounts import LIBRARIES
from npudoctor.finding import Edit, Status
from npudoctor.gate.rules.registry import Subject, Trouble, gate_check, rule
from npudoctor.gate.rules.remedies import with_entry, with_option, with_shm, with_value, with_variable
from npudoctor.gate.rules.verdicts import replaced, trouble
from npudoctor.gate.scope import by_runtime, is_container, npu_count, spans_hosts, workers
from npudoctor.gate.sizes import size_of
from npudoctor.gate.unit import Kind
from npudoctor.host.containers import device_numbers, node_number
from npudoctor.host.driver import ROOT
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npudoctor.gate.unit import Mount, Setting, Unit, Where

RUNTIME_PAGE = "github.com/Ascend/mind-cluster docs: 02_usage_on_the_docker_client.md"
_DRIVER = f"{ROOT}/driver"
_CHIP = "/dev/davinci0"
_SHM = "/dev/shm"  # noqa: S108 (a path inside containers)
_DOCKER_SHM = 64 * 1024**2
_ENOUGH_SHM = 1024**3
_SERVERS = (
    "vllm serve",
    "vllm.entrypoints",
    "mindieservice_daemon",
    "sglang.launch_server",
    "lmdeploy serve",
)


@rule("container.devices")
def devices(subject: Subject) -> Iterator[Trouble]:
    """Device nodes of `docker run` lines and Compose services; a pod's come from the device plugin."""
    unit = subject.unit
    if not is_container(unit) or unit.is_privileged or unit.cdi:
        return
    yield from _bound_nodes(unit)
    if unit.kind is Kind.POD or by_runtime(unit) or _open_runtime(unit):
        return
    nodes = {device.text.split(":")[0] for device in unit.devices if device.known}
    numbered = any(node_number(node) is not None for node in nodes)
    open_nodes = [device for device in unit.devices if not device.known]
    if numbered or any("davinci" in device.text for device in open_nodes):
        yield from _managers(subject, nodes, bool(open_nodes))
    elif nodes & {MANAGER, MEMORY} and not open_nodes and not unit.open:
        actual = _("no davinci node is given, only {nodes}").format(nodes=", ".join(sorted(nodes)))
        yield _missing(unit, actual, _whole_set(subject, nodes))
    elif _serves_with_nothing(subject):
        actual = _("no NPU is given: no --device, no Ascend runtime, not privileged")
        yield _missing(unit, actual, _whole_set(subject, nodes))


def _whole_set(subject: Subject, nodes: set[str]) -> list[str]:
    """A chip, and what it needs beside the nodes that are given."""
    image = subject.stack.image
    return [_CHIP, *missing_nodes(image.family if image else None, nodes | {_CHIP})]


def _managers(subject: Subject, nodes: set[str], several_open: bool) -> Iterator[Trouble]:
    unit, image = subject.unit, subject.stack.image
    family = image.family if image else None
    bound = {mount.source for mount in unit.mounts}
    missing = [node for node in missing_nodes(family, nodes) if node not in bound]
    if missing:
        may_be = bool(unit.open) or (several_open and len(missing) == 1)
        words = _("{nodes} not given").format(nodes=", ".join(missing))
        yield _missing(unit, words, missing, Status.UNKNOWN if may_be else Status.FAIL)
    elif family is None and MEMORY not in nodes and not nodes & SOC_NODES and not unit.open:
        words = _("{node} not given (most chips need it)").format(node=MEMORY)
        yield _missing(unit, words, [MEMORY], Status.WARN)


def _bound_nodes(unit: Unit) -> Iterator[Trouble]:
    """Nodes that come in as a volume."""
    bound = [mount for mount in unit.mounts if node_number(mount.source) is not None]
    if not bound or (unit.kind is Kind.POD and unit.resources) or by_runtime(unit):
        return
    words = _("{nodes} mounted as a volume, not given as a device").format(nodes=bound[0].source)
    summary = _("Give the nodes as devices: a volume gives no right to open them.")
    yield trouble("container.devices", Status.FAIL, [mount.where for mount in bound], words,
                  expected="--device" if unit.kind is Kind.RUN else "devices:", summary=summary)  # fmt: skip


def _missing(unit: Unit, words: str, nodes: Sequence[str], status: Status = Status.FAIL) -> Trouble:
    lines = [device.where for device in unit.devices[-1:]] or [unit.where]
    options = " ".join(f"--device {node}" for node in nodes)
    return trouble(
        "container.devices",
        status,
        [*lines, unit.where],
        f"{unit.name}: {words}",
        expected=options if unit.kind is Kind.RUN else f"devices: [{', '.join(nodes)}]",
        summary=_("Give the container {node} too.").format(node=", ".join(nodes)),
        edits=with_option(unit, options)
        or (with_entry(lines[0], f"{nodes[0]}:{nodes[0]}") if unit.devices else ()),
    )


def _serves_with_nothing(subject: Subject) -> bool:
    """Whether a server of an Ascend image is started with nothing that could give it an NPU."""
    unit, image = subject.unit, subject.stack.image
    given = (
        unit.devices
        or unit.open
        or any(mount.source.startswith("/dev") for mount in unit.mounts)
        or "ASCEND_VISIBLE_DEVICES" in unit.environment
    )
    if given or image is None or image.family is None:
        return False
    text = " ; ".join(" ".join(command.words) for command in unit.commands)
    return any(server in text for server in _SERVERS)


def _open_runtime(unit: Unit) -> bool:
    return unit.runtime is not None and not unit.runtime.known


@rule("container.driver_mounts")
def driver_mounts(subject: Subject) -> Iterator[Trouble]:
    """The driver of the host, and nothing that hides the CANN of the image."""
    unit, image = subject.unit, subject.stack.image
    if not is_container(unit):
        return
    has_cann = image is not None and image.family is not None
    whole = next((mount for mount in unit.mounts if mount.target.rstrip("/") == ROOT), None)
    if whole is not None and (whole.source or has_cann):
        status = Status.FAIL if has_cann else Status.WARN
        words = _("mounts the whole {path}, which hides the CANN of the image").format(path=ROOT)
        yield trouble(
            "container.driver_mounts",
            status,
            [whole.where, unit.where],
            f"{unit.name}: {words}",
            expected=_DRIVER,
            summary=_("Mount only what belongs to the driver: {path}.").format(path=_DRIVER),
            edits=_only_driver(whole.where),
        )
    elif has_cann and _needs_driver(unit) and not _covered(unit):
        words = _("the driver is not mounted, and images hold none")
        yield trouble("container.driver_mounts", Status.FAIL, [unit.where], f"{unit.name}: {words}",
                      expected=f"{_DRIVER}:{_DRIVER}:ro",
                      summary=_("Mount {path} of the host.").format(path=_DRIVER),
                      edits=_with_driver(unit))  # fmt: skip


def _with_driver(unit: Unit) -> tuple[Edit, ...]:
    mount = f"{_DRIVER}:{_DRIVER}:ro"
    if unit.kind is Kind.RUN:
        return with_option(unit, f"-v {mount}")
    written = [one.where for one in unit.mounts if f":{one.target}" in one.where.text]
    return with_entry(written[-1], mount) if written else ()


def _only_driver(where: Where) -> tuple[Edit, ...]:
    after = (
        where.text.replace(f"{ROOT}/:", f"{ROOT}:")
        .replace(ROOT, f"{ROOT}/driver")
        .replace("driver/driver", "driver")
    )
    return (Edit(where.path, where.line, where.text, after),) if where.text.count(ROOT) == 2 else ()


def _needs_driver(unit: Unit) -> bool:
    """Whether a container was given NPUs by hand: then nothing else brings the driver."""
    if unit.kind is Kind.POD or unit.open or unit.cdi:
        return False
    if by_runtime(unit):
        options = unit.environment.get("ASCEND_RUNTIME_OPTIONS")
        return options is not None and "NODRV" in options.text.upper()
    nodes = [device for device in unit.devices if "davinci" in device.text]
    return bool(nodes) and not _open_runtime(unit)


def _covered(unit: Unit) -> bool:
    return any(
        _may_be_anywhere(mount) or f"{LIBRARIES}/".startswith(mount.target.rstrip("/") + "/")
        for mount in unit.mounts
        if mount.target
    )


@rule("container.shm")
def shm(subject: Subject) -> Iterator[Trouble]:
    """Several workers of one model in one container talk through /dev/shm."""
    unit = subject.unit
    if not is_container(unit) or _shared_memory(unit) or unit.open:
        return
    given = _own_memory(unit)
    size = size_of(given[0]) if given else None
    if given is not None and (size is None or size >= _ENOUGH_SHM):
        return
    several = _several_workers(subject)
    if several is None:
        return
    status, line, words = several
    status = Status.WARN if size and size > _DOCKER_SHM else status
    lines = [*([given[1]] if given else []), unit.where, line]
    mb = (size or _DOCKER_SHM) // 1024**2
    actual = _("{name}: {size} MB of shared memory for {workers}").format(
        name=unit.name, size=mb, workers=words
    )
    yield trouble("container.shm", status, lines, actual, expected=_enough(unit, given is not None),
                  summary=_("Give the container shared memory for its workers."),
                  edits=with_shm(unit))  # fmt: skip


def _enough(unit: Unit, is_too_little: bool) -> str:
    if unit.kind is Kind.POD:
        if is_too_little:
            return "sizeLimit: 16Gi"
        return _("an emptyDir with medium Memory at /dev/shm")
    return "--shm-size=16g, or --ipc=host" if unit.kind is Kind.RUN else "shm_size: 16gb, or ipc: host"


def _own_memory(unit: Unit) -> tuple[str, Where] | None:
    """The size of /dev/shm as it is written (open: empty), and its line; None where nothing sets it."""
    if unit.shm is not None:
        return (unit.shm.text if unit.shm.known else "", unit.shm.where)
    return next(((mount.size, mount.where) for mount in unit.mounts if _is_sized_memory(mount)), None)


def _is_sized_memory(mount: Mount) -> bool:
    return mount.memory and bool(mount.size) and mount.target.rstrip("/") == _SHM


def _shared_memory(unit: Unit) -> bool:
    shared = unit.ipc is not None and (not unit.ipc.known or unit.ipc.text != "private")
    mounted = (mount for mount in unit.mounts if not _is_sized_memory(mount))
    return shared or any(mount.target.rstrip("/") == _SHM or _may_be_anywhere(mount) for mount in mounted)


def _may_be_anywhere(mount: Mount) -> bool:
    """Whether the path inside is open; with `$PWD:/work` it is not."""
    return bool(mount.unresolved) and "$" in mount.target


def _several_workers(subject: Subject) -> tuple[Status, Where, str] | None:
    """Whether there are several workers: how sure that is, the line that says so, and words for it."""
    unit, count = subject.unit, npu_count(subject.unit)
    found = workers(unit)
    if found is not None and found[0] > 1:
        return Status.FAIL, found[1].where, _("{count} workers").format(count=found[0])
    if count is None or count < 2 or found is not None:
        return None
    image = subject.stack.image
    sure = image is not None and "mindie" in image.versions
    words = _("{count} NPUs").format(count=count)
    return (Status.FAIL if sure else Status.WARN), unit.where, words


@rule("container.visible_devices")
def visible_devices(subject: Subject) -> Iterator[Trouble]:
    """ASCEND_RT_VISIBLE_DEVICES counts inside; ASCEND_VISIBLE_DEVICES of a pod names its own resource."""
    unit = subject.unit
    if not is_container(unit):
        return
    yield from _annotation(unit)
    value = unit.environment.get("ASCEND_RT_VISIBLE_DEVICES")
    count = npu_count(unit)
    if value is None or not value.known or not count or unit.is_privileged:
        return
    large = [number for number in device_numbers(value.text) or () if number >= count]
    if large:
        actual = _("index {index} of {count} mapped NPUs").format(
            index=", ".join(map(str, large)), count=count
        )
        yield trouble(
            "container.visible_devices",
            Status.FAIL,
            [value.where, unit.where],
            f"{unit.name}: {actual}",
            expected=_("indices below the number of mapped NPUs"),
            summary=_("Count from 0 inside the container, or leave the variable out."),
        )


def _annotation(unit: Unit) -> Iterator[Trouble]:
    value = unit.environment.get("ASCEND_VISIBLE_DEVICES")
    if value is None or "annotations['" not in value.field:
        return
    named = value.field.partition("['")[2].partition("']")[0]
    asked = [one for one in unit.resources if one.name.lower().startswith("huawei.com/")]
    if not named.startswith("huawei.com/") or not asked or any(one.name == named for one in asked):
        return
    actual = _("ASCEND_VISIBLE_DEVICES takes the annotation {named}, and the pod asks for {asked}").format(
        named=named, asked=asked[0].name
    )
    yield trouble(
        "container.visible_devices",
        Status.FAIL,
        [value.where, asked[0].where],
        f"{unit.name}: {actual}",
        expected=f"metadata.annotations['{asked[0].name}']",
        summary=_("Take the annotation of the resource that the pod asks for."),
        edits=replaced(value.where, named, asked[0].name),
    )


@gate_check(
    "container.allow_link",
    title=N_("The Ascend runtime may follow links on 310B boards"),
    sources=(RUNTIME_PAGE,),
    dated="2026-08",
)
def allow_link(subject: Subject) -> Iterator[Trouble]:
    """On boards with a 310B (Atlas 200I A2, 500 A2) the driver's files are links, which the runtime refuses.

    The Ascend runtime works there only with ASCEND_ALLOW_LINK=True, spelt so. (MindCluster, use on the Docker
    client, 2026-08.)
    """
    unit, image = subject.unit, subject.stack.image
    chip = (image.family if image else None) or subject.target.text("chip") or ""
    value = unit.environment.get("ASCEND_ALLOW_LINK")
    if not (is_container(unit) and by_runtime(unit) and chip.upper().startswith("310B")):
        return
    if value is None or (value.known and value.text != "True"):
        lines = [value.where] if value else [unit.runtime.where if unit.runtime else unit.where]
        actual = _("{name}: the Ascend runtime on a 310B without ASCEND_ALLOW_LINK=True").format(
            name=unit.name
        )
        yield trouble("container.allow_link", Status.FAIL, [*lines, unit.where], actual,
                      expected="ASCEND_ALLOW_LINK=True",
                      summary=_("Set ASCEND_ALLOW_LINK=True."),
                      edits=_with_link(unit, value))  # fmt: skip


def _with_link(unit: Unit, value: Setting | None) -> tuple[Edit, ...]:
    if value is not None:
        return with_value("ASCEND_ALLOW_LINK", value, "True")
    return with_variable(unit, unit.environment.get("ASCEND_VISIBLE_DEVICES"), "ASCEND_ALLOW_LINK", "True")


@gate_check(
    "serving.parallel_size",
    title=N_("A model is spread over no more NPUs than its container has"),
    sources=("github.com/vllm-project/vllm-ascend docs/source/installation.md", RUNTIME_PAGE),
    dated="2026-08",
)
def parallel_size(subject: Subject) -> Iterator[Trouble]:
    """A tensor-parallel size above the number of NPUs of the container ends at start-up: no such device.

    Not judged where the workers may be in several containers (Ray, several nodes), and where the number of
    NPUs is not known: a privileged container, a variable. (vllm-ascend installation, 2026-08.)
    """
    unit, count, found = subject.unit, npu_count(subject.unit), workers(subject.unit)
    if not is_container(unit) or not count or found is None or found[0] <= count or spans_hosts(unit):
        return
    actual = _("{name}: {workers} workers on {count} NPUs").format(
        name=unit.name, workers=found[0], count=count
    )
    yield trouble("serving.parallel_size", Status.FAIL, [found[1].where, unit.where], actual,
                  expected=_("at most {count}").format(count=count),
                  summary=_("Give the container more NPUs, or lower the size."))  # fmt: skip
