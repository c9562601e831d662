"""Which units are for an NPU at all, and how many NPUs and workers each has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.gate.unit import Kind
from npudoctor.host.containers import device_numbers, node_number
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.facts import Stack
    from npudoctor.gate.unit import Command, Setting, Unit

OURS = regex(
    r"(?:ASCEND|HCCL|ATB|ASDOPS|MINDIE|MIES|TORCH_HCCL|TORCH_NPU|PYTORCH_NPU|VLLM_ASCEND|ACL|NPU|LCCL)_.+"
)
"""Variables that programs for NPUs alone read."""
_PACKAGES = frozenset(
    ("torch-npu", "vllm-ascend", "triton-ascend", "mindspore", "mindie", "ascend-cann-toolkit", "cann",
     "mindspeed", "mindcluster", "sgl-kernel-npu", "ascend-cann-nnae", "torchair")
)  # fmt: skip
_VENDOR = "huawei.com/"
_NOT_CHIPS = ("-memory", "-core")
_PROGRAMS = frozenset(("atc", "npu-smi", "hccn_tool", "mindieservice_daemon", "msprof", "ascend-dmi"))
_SIZES = (
    "--tensor-parallel-size",
    "-tp",
    "--tp",
    "--tp-size",
    "--nproc_per_node",
    "--nproc-per-node",
    "-tensor-parallel-size",
)
_VLLM = regex(r"\bvllm serve\b|vllm\.entrypoints")
_SERVES = regex(
    r"\bvllm serve\b|vllm\.entrypoints|mindieservice_daemon|sglang\.launch_server|lmdeploy serve|\btorchrun\b"
    r"|torch\.distributed\.(?:launch|run)\b|\bmsrun\b|deepspeed "
)
_SEVERAL_HOSTS = regex(
    r"\bray\b|multi[-_]?node|--nnodes?\b|--node[-_]rank|--headless|--data-parallel-address|LWS_|--master[-_]addr"
)


def concerns(unit: Unit, stack: Stack) -> bool:
    """Whether anything in a unit is of Ascend."""
    return (
        (stack.image is not None and stack.image.grammar is not None)
        or _is_of_ascend(unit.image)
        or any(name in _PACKAGES or name.startswith("ascend-cann") for name in _names(unit))
        or any(OURS.fullmatch(name) for name in _variables(unit))
        or asks_for_npu(unit)
        or any(_program(command) in _PROGRAMS for command in unit.commands)
        or bool({"cann", "torch_npu", "driver"} & stack.values.keys())
        or bool(unit.slips)
    )


def asks_for_npu(unit: Unit) -> bool:
    """Whether a container is given an NPU, or asks for one."""
    return bool(
        any("davinci" in device.text for device in unit.devices)
        or any("huawei" in name.text.lower() or "ascend" in name.text.lower() for name in unit.cdi)
        or by_runtime(unit)
        or any(one.name.lower().startswith(_VENDOR) for one in unit.resources)
        or any("/davinci" in one.source or "/usr/local/Ascend" in one.target for one in unit.mounts)
    )


def by_runtime(unit: Unit) -> bool:
    """Whether the Ascend runtime is asked for by name."""
    return unit.runtime is not None and "ascend" in unit.runtime.text.lower()


def is_container(unit: Unit) -> bool:
    """Whether a unit is started as a container."""
    return unit.kind in (Kind.RUN, Kind.SERVICE, Kind.POD)


def is_live(unit: Unit) -> bool:
    """Whether a unit is what serves or trains: containers, images and their variables, and start scripts."""
    if unit.kind is not Kind.SCRIPT:
        return unit.kind is not Kind.PACKAGES
    return any(_SERVES.search(" ".join(command.words)) for command in unit.commands)


def npu_count(unit: Unit) -> int | None:
    """How many NPUs a container has; None where it cannot be told."""
    if unit.kind is Kind.POD:
        return _resource_count(unit)
    if unit.is_privileged or unit.cdi:
        return None
    mapped = {node_number(device.text.split(":")[0]) for device in unit.devices} - {None}
    if any(device.unresolved for device in unit.devices) or unit.open:
        return None
    if by_runtime(unit):
        asked = unit.environment.get("ASCEND_VISIBLE_DEVICES")
        numbers = device_numbers(asked.text) if asked and asked.known else None
        return len(set(numbers) | mapped) if numbers is not None else None
    return len(mapped)


def workers(unit: Unit) -> tuple[int, Command] | None:
    """How many workers of one model a container's command starts, and the command; None where not told."""
    found = [(size, command) for command in unit.commands for size in _sizes(command)]
    alone = [(1, command) for command in unit.commands if _VLLM.search(" ".join(command.words))]
    return max([*found, *alone], key=lambda one: one[0], default=None)


def spans_hosts(unit: Unit) -> bool:
    """Whether the workers of a model may be in several containers."""
    text = " ; ".join(" ".join(command.words) for command in unit.commands)
    return _SEVERAL_HOSTS.search(text) is not None or "RAY_ADDRESS" in unit.environment


def _sizes(command: Command) -> Iterator[int]:
    words = command.words
    for index, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option not in _SIZES:
            continue
        text = value if equals else (words[index + 1] if index + 1 < len(words) else "")
        if re.fullmatch(r"\d{1,4}", text):
            yield int(text)


def _resource_count(unit: Unit) -> int | None:
    for one in unit.resources:
        amount = one.limit or one.request
        if one.name.startswith(_VENDOR) and not one.name.endswith(_NOT_CHIPS) and amount and amount.known:
            return int(amount.text) if re.fullmatch(r"\d{1,4}", amount.text.strip("\"'")) else None
    return None


def _variables(unit: Unit) -> set[str]:
    """Names of the variables that it and its commands see."""
    scopes = {id(command.environment): command.environment for command in unit.commands}
    return {name for scope in (unit.environment, *scopes.values()) for name in scope}


def _names(unit: Unit) -> Iterator[str]:
    return (one.name for one in unit.requirements)


def _program(command: Command) -> str:
    return command.words[0].rpartition("/")[2] if command.words else ""


def _is_of_ascend(image: Setting | None) -> bool:
    return (
        image is not None
        and re.search(r"(?i)ascend|mindie|mindspore|/cann[:@]|\bnpu\b", image.text) is not None
    )
