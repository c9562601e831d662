"""Hosts as trees of files: what a Debian and an openEuler host have in the places that tuning edits."""

from __future__ import annotations

from pathlib import Path

from tests.provision.collection.calling import give, lay

RELEASE = "5.15.0-91-generic"
GRUB = """\
# If you change this file, run 'update-grub' afterwards.
GRUB_DEFAULT=0
GRUB_TIMEOUT=5
GRUB_CMDLINE_LINUX_DEFAULT="quiet splash"
GRUB_CMDLINE_LINUX="crashkernel=512M iommu.passthrough=1"
"""
DAEMON = '{\n  "data-root": "/data/docker",\n  "insecure-registries": ["10.0.0.1"]\n}\n'
_ARGS = "ro crashkernel=512M iommu.passthrough=1\n"
_KERNEL = {
    "/run/systemd/system/.keep": "",
    "/proc/cmdline": "BOOT_IMAGE=/boot/vmlinuz root=UUID=1-2 ro quiet\n",
    "/proc/sys/vm/swappiness": "60\n",
    "/proc/sys/kernel/numa_balancing": "1\n",
    "/proc/sys/kernel/random/boot_id": "11111111-2222-3333-4444-555555555555\n",
    "/sys/kernel/debug/sched/migration_cost_ns": "500000\n",
    "/sys/kernel/mm/transparent_hugepage/enabled": "madvise\n",
    "/sys/module/pcie_aspm/parameters/policy": "default\n",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave\n",
}


def ubuntu(root: Path) -> Path:
    """Ubuntu with Docker configured, nothing tuned."""
    give(root, "update-grub", "apt-mark", "dpkg-query", "systemctl")
    lay(root, _KERNEL)
    lay(
        root,
        {
            "/proc/sys/kernel/osrelease": f"{RELEASE}\n",
            "/etc/default/grub": GRUB,
            f"/boot/vmlinuz-{RELEASE}": "",
            "/boot/grub/grub.cfg": "",
            "/etc/docker/daemon.json": DAEMON,
            "/etc/sysctl.d/10-network.conf": "net.ipv4.ip_forward = 1\n",
            "/packages": f"linux-image-{RELEASE} ii\nlinux-headers-{RELEASE} ii\nlinux-image-generic ii\n"
            "linux-image-5.15.0-60-generic ii\nlinux-base ii\nlinux-headers-generic-hwe-22.04 rc\n",
        },
    )
    return root


def openeuler(root: Path) -> Path:
    """openEuler with grubby and the versionlock plugin of dnf, nothing tuned."""
    give(root, "grubby", "dnf", "rpm", "systemctl")
    lay(root, _KERNEL)
    lay(
        root,
        {
            "/proc/sys/kernel/osrelease": "5.10.0-60.18.0.50.oe2203.aarch64\n",
            "/etc/default/grub": GRUB,
            "/boot/args": _ARGS * 2,
            "/etc/dnf/plugins/versionlock.conf": "[main]\nenabled = 1\n",
            "/etc/dnf/plugins/versionlock.list": "# locked\nbash-0:5.1.8-3.oe2203.*\n",
            "/packages": "kernel-5.10.0-60.18.0.50.oe2203 5.10.0-60.18.0.50.oe2203.aarch64\n"
            "kernel-devel-5.10.0-60.18.0.50.oe2203 5.10.0-60.18.0.50.oe2203.aarch64\n"
            "kernel-5.10.0-153.12.0.92.oe2203 5.10.0-153.12.0.92.oe2203.aarch64\n",
        },
    )
    return root
