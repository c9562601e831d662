"""A wheelhouse: which wheels of a place fit the Python and the architecture of a stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.provision.components import PackageFile
from npudoctor.provision.packages.find import Found, Need, Search
from npudoctor.provision.packages.seen import Memory
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from npudoctor.matrix.stacks import NamedStack
    from npudoctor.provision.packages.place import Place

_WHEEL = regex(r"([A-Za-z0-9._]+)-([A-Za-z0-9._+!]+)(?:-\d[A-Za-z0-9._]*)?-([^-]+)-([^-]+)-([^-]+)\.whl")
_PINNED = ("torch", "torch_npu", "vllm", "vllm_ascend", "triton_ascend")


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel, as its name tells (PEP 427).

    Attributes:
        project: In lower case with `_`.
        arch: `aarch64`, `x86_64`, or empty where it is for both.
    """

    name: str
    project: str
    version: str
    arch: str


def fitting(names: Iterable[str], stack: NamedStack, arch: str) -> Iterator[Wheel]:
    """The wheels that the Python of the stack takes; of the stack's own packages, its versions alone."""
    for name in names:
        found = _WHEEL.fullmatch(name)
        if found is None or not _for_python(found[3], found[4], stack) or not _for_arch(found[5], arch):
            continue
        project = found[1].lower().replace("-", "_").replace(".", "_")
        pinned = stack.versions.get(project) if project in _PINNED else None
        if pinned is None or pinned in (found[2], found[2].partition("+")[0]):
            yield Wheel(name, project, found[2], "" if found[5] == "any" else arch)


def _for_python(python: str, abi: str, stack: NamedStack) -> bool:
    wanted = [int(part) for part in stack.versions.get("python", "3").split(".")]
    minor = wanted[1] if len(wanted) > 1 else 0
    tags = python.split(".")
    if f"cp3{minor}" in tags or "py3" in tags or f"py3{minor}" in tags:
        return True
    oldest = (tag[3:] for tag in tags if tag.startswith("cp3") and tag[3:].isdigit())
    return "abi3" in abi.split(".") and any(int(tag) <= minor for tag in oldest)


def _for_arch(platform: str, arch: str) -> bool:
    return platform == "any" or any(
        part.endswith(arch) and part.startswith(("manylinux", "linux")) for part in platform.split(".")
    )


def find_wheels(place: Place, stack: NamedStack, arch: str, known: Container[str]) -> list[Found]:
    """The wheels of a place that fit, without those that are known already."""
    search = Search(place, Memory())
    return [
        search.find(Need("python_env", wheel.version, _file(wheel)))
        for wheel in fitting(place.names(), stack, arch)
        if wheel.name not in known
    ]


def _file(wheel: Wheel) -> PackageFile:
    return PackageFile(wheel.name, True, "", "", "", wheel.arch)
