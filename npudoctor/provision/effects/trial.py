"""What is tried out at the end: that a program gets its NPUs, and that a service answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.provision.components import component
from npudoctor.provision.machine import group_of
from npudoctor.provision.plan.serving import SERVING
from npudoctor.provision.record import Way

if TYPE_CHECKING:
    from npudoctor.matrix.stacks import NamedStack
    from npudoctor.provision.record import Record

_NEEDED = ("driver", "firmware", "toolkit", "ops", "nnal", "python_env")
"""Components without which no program gets an NPU."""
_MORE_KEYS = {"nnal": ("nnal_abi",), "python_env": ("torch", "torch_npu")}


def trials(record: Record, stack: NamedStack) -> list[tuple[str, dict[str, Any]]]:
    """Roles with their variables, once the host is at its end, of those that try what was changed."""
    names = [step.component for step in record.host.steps]
    last = record.group > 0 or not any(map(group_of, record.host.steps))
    found: list[tuple[str, dict[str, Any]]] = []
    if record.way is Way.UP and last and any(name in _NEEDED for name in names):
        found.append(("verify", {"verify_versions": versions_of(record, stack)}))
    if record.way is Way.UP and last and SERVING in names:
        found.append((SERVING, {"npudoctor_verb": "verify"}))
    return found


def versions_of(record: Record, stack: NamedStack) -> dict[str, str]:
    """By key of the stack, those of what this record is about: the rest of the host is as it was."""
    names = [step.component for step in record.host.steps if step.component != SERVING]
    keys = [key for name in names for key in (component(name).version, *_MORE_KEYS.get(name, ()))]
    return {key: stack.versions[key] for key in keys if key in stack.versions}
