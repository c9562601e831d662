"""A wheelhouse: which wheels of a place fit the Python and the architecture of a stack."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.provision.components import PackageFile
from npudoctor.provision.packages import archives
from npudoctor.provision.packages.find import Found, Need, Search
from npudoctor.provision.packages.seen import Memory
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from pathlib import Path

    from packaging.requirements import Requirement

    from npudoctor.matrix.stacks import NamedStack
    from npudoctor.provision.packages.place import Place

_WHEEL = regex(r"([A-Za-z0-9._]+)-([A-Za-z0-9._+!]+)(?:-\d[A-Za-z0-9._]*)?-([^-]+)-([^-]+)-([^-]+)\.whl")
_SEPARATORS = regex(r"[-_.]+")
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
        project = project_of(found[1])
        pinned = stack.versions.get(project) if project in _PINNED else None
        if pinned is None or pinned in (found[2], found[2].partition("+")[0]):
            yield Wheel(name, project, found[2], "" if found[5] == "any" else arch)


def project_of(text: str) -> str:
    """The project of a wheel's file name, or of a requirement: in lower case with `_`."""
    name = text.partition("-")[0] if text.endswith(".whl") else text
    return _SEPARATORS.sub("_", name).lower()


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
        search.find(Need("python_env", wheel.version, file_of(wheel.name, wheel.arch)))
        for wheel in fitting(place.names(), stack, arch)
        if wheel.name not in known
    ]


def file_of(name: str, arch: str) -> PackageFile:
    """A wheel as a needed file; it can come from an index instead."""
    return PackageFile(name, True, "", "", "", arch)


def requirements_of(
    path: Path, stack: NamedStack, arch: str, extras: Iterable[str] = ()
) -> list[Requirement]:
    """What a wheel requires on a host of the stack; nothing where it does not say so in a way to be read."""
    from packaging.requirements import InvalidRequirement, Requirement

    marks = [{**_marks(stack, arch), "extra": extra} for extra in ("", *extras)]
    found = []
    for line in archives.metadata(path).splitlines():
        name, _colon, text = line.partition(":")
        if name.lower() == "requires-dist":
            with suppress(InvalidRequirement):
                found.append(Requirement(text.strip()))
    return [each for each in found if each.marker is None or any(map(each.marker.evaluate, marks))]


def _marks(stack: NamedStack, arch: str) -> dict[str, str]:
    """The host that markers of requirements ask about."""
    python = stack.versions.get("python", "3")
    return {
        "python_version": ".".join(python.split(".")[:2]),
        "python_full_version": python if python.count(".") > 1 else f"{python}.0",
        "platform_machine": arch,
        "platform_system": "Linux",
        "sys_platform": "linux",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
