"""The image of a simulated host: a Debian root that debootstrap makes, and the simulated tools."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

LAB = Path(__file__).parent
SUITE = "bookworm"
PACKAGES = (
    "openssh-server", "python3", "python3-venv", "sudo", "iproute2", "kmod", "procps", "psmisc", "tcsh",
    "systemd", "systemd-sysv", "dbus", "make",
)  # fmt: skip
TOOLS = ("npu-smi", "hccn_tool", "lspci", "dmesg", "systemd-detect-virt")
HOME = "/lab"
"""Where the folder of a host is mounted in its container."""
_LINKS = {f"usr/local/bin/{tool}": f"{HOME}/bin/{tool}" for tool in TOOLS} | {
    f"usr/local/{name}": f"{HOME}/{name}" for name in ("lab.sh", "host.yaml", "calls")
}
_UNUSED = ("usr/share/doc", "usr/share/man", "usr/share/locale", "var/cache/apt", "var/lib/apt/lists")

_MASKED = (
    "getty.target", "e2scrub_reap.service", "systemd-firstboot.service", "systemd-pstore.service",
    "apt-daily.timer", "apt-daily-upgrade.timer", "fstrim.timer", "e2scrub_all.timer", "dpkg-db-backup.timer",
    "dev-hugepages.mount", "sys-fs-fuse-connections.mount", "systemd-update-utmp.service",
    "systemd-update-utmp-runlevel.service", "systemd-machine-id-commit.service",
)  # fmt: skip
_SYSTEM = {
    "etc/systemd/system/ssh.service.d/lab.conf": (
        f"[Service]\nExecStartPre=\nExecStart=\nExecStart=/usr/sbin/sshd -D -f {HOME}/sshd_config\n"
    ),
    "etc/systemd/journald.conf.d/lab.conf": "[Journal]\nStorage=volatile\n",
    "etc/systemd/system.conf.d/lab.conf": "[Manager]\nDefaultTimeoutStopSec=5s\n",
    "etc/tmpfiles.d/tmp.conf": "",  # /tmp outlives a restart
    "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
}
"""For hosts that boot systemd: what has no sense in a container is off, sshd is the lab's."""


def why_not() -> str | None:
    """Why this machine cannot have hosts with a root of their own; None where it can."""
    for tool in ("debootstrap", "docker", "makeself", "ssh-keygen"):
        if not shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin"):
            return f"{tool} is not on this machine"
    if os.getuid() != 0:
        return "not on this machine: debootstrap needs root"
    if subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
        return "the Docker daemon is not on this machine"
    return None


@cache
def image() -> str:
    """The image's name. It is made where it is not there yet: a minute or two, and a Debian mirror."""
    text = repr((SUITE, PACKAGES, _LINKS, _UNUSED, _MASKED, _SYSTEM))
    name = f"npudoctor-lab:{sha256(text.encode()).hexdigest()[:12]}"
    with (Path(tempfile.gettempdir()) / "npudoctor-lab.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test runners want it at once
        if not _is_there(name):
            _make(name)
    return name


def _is_there(name: str) -> bool:
    return not subprocess.run(
        ["docker", "image", "inspect", name], capture_output=True, check=False
    ).returncode


def _make(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(root)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"debootstrap: {done.stdout[-500:]}{done.stderr[-500:]}")
        _arrange(root)
        tar = subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE)
        subprocess.run(["docker", "import", "-", name], stdin=tar.stdout, capture_output=True, check=True)
        assert tar.wait() == 0


def _arrange(root: Path) -> None:
    for unused in _UNUSED:
        shutil.rmtree(root / unused, ignore_errors=True)
    for key in (root / "etc/ssh").glob("ssh_host_*"):
        key.unlink()  # each host has its own
    for place, target in _LINKS.items():
        (root / place).symlink_to(target)
    (root / "run/sshd").mkdir(parents=True, exist_ok=True)
    for unit in _MASKED:
        (root / "etc/systemd/system" / unit).symlink_to("/dev/null")
    for place, text in _SYSTEM.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text)
