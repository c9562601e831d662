"""Operating system, architecture, C library, virtual machine or container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, ParseError, first_known, known, unavailable
from npudoctor.host.updates import kernel_updates
from npudoctor.parse.clock import parse_chronyc, parse_ntpq, parse_timedatectl
from npudoctor.parse.glibc import parse_glibc
from npudoctor.parse.os_release import OsRelease, parse_os_release
from npudoctor.parse.selinux import parse_getenforce, parse_selinux_config
from npudoctor.parse.systemd import parse_failed_units
from npudoctor.parse.uname import parse_uname
from npudoctor.parse.virt import Virtualization, parse_cgroup, parse_detect_virt, parse_hypervisor_flag
from npudoctor.words import N_

if TYPE_CHECKING:
    from npudoctor.collect.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class System:
    """Operating system, architecture, C library, virtual machine or container."""

    os: Fact[str]
    """As the matrix names it: Ubuntu 22.04, openEuler 22.03 SP4, Kylin V10 SP3."""
    arch: Fact[str]
    """aarch64 or x86_64."""
    glibc: Fact[str]
    """Version of the C library."""
    in_container: Fact[bool]
    """Whether this is inside a container."""
    in_vm: Fact[bool]
    """Whether this is a virtual machine."""
    release: Fact[OsRelease]
    """What /etc/os-release says, word by word."""
    virtualization: Fact[Virtualization]
    """As systemd-detect-virt names it; without it, as far as the flags of the processor tell."""
    clock_synchronised: Fact[bool]
    """Whether the clock follows a time server: systemd, chrony or ntpd says so."""
    selinux: Fact[str]
    """enforcing, permissive or disabled, now; absent where the system has no SELinux."""
    kernel_updates: Fact[bool]
    """Whether the system installs new kernels by itself."""
    failed_units: Fact[tuple[str, ...]]
    """systemd units that failed."""


def read_system(snapshot: Snapshot) -> System:
    """Read it out of a snapshot."""
    release = snapshot.file("/etc/os-release").map(parse_os_release)
    named = _printed(snapshot, "systemd-detect-virt").map(parse_detect_virt)
    flag = snapshot.file("/proc/cpuinfo").map(parse_hypervisor_flag, text="hypervisor")
    virtualization = first_known(named, flag)
    return System(
        os=release.map(lambda it: it.label, text=_os_lines(snapshot)),
        arch=_arch(snapshot),
        glibc=first_known(
            snapshot.command("getconf GNU_LIBC_VERSION").map(parse_glibc),
            snapshot.command("ldd --version").map(parse_glibc),
        ),
        in_container=_in_container(snapshot, named),
        in_vm=virtualization.map(lambda it: it.machine),
        release=release,
        virtualization=virtualization,
        clock_synchronised=_clock(snapshot),
        selinux=_selinux(snapshot),
        kernel_updates=kernel_updates(snapshot),
        failed_units=snapshot.command("systemctl --failed --plain --no-legend").map(parse_failed_units),
    )


def _printed(snapshot: Snapshot, line: str) -> Fact[str]:
    """What a command printed whatever its exit code: `systemd-detect-virt` exits with 1 for `none`."""
    return snapshot.output(line).map(lambda entry: entry.text)


def _os_lines(snapshot: Snapshot) -> str:
    text = snapshot.file("/etc/os-release").or_none() or ""
    lines = (line.strip() for line in text.splitlines())
    return ", ".join(line for line in lines if line.startswith(("NAME=", "VERSION=", "VERSION_ID=")))


def _arch(snapshot: Snapshot) -> Fact[str]:
    whole = snapshot.command("uname -a")
    return first_known(whole.map(_machine), snapshot.command("uname -m").map(str.strip))


def _machine(text: str) -> str:
    machine = parse_uname(text).machine
    if not machine:
        raise ParseError(N_("no architecture that is known"))
    return "aarch64" if machine == "arm64" else machine


def _in_container(snapshot: Snapshot, named: Fact[Virtualization]) -> Fact[bool]:
    if snapshot.source == "container" or snapshot.outside:
        return known(True, "the way it was read", "inside a container")
    clues = [
        named.map(lambda it: it.container),
        *(snapshot.exists(path).map(_only_yes) for path in ("/.dockerenv", "/run/.containerenv")),
        snapshot.file("/proc/1/cgroup").map(_certain_cgroup),
    ]
    return next((clue for clue in clues if clue.or_none()), first_known(*clues))


def _only_yes(there: bool) -> bool:
    if not there:
        raise ParseError(N_("a container need not have it"))
    return True


def _certain_cgroup(text: str) -> bool:
    inside = parse_cgroup(text)
    if inside is None:
        raise ParseError(N_("does not tell"))
    return inside


def _clock(snapshot: Snapshot) -> Fact[bool]:
    clues = [
        snapshot.command("timedatectl").map(parse_timedatectl),
        snapshot.command("timedatectl show").map(parse_timedatectl),
        snapshot.command("chronyc tracking").map(parse_chronyc),
        snapshot.command("ntpq -pn").map(parse_ntpq),
    ]
    return next((clue for clue in clues if clue.or_none()), first_known(*clues))


def _selinux(snapshot: Snapshot) -> Fact[str]:
    now = snapshot.command("getenforce").map(parse_getenforce)
    if now.absent and snapshot.file("/etc/selinux/config").absent:
        return unavailable("the system has no SELinux", "getenforce", "absent")
    return first_known(now, snapshot.file("/etc/selinux/config").map(parse_selinux_config))
