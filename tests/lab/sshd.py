"""Simulated hosts behind a real sshd: a process, an address of the loopback net and keys of its own each."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeVar

from tests.lab.host import LabHost, build

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
_CONFIG = """\
ListenAddress {address}:{port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 200
LogLevel ERROR
SetEnv PATH={path}
"""


@dataclass
class SshHost:
    """A simulated host that one can log in to.

    Attributes:
        lab: Its tools and its state.
        address: Its address in 127.0.0.0/8.
        process: The sshd; None once it is gone.
    """

    lab: LabHost
    address: str
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def public_key(self) -> str:
        """The host key as known_hosts has it: kind and base64."""
        return " ".join((self.lab.folder / "host_key.pub").read_text().split()[:2])

    def stop(self) -> None:
        """End the sshd that this object started."""
        if self.process:
            self.process.terminate()
            self.process.wait(10)
            self.process = None


@dataclass
class SshLab:
    """Some hosts, and the home of the person who reads them.

    Attributes:
        folder: Holds `home` with `.ssh`, and a folder for each host.
        port: The same on every address.
        kind: What a host of this lab is.
    """

    folder: Path
    port: int
    hosts: dict[str, SshHost] = field(default_factory=dict)
    kind: ClassVar[type[SshHost]] = SshHost

    @property
    def home(self) -> Path:
        """Where `~` is for whoever reads the hosts."""
        return self.folder / "home"

    @property
    def ssh(self) -> Path:
        """`~/.ssh`: `config`, `id_ed25519`, `known_hosts`."""
        return self.home / ".ssh"

    def add(self, name: str, *, known: bool = True, options: str = "", **state: object) -> SshHost:
        """Start a host: `options` are lines for its sshd_config, `state` is for `lab.host.build`."""
        host = self.prepare(name, **state)
        self.start(host, options)
        if known:
            self.know(host)
        return host

    def prepare(self, name: str, **state: object) -> SshHost:
        """All of a host but its sshd."""
        folder = self.folder / name
        folder.mkdir()
        lab = build(folder, **state)  # type: ignore[arg-type]
        make_key(folder / "host_key")
        shutil.copy(self.ssh / "id_ed25519.pub", folder / "authorized_keys")
        number = len(self.hosts)
        host = self.hosts[name] = self.kind(lab, f"127.0.{1 + number // 250}.{1 + number % 250}", self.port)
        return host

    def start(self, host: SshHost, options: str = "") -> None:
        """Run the sshd of a host and wait until it listens."""
        folder = host.lab.folder
        config = configure(host, options, str(folder), host.lab.variables["PATH"])
        log = folder / "sshd.log"
        assert SSHD
        host.process = subprocess.Popen([SSHD, "-D", "-f", config, "-E", log], stdin=subprocess.DEVNULL)
        wait_for(host.address, host.port, log)

    def know(self, host: SshHost, key: str | None = None) -> None:
        """Note a host's key, or another one, in known_hosts."""
        with (self.ssh / "known_hosts").open("a") as file:
            file.write(f"[{host.address}]:{host.port} {key or host.public_key}\n")

    def inventory(self) -> Path:
        """An Ansible inventory of all hosts in YAML."""
        lines = [f"    {name}: {{ansible_host: {host.address}}}" for name, host in self.hosts.items()]
        variables = f"  vars: {{ansible_port: {self.port}, ansible_user: {getpass.getuser()}}}"
        path = self.folder / "hosts.yml"
        path.write_text("\n".join(["npu:", "  hosts:", *lines, variables, ""]))
        return path

    def stop(self) -> None:
        """End every sshd."""
        for host in self.hosts.values():
            host.stop()


@contextlib.contextmanager
def ssh_lab(folder: Path) -> Iterator[SshLab]:
    """A lab in an empty folder; its processes end with the block."""
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd of root wants it for its privilege separation
    with opened(SshLab(folder, free_port())) as lab:
        yield lab


Lab = TypeVar("Lab", bound=SshLab)


@contextlib.contextmanager
def opened(lab: Lab) -> Iterator[Lab]:
    """A lab with a home; its hosts end with the block."""
    lab.ssh.mkdir(parents=True, mode=0o700)
    make_key(lab.ssh / "id_ed25519")
    try:
        yield lab
    finally:
        lab.stop()


def configure(host: SshHost, options: str, folder: str, path: str) -> Path:
    """Write the sshd_config of a host, whose folder is `folder` for its sshd, with lines of its own first."""
    config = host.lab.folder / "sshd_config"
    text = _CONFIG.format(address=host.address, port=host.port, folder=folder, path=path)
    config.write_text(options + text)
    return config


def make_key(path: Path, passphrase: str = "") -> None:
    """A new key pair `path`, `path.pub`."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "lab", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def free_port() -> int:
    """A port that nobody has, for all addresses of a lab."""
    with socket.socket() as probe:
        probe.bind(("127.0.1.1", 0))
        return int(probe.getsockname()[1])


def wait_for(address: str, port: int, log: Path) -> None:
    """Until something listens there; the log where nothing does."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
            return
        time.sleep(0.02)
    raise AssertionError(f"no sshd at {address}:{port}: {log.read_text() if log.exists() else ''}")
