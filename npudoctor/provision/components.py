"""What provisioning changes on a host: components in order, each with packages, space, reboot and undo."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.matrix.pattern import speaks_of
from npudoctor.provision.planned import Reboot, Undo
from npudoctor.versions import Cann
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.matrix.stacks import NamedStack


@dataclass(frozen=True, slots=True)
class Space:
    """Room that a component takes beside its package, in MB (10^6 bytes), below a folder."""

    mb: int
    at: str
    cann: str = "any"


@dataclass(frozen=True, slots=True)
class PackageFile:
    """One package file that a component needs.

    Attributes:
        name: Of the file; a glob where it holds a `*`.
        optional: Whether it can come from an index or a registry instead.
        archive: The vendor's zip that holds it too; empty where there is none.
        url: The folder that it is published in, as public pages say; empty where none does.
        chip: The family that it is for; empty where for all.
        arch: Likewise `aarch64` or `x86_64`.
    """

    name: str
    optional: bool
    archive: str
    url: str
    chip: str
    arch: str


@dataclass(frozen=True, slots=True)
class PackageName:
    """How a package file of a component is called.

    Attributes:
        name: With `{chip}`, `{arch}`, `{py}` and keys of a stack; so too `archive` and `url`.
        chips: Family to its spelling in the name; empty where the name holds for every family.
        arches: Likewise for the architecture.
        cann: The CANN releases that it holds for, as the matrix writes them.
    """

    name: str
    archive: str
    url: str
    chips: dict[str, str]
    arches: dict[str, str]
    cann: str
    lower: bool
    optional: bool

    def of(self, stack: NamedStack, arch: str) -> PackageFile | None:
        """The file for a stack; None where it is not for this one or lacks a version."""
        if self.chips and stack.chip not in self.chips:
            return None
        cann = stack.versions.get("cann", "")
        if self.cann != "any" and not (cann and speaks_of(self.cann, Cann(cann))):
            return None
        words = _words(stack, self.lower)
        words |= {"chip": self.chips.get(stack.chip, ""), "arch": self.arches.get(arch, "")}
        try:
            texts = [text.format_map(words) for text in (self.name, self.archive, self.url)]
        except KeyError:
            return None
        chip, of_arch = stack.chip if self.chips else "", arch if "{arch}" in self.name else ""
        return PackageFile(texts[0], self.optional, texts[1], texts[2], chip, of_arch)


@dataclass(frozen=True, slots=True)
class Component:
    """One component.

    Attributes:
        install: Its place among the steps of a first install.
        upgrade: Its place among the steps of an upgrade.
        version: The key of a stack that holds its version; empty where it has none.
        undo: Where the packages of the present version are at hand.
        undo_alone: Where they are not.
        minutes: About how long it takes; an estimate.
    """

    name: str
    title: str
    install: int
    upgrade: int
    role: str
    version: str
    undo: Undo
    undo_alone: Undo
    minutes: float
    reboot: Reboot
    space: tuple[Space, ...]
    packages: tuple[PackageName, ...]
    note: str

    def space_for(self, stack: NamedStack) -> tuple[Space, ...]:
        """The room that it takes with this stack."""
        cann = stack.versions.get("cann", "")
        return tuple(
            one for one in self.space if one.cann == "any" or (cann and speaks_of(one.cann, Cann(cann)))
        )

    def files(self, stack: NamedStack, arch: str) -> tuple[PackageFile, ...]:
        """Its package files for a stack on `aarch64` or `x86_64`."""
        found = (package.of(stack, arch) for package in self.packages)
        return tuple(file for file in found if file is not None)


@cache
def components() -> tuple[Component, ...]:
    """All of them, in the order of a first install."""
    rows = load(Path(__file__).with_suffix(".yaml")).content["components"]
    return tuple(sorted((_component(row) for row in rows), key=lambda one: one.install))


def component(name: str) -> Component:
    """One of them; raises `UsageError` for another name."""
    found = next((one for one in components() if one.name == name), None)
    if found is None:
        names = ", ".join(one.name for one in components())
        raise UsageError(
            _("there is no component {name}").format(name=name), _("one of {names}").format(names=names)
        )
    return found


def words_of_image(name: str) -> str:
    """The name of an image as one word, as the name of its archive begins."""
    return name.replace("/", "_").replace(":", "_")


def _words(stack: NamedStack, lower: bool) -> dict[str, str]:
    """What may stand in a name. A reference of an image is written as one word."""
    words = {key: text.lower() if lower else text for key, text in stack.versions.items()}
    words |= {key.upper(): text.upper() for key, text in stack.versions.items()}
    if "image" in words:
        words["image"] = words_of_image(words["image"])
    if "python" in words:
        words["py"] = "cp" + "".join(words["python"].split(".")[:2])
    return words


def _component(row: Mapping[str, Any]) -> Component:
    undo = Undo(row["undo"])
    return Component(
        name=row["component"],
        title=row["title"],
        install=row["order"]["install"],
        upgrade=row["order"]["upgrade"],
        role=row["role"],
        version=row.get("version", ""),
        undo=undo,
        undo_alone=Undo(row.get("undo_alone", undo.value)),
        minutes=row["minutes"],
        reboot=Reboot(row["reboot"]),
        space=tuple(Space(one["mb"], one["at"], one.get("cann", "any")) for one in row.get("space", ())),
        packages=tuple(_package(one) for one in row.get("packages", ())),
        note=row.get("note", ""),
    )


def _package(row: Mapping[str, Any]) -> PackageName:
    return PackageName(
        name=row["name"],
        archive=row.get("archive", ""),
        url=row.get("url", ""),
        chips=row.get("chips", {}),
        arches=row.get("arches", {}),
        cann=row.get("cann", "any"),
        lower=row.get("lower", False),
        optional=row.get("optional", False),
    )
