"""The running kernel: command line, settings, headers, modules, messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, first_known
from npudoctor.parse.dkms import DkmsModule, parse_dkms_status
from npudoctor.parse.kernel_cmdline import KernelCmdline, parse_kernel_cmdline
from npudoctor.parse.kernel_trouble import KernelTrouble, parse_kernel_trouble
from npudoctor.parse.sysctl import parse_choice, parse_sysctl
from npudoctor.parse.uname import parse_uname

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.collect.snapshot import Snapshot

_HEADERS = "ls -d /lib/modules/*/build/Makefile"
_GOVERNORS = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"


@dataclass(frozen=True, slots=True)
class Kernel:
    """The running kernel: command line, settings, headers, modules, messages."""

    release: Fact[str]
    """As uname -r prints it."""
    cmdline: Fact[KernelCmdline]
    """What the boot loader told it."""
    page_size: Fact[int]
    """Bytes: 4096 or 65536."""
    pcie_aspm_policy: Fact[str]
    """default, performance, powersave or powersupersave."""
    thp: Fact[str]
    """Transparent huge pages: always, madvise or never."""
    swappiness: Fact[int]
    """vm.swappiness."""
    numa_balancing: Fact[int]
    """kernel.numa_balancing: 0 is off."""
    pid_max: Fact[int]
    """kernel.pid_max: how many processes and threads there can be."""
    settings: Mapping[str, Fact[str]]
    """All sysctls that were read, by name: `vm.overcommit_memory`."""
    governors: Fact[tuple[str, ...]]
    """Frequency governors in use, each once; absent where the kernel does not steer the clock."""
    installed: Fact[tuple[str, ...]]
    """Releases with modules on disk."""
    headers: Fact[tuple[str, ...]]
    """Releases whose headers (with a Makefile) are there."""
    dkms: Fact[tuple[DkmsModule, ...]]
    """What dkms knows; absent where there is no dkms."""
    trouble: Fact[KernelTrouble]
    """Memory that ran out, crashes, stalls, refused DMA, failing disks, in the message buffer."""


def read_kernel(snapshot: Snapshot) -> Kernel:
    """Read it out of a snapshot."""
    return Kernel(
        release=_release(snapshot),
        cmdline=snapshot.file("/proc/cmdline").map(parse_kernel_cmdline),
        page_size=snapshot.command("getconf PAGESIZE").map(parse_sysctl),
        pcie_aspm_policy=snapshot.file("/sys/module/pcie_aspm/parameters/policy").map(parse_choice),
        thp=snapshot.file("/sys/kernel/mm/transparent_hugepage/enabled").map(parse_choice),
        swappiness=snapshot.file("/proc/sys/vm/swappiness").map(parse_sysctl),
        numa_balancing=snapshot.file("/proc/sys/kernel/numa_balancing").map(parse_sysctl),
        pid_max=snapshot.file("/proc/sys/kernel/pid_max").map(parse_sysctl),
        settings=_settings(snapshot),
        governors=_governors(snapshot),
        installed=snapshot.command("ls /lib/modules").map(_releases),
        headers=_headers(snapshot),
        dkms=snapshot.command("dkms status").map(parse_dkms_status),
        trouble=snapshot.command("dmesg").map(parse_kernel_trouble),
    )


def _settings(snapshot: Snapshot) -> dict[str, Fact[str]]:
    files = snapshot.files("/proc/sys/*")
    return {path.removeprefix("/proc/sys/").replace("/", "."): text.map(str.strip) for path, text in files}


def _release(snapshot: Snapshot) -> Fact[str]:
    return first_known(
        snapshot.command("uname -a").map(lambda text: parse_uname(text).release),
        snapshot.command("uname -r").map(str.strip),
        snapshot.file("/proc/sys/kernel/osrelease").map(str.strip),
    )


def _governors(snapshot: Snapshot) -> Fact[tuple[str, ...]]:
    read = [fact.map(parse_choice) for _path, fact in snapshot.files(_GOVERNORS)]
    usable = [fact for fact in read if fact.known]
    if not usable:
        return snapshot.file(_GOVERNORS.replace("*", "0")).map(lambda text: (parse_choice(text),))
    by_name = {fact.value: fact for fact in usable}
    evidence: list[Evidence] = [line for fact in by_name.values() for line in fact.evidence]
    return Fact(tuple(sorted(by_name)), tuple(evidence))


def _releases(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split() if re.match(r"\d+\.\d+", word))


def _headers(snapshot: Snapshot) -> Fact[tuple[str, ...]]:
    """From the Makefile behind each kernel's `build` link, else from the folders of /usr/src."""
    behind_links = snapshot.output(_HEADERS).map(
        lambda entry: tuple(re.findall(r"/lib/modules/([^/\s]+)/build/Makefile(?=\s|$)", entry.text))
    )
    folders = snapshot.command("ls /usr/src").map(
        lambda text: tuple(re.findall(r"^(?:linux-headers-|kernels/)(\S+)", text, re.M))
    )
    return first_known(behind_links, folders)
