"""When NPUs are tried out at the end, and which versions are looked for then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.components import component
from npudoctor.provision.machine import group_of
from npudoctor.provision.record import Way

if TYPE_CHECKING:
    from npudoctor.matrix.stacks import NamedStack
    from npudoctor.provision.record import Record

_NEEDED = ("driver", "firmware", "toolkit", "ops", "nnal", "python_env")
"""Components without which no program gets an NPU."""
_MORE_KEYS = {"nnal": ("nnal_abi",), "python_env": ("torch", "torch_npu")}


def tries_npus(record: Record) -> bool:
    """Whether the host is at its end, and something was changed that a program needs for its NPUs."""
    names = [step.component for step in record.host.steps]
    last = record.group > 0 or not any(map(group_of, record.host.steps))
    return record.way is Way.UP and last and any(name in _NEEDED for name in names)


def versions_of(record: Record, stack: NamedStack) -> dict[str, str]:
    """By key of the stack, those of what this record is about: the rest of the host is as it was."""
    names = [step.component for step in record.host.steps]
    keys = [key for name in names for key in (component(name).version, *_MORE_KEYS.get(name, ()))]
    return {key: stack.versions[key] for key in keys if key in stack.versions}
