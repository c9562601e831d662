"""The components that a question is about, each in the type of its version series."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from npudoctor.errors import UsageError
from npudoctor.matrix.chips import FAMILIES, family_of_name, family_of_package
from npudoctor.regex import regex
from npudoctor.versions import (
    Cann,
    Driver,
    Firmware,
    Glibc,
    Mindie,
    MindSpore,
    NpuSmi,
    Python,
    Torch,
    TorchNpu,
    TritonAscend,
    Version,
    VersionError,
    Vllm,
    VllmAscend,
    driver_version,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SERIES: dict[str, Callable[[str], Version]] = {
    "driver": driver_version,
    "firmware": Firmware,
    "cann": Cann,
    "torch": Torch,
    "torch_npu": TorchNpu,
    "python": Python,
    "vllm_ascend": VllmAscend,
    "vllm": Vllm,
    "mindie": Mindie,
    "mindspore": MindSpore,
    "triton_ascend": TritonAscend,
    "glibc": Glibc,
    "npu_smi": NpuSmi,
}
"""How each component's version is read."""
_TEXTS = ("chip", "os", "arch", "kernel")
KEYS = (*SERIES, *_TEXTS)
_ARCHES = {
    "aarch64": "aarch64",
    "arm64": "aarch64",
    "x86_64": "x86_64",
    "x86-64": "x86_64",
    "amd64": "x86_64",
}

_LINE = regex(r"(?<=\d)\.x$", re.IGNORECASE)

V = TypeVar("V", bound=Version)


@dataclass(frozen=True)
class Stack:
    """What is asked about: versions by component, and the host that they run on."""

    versions: Mapping[str, Version]
    chip: str | None = None
    arch: str | None = None
    os: str | None = None
    kernel: str | None = None

    def get(self, component: str, series: type[V]) -> V | None:
        """The version of a component, where it is given and of that series."""
        version = self.versions.get(component)
        return version if isinstance(version, series) else None

    @property
    def driver(self) -> Driver | None:
        """The driver, in whichever of its three series."""
        version = self.versions.get("driver")
        return version if isinstance(version, Driver) else None

    @cached_property
    def family(self) -> str | None:
        """The chip's family; None where no chip is given, or the name does not tell (`Ascend910`)."""
        return _family(self.chip) if self.chip else None

    def shown(self, component: str) -> str:
        """The component's value as it was given."""
        version = self.versions.get(component)
        return str(version) if version is not None else str(getattr(self, component))

    def having(self, component: str, version: Version) -> Stack:
        """The same stack with another version of one component."""
        return replace(self, versions={**self.versions, component: version})


def read_stack(given: Mapping[str, str]) -> Stack:
    """Read `{"driver": "25.0.rc1.1", "cann": "9.1.0", "chip": "910B3"}`.

    Raises:
        UsageError: For a key that is none, a version of another form, an unknown chip or architecture.
    """
    for key in given:
        if key not in KEYS:
            raise UsageError(f"{key}: no such component", f"one of {', '.join(KEYS)}")
    versions = {key: _version(key, text) for key, text in given.items() if key in SERIES}
    return Stack(
        versions=versions,
        chip=_chip(given["chip"]) if "chip" in given else None,
        arch=_arch(given["arch"]) if "arch" in given else None,
        os=given.get("os"),
        kernel=given.get("kernel"),
    )


def _version(key: str, text: str) -> Version:
    """`25.5.X`, as release notes write a line, is asked about as 25.5 and shown as it was written."""
    try:
        version = SERIES[key](_LINE.sub("", text.strip()))
    except VersionError as error:
        raise UsageError(f"{key}={text}: {error}", "write it as the component prints it") from None
    if _LINE.search(text.strip()):
        version.text += ".X"
    return version


def _chip(name: str) -> str:
    if _family(name) is None and name.strip().lower() != "ascend910":
        raise UsageError(
            f"chip={name}: no such chip", "write it as npu-smi prints it: 910B3, 310P3, Ascend910"
        )
    return name.strip()


def _family(name: str) -> str | None:
    """A family as the matrix writes it, a package name (`910b`, `a3`) in lower case, or a chip name.

    `910B` is the family A2 here, as everybody writes it; the first generation is `Ascend910B` or `910A`.
    """
    if name.strip() in FAMILIES:
        return name.strip()
    return family_of_package(name) if name == name.lower() else family_of_name(name)


def _arch(name: str) -> str:
    if name.lower() not in _ARCHES:
        raise UsageError(f"arch={name}: no such architecture", "aarch64 or x86_64")
    return _ARCHES[name.lower()]
