"""Services of the system: its clock, SELinux, unattended updates, units that failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, ok, skip, warn
from npudoctor.regex import regex
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

MINDCLUSTER_INSTALL = (
    "https://www.hiascend.com/document/detail/en/mindcluster/730/clustersched/schedulingug/"
    "dlug_installation_001.html"
)
_UNITS = regex(
    r"^(?:docker|containerd|kubelet|isulad|crio|chronyd?|ntpd?|systemd-timesyncd|dkms|ascend|npu|hccn|dcmi)",
    re.I,
)


@check(
    "os.time_sync",
    title=N_("The clock follows a time server"),
    sources=(MINDCLUSTER_INSTALL,),
    dated="2026-08",
    role="prerequisites",
)
def time_sync(host: Host) -> Verdict:
    """MindCluster asks for the same time on all servers of a cluster.

    Which rank failed first is told from the times in the logs, and certificates of the NPUs' own network are
    refused by a clock that is far off.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    clock = host.system.clock_synchronised
    if clock.value:
        return ok(clock, actual=_("synchronised"))
    fix = Fix(
        Action.CONFIGURE,
        _("Switch time synchronisation on."),
        ("sudo timedatectl set-ntp true", "timedatectl"),
        role="prerequisites",
    )
    return warn(clock, actual=_("not synchronised"), expected=_("synchronised"), fix=fix)


@check(
    "os.selinux",
    title=N_("SELinux does not keep containers from the NPUs"),
    sources=("github.com/containers/container-selinux (container_use_devices)",),
    dated="2026-08",
    role="prerequisites",
)
def selinux(host: Host) -> Verdict:
    """Under an enforcing SELinux a container may not open device nodes that the engine did not label.

    It shows as `permission denied` on /dev/davinci* although owner and mode are right. Either allow devices
    to containers (`container_use_devices`), or set SELinux to permissive.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    mode = host.system.selinux
    if mode.absent:
        return skip(_("the system has no SELinux"))
    if mode.value != "enforcing":
        return ok(mode)
    fix = Fix(
        Action.CONFIGURE,
        _("Let containers use devices; look for denials first."),
        ("sudo ausearch -m avc -ts recent | grep davinci", "sudo setsebool -P container_use_devices 1"),
        role="prerequisites",
    )
    return warn(mode, expected="permissive, disabled", fix=fix)


@check(
    "os.kernel_updates",
    title=N_("The system does not install new kernels by itself"),
    sources=("hiascend.com CANN installation guide, instg_0051 (rebuild after a kernel upgrade)",),
    dated="2026-08",
    role="prerequisites",
)
def kernel_updates(host: Host) -> Verdict:
    """An unattended upgrade brings a kernel that the NPU driver has no modules for.

    The machine then comes back from its next reboot without NPUs. Hold the kernel package and upgrade it
    together with the driver.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    automatic = host.system.kernel_updates
    if not automatic.value:
        return ok(automatic, actual=_("off, or the kernel is held"))
    fix = Fix(Action.CONFIGURE, _("Hold the kernel packages."), _hold(host), role="prerequisites")
    return warn(automatic, actual=_("on"), expected=_("off, or the kernel is held"), fix=fix)


@check(
    "os.failed_units",
    title=N_("No service that NPU jobs need has failed"),
    sources=("systemctl(1), --failed",),
    dated="2026-08",
)
def failed_units(host: Host) -> Verdict:
    """A container engine, time service or vendor's service that did not start explains much downstream.

    Other failed units are not the doctor's business and are left out.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    units = host.system.failed_units
    failed = [unit for unit in units.value if _UNITS.match(unit)]
    if not failed:
        shown = units.evidence if units.value else (Evidence("systemctl --failed", "no unit"),)
        return ok(*shown, actual=_("none"))
    commands = tuple(f"systemctl status {unit}; journalctl -u {unit} -b -n 50" for unit in failed)
    return warn(
        units,
        actual=", ".join(failed),
        expected=_("none"),
        fix=Fix(Action.CONFIGURE, _("Read why it failed, then start it."), commands),
    )


def _hold(host: Host) -> tuple[str, ...]:
    release = host.kernel.release.or_none() or "$(uname -r)"
    if ".el" in release or ".oe" in release or ".ky" in release:
        return (
            "sudo dnf install -y 'dnf-command(versionlock)'",
            "sudo dnf versionlock add kernel kernel-devel",
        )
    return (f"sudo apt-mark hold linux-image-{release} linux-headers-{release}",)
