"""Keeps the kernel that runs: apt-mark hold, or versionlock of dnf and yum. A driver is built for one kernel."""

from __future__ import annotations

import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils import files
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure, blocker
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Place
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools

_LISTS = {"dnf": "/etc/dnf/plugins/versionlock.list", "yum": "/etc/yum/pluginconf.d/versionlock.list"}
_DEB = re.compile(r"linux-(image|headers|modules|generic|virtual|lowlatency|tools)")
_RPM = (
    "kernel",
    "kernel-core",
    "kernel-modules",
    "kernel-modules-core",
    "kernel-modules-extra",
    "kernel-devel",
    "kernel-headers",
)


def hold_of(state, run: str):
    """The place for this host's package manager; None where neither apt nor dnf nor yum is there."""
    tools = Tools(state)
    if tools.has("apt-mark") and tools.has("dpkg-query"):
        return AptHold(state, run)
    manager = next((name for name in ("dnf", "yum") if tools.has(name)), None)
    return VersionLock(state, run, manager) if manager and tools.has("rpm") else None


class Hold(Place):
    """Which of the kernel's packages are held, as text: their names in order, with blanks between."""

    def __init__(self, state, run: str) -> None:
        self.state = state
        self.run = run
        self.tools = Tools(state)

    @property
    def release(self) -> str:
        """The release of the kernel that runs."""
        return read_text(self.state.host("/proc/sys/kernel/osrelease")).strip()

    def wanted(self) -> str:
        """All packages of the kernel that runs, and those that would bring a newer one."""
        raise NotImplementedError

    def call(self, *argv: str) -> None:
        """Run the package manager; raises Failure with its last words."""
        answer = self.tools.run(*argv)
        if answer.rc:
            raise Failure("kernel-hold", "{0}: {1}".format(" ".join(argv), answer.last), "run it by hand and see why")


class AptHold(Hold):
    """apt-mark(8). The meta packages count too: they bring new kernels."""

    def wanted(self) -> str:
        answer = self.tools.run("dpkg-query", "-W", "-f", "${Package} ${db:Status-Abbrev}\\n", "linux-*")
        rows = [line.split() for line in answer.text.splitlines()]
        installed = [row[0] for row in rows if len(row) > 1 and row[1][1:2] == "i"]
        return " ".join(kernel_packages(installed, self.release))

    def read(self):
        held = set(self.tools.run("apt-mark", "showhold").text.split()) & set(self.wanted().split())
        return " ".join(sorted(held)) or None

    def write(self, text) -> None:
        now, then = set((self.read() or "").split()), set((text or "").split())
        if then - now:
            self.call("apt-mark", "hold", *sorted(then - now))
        if now - then:
            self.call("apt-mark", "unhold", *sorted(now - then))


class VersionLock(Hold):
    """The versionlock plugin; its list is read as a file, and changed by the plugin itself."""

    def __init__(self, state, run: str, manager: str) -> None:
        super().__init__(state, run)
        self.manager = manager
        self.path = _LISTS[manager]

    def wanted(self) -> str:
        form = "%{NAME}-%{VERSION}-%{RELEASE} %{VERSION}-%{RELEASE}.%{ARCH}\\n"
        rows = [line.split() for line in self.tools.run("rpm", "-q", "--qf", form, *_RPM).text.splitlines()]
        return " ".join(sorted({row[0] for row in rows if len(row) == 2 and row[1] == self.release}))

    def read(self):
        listed = [re.sub(r"-\d+:", "-", line.strip()) for line in read_text(self.state.host(self.path)).splitlines()]
        bare = {
            re.sub(r"^(\d+):", "", line).rstrip("*").rstrip(".") for line in listed if not line.startswith(("#", "!"))
        }
        held = [name for name in self.wanted().split() if name in bare]
        return " ".join(held) or None

    def write(self, text) -> None:
        files.keep(self.state, self.run, self.path)
        now, then = set((self.read() or "").split()), set((text or "").split())
        for name in sorted(then - now):
            self.call(self.manager, "-q", "versionlock", "add", name)
        for name in sorted(now - then):
            self.call(self.manager, "-q", "versionlock", "delete", name)

    def obstacle(self):
        folder = os.path.dirname(self.path)
        if os.path.exists(self.state.host(os.path.join(folder, "versionlock.conf"))):
            return None
        package = "python3-dnf-plugin-versionlock" if self.manager == "dnf" else "yum-plugin-versionlock"
        words = "{0} has no versionlock here, so the kernel cannot be held".format(self.manager)
        return blocker("no-versionlock", words, "install {0}, or switch kernel_hold off".format(package))


def kernel_packages(installed: list, release: str) -> list:
    """Of installed Debian packages those of this kernel, and the meta packages that follow the newest."""
    ours = [name for name in installed if _DEB.match(name) and (name.endswith("-" + release) or _is_meta(name))]
    return sorted(ours)


def _is_meta(name: str) -> bool:
    return re.search(r"-\d+\.\d+", re.sub(r"-hwe-\d+\.\d+(-edge)?", "", name)) is None and "-tools" not in name
