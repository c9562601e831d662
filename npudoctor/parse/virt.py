"""`systemd-detect-virt`, `/proc/cpuinfo`, `/proc/1/cgroup`: bare metal, virtual machine or container."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

_CONTAINERS = (
    "docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "container-other", "rkt", "wsl", "proot",
    "pouch", "openvz",
)  # fmt: skip
_IN_CGROUP = regex(r"/(?:docker|kubepods|containerd|libpod|lxc|crio|isulad)\b|cri-containerd|docker-[0-9a-f]")


@dataclass(frozen=True, slots=True)
class Virtualization:
    """What the machine runs in.

    Attributes:
        name: As printed: `none`, `kvm`, `docker`; `vm` where only the processor tells.
    """

    name: str

    @property
    def container(self) -> bool:
        """Whether it is a container."""
        return self.name in _CONTAINERS

    @property
    def machine(self) -> bool:
        """Whether it is a virtual machine."""
        return self.name != "none" and not self.container


@parser("systemd-detect-virt", origin="systemd-detect-virt")
def parse_detect_virt(text: str) -> Virtualization:
    """Read the one word.

    Raises:
        ParseError: It is not one word.
    """
    word = text.strip().lower()
    if not re.fullmatch(r"[a-z0-9-]+", word):
        raise ParseError(f"not one word: {text.strip()[:60]!r}")
    return Virtualization(word)


@parser("hypervisor-flag", origin="/proc/cpuinfo")
def parse_hypervisor_flag(text: str) -> Virtualization:
    """A virtual machine of a kind that is not named, by the flag `hypervisor` of an x86 processor.

    Raises:
        ParseError: No such flag; that proves nothing, arm64 has none.
    """
    if not re.search(r"^flags[ \t]*:.*\bhypervisor\b", text, re.M):
        raise ParseError("no flag `hypervisor`")
    return Virtualization("vm")


@parser("cgroup", origin="/proc/1/cgroup")
def parse_cgroup(text: str) -> bool | None:
    """Whether process 1 lives in a container's control group; None where the file does not tell.

    Raises:
        ParseError: The text is empty.
    """
    if not text.strip():
        raise ParseError("empty")
    if _IN_CGROUP.search(text):
        return True
    paths = {line.rpartition(":")[2] for line in text.split()}
    return None if paths == {"/"} else False
