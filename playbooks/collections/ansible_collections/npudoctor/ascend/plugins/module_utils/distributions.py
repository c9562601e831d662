"""Which family a distribution belongs to, and what its packages are called.

Source: the vendor's installation guide (hiascend CANN softwareinst instg_0051, read 2026-08): build tools by
distribution; `lspci` and `ifconfig` are asked for by the driver's own check everywhere.
"""

from __future__ import annotations

import re
import shutil

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

_FIELD = re.compile(r"^([A-Z_]+)=[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_DEBIAN = ("debian", "ubuntu", "velinux")
_REDHAT = ("openeuler", "kylin", "centos", "rhel", "fedora", "ctyunos", "uos", "euleros", "bclinux", "tlinux", "anolis")

# The tools that a driver is built and installed with, and the package of each, where it is not called the same.
_TOOLS = {
    "debian": {"make": "make", "gcc": "gcc", "dkms": "dkms", "lspci": "pciutils", "ifconfig": "net-tools"},
    "redhat": {"make": "make", "gcc": "gcc", "dkms": "dkms", "lspci": "pciutils", "ifconfig": "net-tools"},
}
_HEADERS = {
    "debian": ("linux-headers-{0}",),
    "redhat": ("kernel-devel-{0}", "kernel-headers-{0}"),
}
# Where the package of the headers is not named after the kernel, or does not exist (instg_0051).
_HEADERS_OF = {"kylin": ("kernel-devel",), "ctyunos": ("kernel-devel",), "uos": ("kernel-devel",)}
_WITHOUT_DKMS = ("ctyunos",)


class Distribution:
    """`id` as os-release has it, `version`, and `family`: debian, redhat, or empty for one that is not known."""

    def __init__(self, os_release: str) -> None:
        fields = dict(_FIELD.findall(os_release))
        self.id = fields.get("ID", "").lower()
        self.version = fields.get("VERSION_ID", "")
        self.family = _family([self.id] + fields.get("ID_LIKE", "").lower().split())

    def missing_tools(self) -> dict:
        """The tools that are not there, and the package of each."""
        tools = _TOOLS.get(self.family, {})
        wanted = {tool: package for tool, package in tools.items() if tool != "dkms" or self.id not in _WITHOUT_DKMS}
        return {tool: package for tool, package in wanted.items() if shutil.which(tool) is None}

    def headers(self, kernel: str) -> list:
        """The packages that hold the headers of a kernel."""
        return [name.format(kernel) for name in _HEADERS_OF.get(self.id, _HEADERS.get(self.family, ()))]


def distribution(state) -> Distribution:
    """The one of this host."""
    return Distribution(read_text(state.host("/etc/os-release")))


def _family(names: list) -> str:
    for name in names:
        if name in _DEBIAN:
            return "debian"
        if name in _REDHAT:
            return "redhat"
    return ""
