"""Simulated hosts with a root of their own: a container each, with sshd on an address of the loopback net.

python -m tests.lab.machines 8          # starts 8, prints their inventory, ends them when Enter is typed
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.lab.host import LAB
from tests.lab.image import HOME, image
from tests.lab.sshd import SshHost, SshLab, configure, free_port, opened, wait_for
from tests.lab.tree import plant

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_AT_ONCE = 8


@dataclass
class Machine(SshHost):
    """One container.

    Attributes:
        container: Its name in Docker; empty while none is there.
    """

    container: str = ""

    def stop(self) -> None:
        """Remove it, whatever runs in it."""
        if self.container:
            docker("rm", "-f", self.container)
            self.container = ""


class MachineLab(SshLab):
    """Hosts with a root of their own, and the home of the person who reads them."""

    kind = Machine

    def boot(self, names: Iterable[str], **state: object) -> None:
        """Start several hosts of one kind, a few at a time; the NPUs of each have a net of their own."""
        first = len(self.hosts)
        nets = (f"198.{18 + place // 256}.{place % 256}" for place in count(first))
        hosts = [self.prepare(name, **{"net": net, **state}) for name, net in zip(names, nets, strict=False)]
        with ThreadPoolExecutor(_AT_ONCE) as several:
            list(several.map(self.start, hosts))
        for host in hosts:
            self.know(host)

    def prepare(self, name: str, **state: object) -> SshHost:
        """All of a host but its container."""
        host = super().prepare(name, **state)
        plant(host.lab.folder / "root", state)
        (host.lab.folder / "calls").touch()
        (host.lab.folder / "calls").chmod(0o666)
        return host

    def start(self, host: SshHost, options: str = "") -> None:
        """Run the container of a host and wait until its sshd listens."""
        assert isinstance(host, Machine)
        folder = host.lab.folder
        configure(host, options, HOME, _PATH)
        name = f"npudoctor-lab-{host.port}-{folder.name}"
        mounts = ["-v", f"{folder}:{HOME}", "-v", f"{LAB}/boot.sh:/boot.sh:ro"]
        like = [
            "--network",
            "host",
            "--cgroupns",
            "private",  # /proc/1/cgroup names no container
            "--hostname",
            folder.name,
            "--shm-size",
            "1g",
            "--ulimit",
            "stack=33554432",
        ]
        docker("run", "-d", "--init", "--name", name, *like, *mounts, image(), "sh", "/boot.sh")
        host.container = name
        wait_for(host.address, host.port, folder / "sshd.log")

    def processor(self) -> float:
        """Seconds of the processor that all hosts have taken so far, as their cgroups count them."""
        names = [host.container for host in self.hosts.values() if isinstance(host, Machine)]
        command = ["docker", "inspect", "-f", "{{.Id}}", *names]
        ids = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        return sum(map(_processor, ids))

    def stop(self) -> None:
        """Remove every container."""
        with ThreadPoolExecutor(_AT_ONCE) as several:
            list(several.map(lambda host: host.stop(), self.hosts.values()))


def _processor(container: str) -> float:
    first = Path(f"/sys/fs/cgroup/cpuacct/docker/{container}/cpuacct.usage")  # version 1 of cgroups
    if first.exists():
        return int(first.read_text()) / 1e9
    folders = (f"system.slice/docker-{container}.scope", f"docker/{container}")
    files = (Path("/sys/fs/cgroup") / folder / "cpu.stat" for folder in folders)
    return next((int(file.read_text().split()[1]) / 1e6 for file in files if file.exists()), 0.0)


def docker(*arguments: str) -> None:
    """Run the Docker client; its own words where it fails."""
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def machine_lab(folder: Path) -> Iterator[MachineLab]:
    """A lab in an empty folder; its containers are removed with the block."""
    image()
    with opened(MachineLab(folder, free_port())) as lab:
        yield lab


def _by_hand(number: int) -> None:
    with tempfile.TemporaryDirectory() as folder, machine_lab(Path(folder)) as lab:
        lab.boot(f"node{each:03}" for each in range(number))
        print(lab.inventory().read_text())
        input(f"HOME={lab.home} npudoctor check --hosts {lab.inventory()}   Enter ends it. ")


if __name__ == "__main__":
    _by_hand(int(sys.argv[1]))
