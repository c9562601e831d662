"""Which NPUs a container is given, and whether it can open them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_remedy import with_nodes
from npudoctor.checks.container_scope import (
    MINDIE,
    RUNTIME_DOCS,
    RUNTIME_SOURCE,
    VLLM_ASCEND,
    Trouble,
    also_inside,
    is_inside,
    judge_each,
    machine,
    meant_for_npus,
    npu_containers,
    trouble,
    verdict_of,
)
from npudoctor.checks.npu_scope import without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Status, Verdict, fail, ok, skip, unknown, warn
from npudoctor.host.containers import NpuContainer, device_numbers, node_number
from npudoctor.nodeset import fold
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from npudoctor.host import Host
    from npudoctor.parse.device_nodes import DeviceNode

MANAGER = "/dev/davinci_manager"
MEMORY = "/dev/devmm_svm"
MEMORY_AND_CHANNEL = (MEMORY, "/dev/hisi_hdc")
SOC_NODES = {f"{MANAGER}_docker", "/dev/dvpp_cmdlist", "/dev/svm0", "/dev/ts_aisle"}
FIRST_VIRTUAL = 100
"""Numbers of virtual NPUs start here."""


@check(
    "container.devices",
    title=N_("Containers are given whole sets of NPU device nodes"),
    sources=(
        f"{RUNTIME_SOURCE} process.go",
        VLLM_ASCEND,
        f"{MINDIE} (--device …:rwm)",
        "github.com/vllm-project/vllm-ascend issue 2542",
    ),
    dated="2026-08",
    role="serving",
)
def devices(host: Host) -> Verdict:
    """An NPU is used through its own node and through manager nodes; one node missing is no NPU at all.

    davinciN needs davinci_manager always, devmm_svm and hisi_hdc on 310, 310P, 910, A2 and A3, hisi_hdc on
    950; 310B boards have other nodes. A node that comes in as a volume (-v) gives no right to open it.
    Permissions must be rwm: with rw npu-smi fails while the NPU is busy. The two dies of an A3 module go
    together. One NPU in two running containers ends in -8020 or drvRetCode 87 in the second one.
    (Ascend runtime, run lines of vllm-ascend and MindIE, vllm-ascend issue 2542; 2026-08.)
    """
    if is_inside(host):
        return _nodes_inside(host)
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    family = _family(host)
    troubles = [found for npu in containers for found in _node_troubles(npu, family)]
    troubles += _given_twice(containers, (*containers, *host.containers.beside))
    expected = _("every node once, with its manager nodes, rwm")
    return also_inside(host, verdict_of(troubles, containers, expected, _own_nodes()), _nodes_inside)


@check(
    "container.visible_devices",
    title=N_("Visible devices of containers are devices that they have"),
    sources=(
        RUNTIME_DOCS,
        "github.com/gpustack/gpustack issue 3352",
        "github.com/vllm-project/vllm-ascend issue 13399",
    ),
    dated="2026-08",
    role="serving",
)
def visible_devices(host: Host) -> Verdict:
    """ASCEND_RT_VISIBLE_DEVICES counts what is inside the container from 0, not the host's numbers.

    With one node mapped only 0 is right, whatever number that NPU has on the host; a larger index ends in
    107001, 207004 or no device. ASCEND_VISIBLE_DEVICES is read by the Ascend runtime alone and holds the
    host's numbers: those that the host has. Without that runtime it maps nothing, and says of nodes that
    were given by hand what is not so. (MindCluster, gpustack issue 3352; 2026-08.)
    """
    if is_inside(host):
        return _visible_inside(host)
    here = _numbers_here(host)
    verdict = judge_each(
        host,
        lambda npu: _visible_troubles(npu, here),
        expected=_("indices below the number of mapped NPUs"),
        fix=_visible_fix(),
    )
    return also_inside(host, verdict, _visible_inside)


def needed_nodes(family: str | None, there: Set[str]) -> tuple[str, ...]:
    """The manager nodes that every process needs on a family of chips, beside davinciN.

    Boards whose NPU is the host's own processor (310B, 200I SoC) have nodes of their own in place of
    devmm_svm and hisi_hdc: where one of those is among the nodes `there`, only the manager is asked for. A
    chip that is not known needs hisi_hdc, as all others do. (ascend-docker-runtime process.go, 2026-08.)
    """
    if family == "310B" or there & SOC_NODES:
        return (MANAGER,)
    if family in ("310", "310P", "910", "910B", "A3"):
        return (MANAGER, *MEMORY_AND_CHANNEL)
    return (MANAGER, "/dev/hisi_hdc")


def missing_nodes(family: str | None, there: Set[str]) -> list[str]:
    """Manager nodes that are needed and not there; davinci_manager_docker counts as the manager."""
    names = there | {MANAGER} if f"{MANAGER}_docker" in there else there
    return [node for node in needed_nodes(family, there) if node not in names]


def _family(host: Host) -> str | None:
    """The family of chips, as the container or its host knows it."""
    return host.npus.family.or_none() or machine(host).npus.family.or_none()


def _numbers_here(host: Host) -> frozenset[int]:
    """N of every /dev/davinciN of the machine; none where nobody listed them."""
    nodes = machine(host).npus.nodes.or_none() or ()
    return frozenset(node.number for node in nodes if node.number is not None)


def _node_troubles(npu: NpuContainer, family: str | None) -> Iterator[Trouble]:
    container = npu.container
    if container.privileged or npu.by_runtime or container.cdi or not npu.maps:
        return
    if npu.bound_nodes:
        words = _("{nodes} mounted as a volume, not given as a device").format(
            nodes=", ".join(npu.bound_nodes)
        )
        yield trouble(Status.FAIL, npu, words, f"Mounts: {npu.bound_nodes[0]}")
    yield from _missing_nodes(npu, family)
    yield from _weak_permissions(npu)
    yield from _half_modules(npu, family)


def _missing_nodes(npu: NpuContainer, family: str | None) -> Iterator[Trouble]:
    mapped = {device.host for device in npu.container.devices}
    line = f"Devices: {', '.join(sorted(mapped)) or '-'}"
    if missing := missing_nodes(family, mapped):
        yield trouble(Status.FAIL, npu, _("{nodes} not given").format(nodes=", ".join(missing)), line)
    elif _lacks_memory(family, mapped):
        words = _("{node} not given (most chips need it)").format(node=MEMORY)
        yield trouble(Status.WARN, npu, words, line)


def _lacks_memory(family: str | None, there: Set[str]) -> bool:
    return family is None and MEMORY not in there and not there & SOC_NODES


def _weak_permissions(npu: NpuContainer) -> Iterator[Trouble]:
    weak = [
        device
        for device in npu.container.devices
        if set(device.permissions) != set("rwm")
        and (node_number(device.host) is not None or device.host in (MANAGER, *MEMORY_AND_CHANNEL))
    ]
    if weak:
        words = _("{node} only {permissions}").format(node=weak[0].host, permissions=weak[0].permissions)
        yield trouble(Status.WARN, npu, words, f"{weak[0].host}:{weak[0].container}:{weak[0].permissions}")


def _half_modules(npu: NpuContainer, family: str | None) -> Iterator[Trouble]:
    if family != "A3":
        return
    dies = {number for number in npu.numbers if number < FIRST_VIRTUAL}
    alone = [number for number in sorted(dies) if number ^ 1 not in dies]
    if alone:
        nodes = ", ".join(f"davinci{number}" for number in alone)
        words = _("{nodes} without the other die of the module").format(nodes=nodes)
        yield trouble(Status.WARN, npu, words, f"Devices: {', '.join(f'davinci{n}' for n in npu.numbers)}")


def _given_twice(judged: tuple[NpuContainer, ...], known: tuple[NpuContainer, ...]) -> list[Trouble]:
    """NPUs of the judged containers that another of those that are known has, too."""
    running = [npu for npu in known if npu.container.running]
    troubles = []
    for npu in (npu for npu in judged if npu.container.running):
        others: dict[str, list[str]] = {}
        for other in (other for other in running if other is not npu):
            shared = sorted(set(other.numbers) & set(npu.numbers))
            nodes = ", ".join(f"davinci{number}" for number in shared)
            others.setdefault(nodes, []).append(other.container.name)
        others.pop("", None)
        for nodes, names in others.items():
            words = _("{nodes} also given to {other}").format(nodes=nodes, other=fold(names))
            troubles.append(trouble(Status.FAIL, npu, words, f"Devices: {nodes}"))
    return troubles


def _visible_troubles(npu: NpuContainer, here: frozenset[int]) -> Iterator[Trouble]:
    yield from _asked_troubles(npu, here)
    value = npu.container.environment.get("ASCEND_RT_VISIBLE_DEVICES", "")
    too_large = _too_large(value, len(npu.numbers))
    if _unclear(value):
        yield trouble(Status.UNKNOWN, npu, value, f"ASCEND_RT_VISIBLE_DEVICES={value}")
    if too_large and not npu.container.privileged:
        words = _("index {index} of {count} mapped NPUs").format(index=too_large, count=len(npu.numbers))
        yield trouble(Status.FAIL, npu, words, f"ASCEND_RT_VISIBLE_DEVICES={value}")


def _asked_troubles(npu: NpuContainer, here: frozenset[int]) -> Iterator[Trouble]:
    """What is wrong with the list that the Ascend runtime reads."""
    asked = npu.container.environment.get("ASCEND_VISIBLE_DEVICES", "")
    if asked in ("", "void"):
        return
    line = f"ASCEND_VISIBLE_DEVICES={asked}"
    numbers = {number for number in npu.asked_for or () if number < FIRST_VIRTUAL}
    if npu.by_runtime:
        if here and (gone := sorted(numbers - here)):
            words = _("the host has no NPU {numbers}").format(numbers=_listing(gone))
            yield trouble(Status.FAIL, npu, words, line)
    elif not (npu.numbers or npu.container.privileged):
        words = _("ASCEND_VISIBLE_DEVICES without the Ascend runtime maps nothing")
        yield trouble(Status.FAIL, npu, words, line)
    elif npu.numbers and (lacking := sorted(numbers - set(npu.numbers))):
        words = _("asks for {asked}, and is not given {numbers}").format(
            asked=asked, numbers=_listing(lacking)
        )
        yield trouble(Status.WARN, npu, words, line)


def _listing(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _unclear(value: str) -> bool:
    """Whether a list of devices is neither numbers nor one of the words."""
    return value not in ("", "all", "none", "void") and device_numbers(value) is None


def _too_large(value: str, count: int) -> str:
    """The indices that are not below `count`; empty where all are, or nothing is known of one side."""
    numbers = device_numbers(value) or ()
    return ", ".join(str(number) for number in numbers if number >= count) if count else ""


def _nodes_inside(host: Host) -> Verdict:
    nodes = host.npus.nodes
    if (reason := without_npu(host)) and not meant_for_npus(host):
        return skip(reason)
    names = {f"/dev/{node.name}" for node in nodes.value}
    numbers = [node.number for node in nodes.value if node.number is not None]
    if not numbers:
        return fail(
            _listed(nodes.value), actual=_("no davinci node"), expected="/dev/davinciN", fix=with_nodes()
        )
    family = _family(host)
    if missing := missing_nodes(family, names):
        actual = _("{nodes} missing").format(nodes=", ".join(missing))
        return fail(
            _listed(nodes.value),
            actual=actual,
            expected=", ".join(needed_nodes(family, names)),
            fix=with_nodes(missing, numbers),
        )
    if _lacks_memory(family, names):
        actual = _("{node} missing (most chips need it)").format(node=MEMORY)
        fix = with_nodes((MEMORY,), numbers)
        return warn(_listed(nodes.value), actual=actual, expected=MEMORY, fix=fix)
    return ok(_listed(nodes.value), actual=", ".join(f"davinci{number}" for number in numbers))


def _listed(nodes: Iterable[DeviceNode]) -> Evidence:
    return Evidence("ls -l /dev", ", ".join(node.name for node in nodes) or "-")


def _visible_inside(host: Host) -> Verdict:
    variables, nodes = host.environment.variables.value, host.npus.nodes
    numbers = {node.number for node in nodes.value if node.number is not None}
    asked, value = variables.get("ASCEND_VISIBLE_DEVICES", ""), variables.get("ASCEND_RT_VISIBLE_DEVICES", "")
    without = [number for number in device_numbers(asked) or () if number not in numbers]
    if without:
        line = Evidence("environment", f"ASCEND_VISIBLE_DEVICES={asked}")
        actual = _("no node for {numbers}").format(numbers=", ".join(map(str, without)))
        return fail(
            line,
            _listed(nodes.value),
            actual=actual,
            expected=_("one node for each number"),
            fix=with_nodes([f"/dev/davinci{number}" for number in without], device_numbers(asked) or ()),
        )
    line = Evidence("environment", f"ASCEND_RT_VISIBLE_DEVICES={value}")
    if too_large := _too_large(value, len(numbers)):
        actual = _("index {index} of {count} mapped NPUs").format(index=too_large, count=len(numbers))
        return fail(
            line, _listed(nodes.value), actual=actual, expected=_("indices from 0"), fix=_visible_fix()
        )
    if not (asked or value):
        return skip(_("neither variable is set"))
    if _unclear(asked) or _unclear(value):
        return unknown(line, actual=value or asked, expected=_("indices from 0"))
    return ok(_listed(nodes.value), actual=value or asked)


def _visible_fix() -> Fix:
    return Fix(
        Action.CONFIGURE,
        _("Count from 0 inside the container, or leave the variable out."),
        ("unset ASCEND_RT_VISIBLE_DEVICES",),
        role="serving",
    )


def _own_nodes() -> Fix:
    nodes = ("/dev/davinci0", MANAGER, *MEMORY_AND_CHANNEL)
    return Fix(
        Action.CONFIGURE,
        _("Give each NPU to one container only, with one --device for it and for each manager node."),
        (f"docker run {' '.join(f'--device {node}' for node in nodes)} …",),
        role="serving",
    )
