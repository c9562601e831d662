"""Whether the C library of containers is new enough for the driver's libraries of their host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_scope import (
    RUNTIME_GUIDE,
    Trouble,
    is_inside,
    machine,
    npu_containers,
    trouble,
    verdict_of,
)
from npudoctor.checks.registry import check
from npudoctor.fact import Fact, ParseError, first_known
from npudoctor.finding import Action, Fix, Status, Verdict, skip
from npudoctor.images import glibc_of_system
from npudoctor.versions import Glibc
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.host import Host
    from npudoctor.host.containers import NpuContainer
    from npudoctor.host.system import System

MUSL = ("alpine", "musl")


@check(
    "container.glibc",
    title=N_("The C library of containers is not older than the host's"),
    sources=(RUNTIME_GUIDE, "distributions' own lists of packages: the glibc of each release"),
    dated="2026-11",
    role="serving",
)
def glibc(host: Host) -> Verdict:
    """A container uses the driver's libraries of its host, with a C library of its own.

    MindCluster's guide asks for a glibc in the container that is not older than the host's; else libraries
    and tools of the driver may end with "version GLIBC_2.34 not found". Where it is older and they start
    all the same, nothing is broken: hence a warning. An image with another C library (musl, as in Alpine)
    cannot load them at all. The glibc is read within, where that was possible, else it follows from the
    system that the image's tag names. (MindCluster installation guide, 2026-11.)
    """
    if is_inside(host):
        return skip(_("read from within: the host's C library is not known here"))
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    own = _of_system(machine(host).system)
    troubles = [found for npu in containers for found in _troubles(host, npu, own)]
    fix = Fix(
        Action.UPGRADE,
        _("Take an image with a newer system: one that is not older than the host's."),
        ("getconf GNU_LIBC_VERSION", "docker exec NAME getconf GNU_LIBC_VERSION"),
        role="serving",
    )
    expected = _("glibc {version} or newer").format(version=own.value)
    return verdict_of(troubles, containers, expected, fix)


def _of_system(system: System) -> Fact[str]:
    """As it says itself; else as its release has it."""
    return first_known(system.glibc, system.os.map(_of_label))


def _of_label(label: str) -> str:
    version = glibc_of_system(label)
    if version is None:
        raise ParseError(N_("a system whose C library is not known here"))
    return version


def _troubles(host: Host, npu: NpuContainer, own: Fact[str]) -> Iterator[Trouble]:
    if _is_musl(host, npu):
        words = _("no GNU C library: it cannot load the driver's")
        yield trouble(Status.FAIL, npu, words, npu.container.image)
        return
    inside = _of_system(host.system) if host.outside else None
    version = (inside.or_none() if inside else None) or npu.image.glibc
    if version is None:
        words = _("the image does not name its system")
        yield trouble(Status.UNKNOWN, npu, words, npu.container.image)
    elif Glibc(version) < Glibc(own.value):
        words = _("glibc {version}, on a host with {own}").format(version=version, own=own.value)
        line = f"getconf GNU_LIBC_VERSION: {version}" if inside and inside.known else npu.container.image
        yield trouble(Status.WARN, npu, words, line)


def _is_musl(host: Host, npu: NpuContainer) -> bool:
    """By its release, where that was read inside; else by the name of its image or its tag."""
    release = host.system.release.or_none() if host.outside else None
    if release:
        return any(word in release.id.lower() for word in MUSL)
    project = npu.image.repository.rpartition("/")[2]
    return project == "alpine" or any(word in (npu.image.tag or "").lower() for word in MUSL)
