"""Hosts that boot systemd and can be provisioned: bare or installed, restarted for real, broken on request.

    with provision_lab(folder) as lab:                    # an empty folder; see tests.lab.image.why_not()
        lab.boot("node1")                                 # bare: no driver, npu-smi, davinci*, HwHiAiUser
        lab.boot("node2", "node3", driver="25.2.0", firmware="7.7.0.2.220")        # installed and running
        packages = lab.packages(driver="25.5.0", firmware="7.8.0.5.216")   # a folder with .run packages
        lab.inventory()                                   # hosts.yml for Ansible and npudoctor
        host = lab.hosts["node1"]
        host.run("npu-smi", "info", check=False).stdout   # as root, without ssh
        host.running, host.boots, host.installs           # versions; boot ids; every run of an installer
        host.set(bad_driver="25.5.0")                     # change its state or give it a fault, at any time
        before = snapshot(host)                           # tests.lab.unchanged
        assert changes(before, snapshot(host)) == []

`python -m tests.lab.provisioned 3 [key=value …]` starts three by hand. `reboot`, `systemctl reboot` and
`shutdown -r` inside are a real restart (under a second) with a new boot id; /tmp and /var/lib stay.

The state of a host is `/lab/host.yaml` there (flat `key: value`). Besides the keys of `lab.sh` (chip, pci,
npus, dies, net, sick, hang, …), read once, when the host first boots:
  driver, firmware    installed and running versions; `none` (default) for a bare host
  factory             the firmware in the flash of chips that nobody flashed
  kernel, arch        what `uname` says where it is not this machine's
  headers             of which kernel (default: the running one; `none`)
  next_kernel         one that is installed and not booted yet
  user                `HwHiAiUser` to have the user without a driver
  lacks               tools that are not there: `gcc dkms make ifconfig`
  small               `/usr/local/Ascend 40m`: that folder is a file system of this size
Read whenever it matters:
  hot_reset: yes      an upgraded driver takes effect at once (default: it asks for a reboot, exit code 2)
  slow_chips: yes     a first installation says that chips are not ready, and asks for a reboot
  driver_floor, firmware_floor   the least version that may be installed (anti-rollback)
  bad_driver: V       with this driver running every NPU is in alarm; bad_after_boot: V: not loaded at a boot
  die_install, fail_install, cut_install, slow_install: COMPONENT VERSION|* TIMES|always
                      half-way through the installer is killed, fails in the vendor's words, the power goes,
                      or it takes `slow_seconds` (5)
  reboot_ignored: N   requests to restart that do nothing
  no_return: 1        the next boot hangs until this is gone
  slow_boot: N        seconds before anything of it listens
Components are `driver`, `firmware`, `toolkit`, `ops`, `kernels`, `nnal`, `ascend_runtime`.
"""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.lab.diary import Event, Install, installs, read_events
from tests.lab.host import LAB
from tests.lab.image import HOME, image
from tests.lab.machines import Machine, docker
from tests.lab.packages import Package, build, stage
from tests.lab.sshd import SshHost, SshLab, configure, free_port, opened, wait_for

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_OPTIONS = "Subsystem sftp internal-sftp\nUsePAM yes\n"
_AT_ONCE = 4
_LIKE = (
    "--cap-add", "SYS_ADMIN", "--security-opt", "seccomp=unconfined", "--cgroupns", "host",
    "-v", "/sys/fs/cgroup:/sys/fs/cgroup", "--tmpfs", "/run", "--tmpfs", "/run/lock",
    "--network", "host", "--restart", "always", "--stop-signal", "SIGRTMIN+3", "--shm-size", "1g",
)  # fmt: skip


@dataclass
class ProvisionedHost(Machine):
    """One host."""

    @property
    def folder(self) -> Path:
        """Its `/lab`: its state and its diary, seen from here."""
        return self.lab.folder

    @property
    def running(self) -> dict[str, str]:
        """The versions that run: `driver` (`none`: not loaded) and `firmware`."""
        lines = (self.folder / "running").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def boots(self) -> list[str]:
        """The boot id of each boot so far."""
        return [line.split()[0] for line in (self.folder / "boots").read_text().splitlines()]

    @property
    def events(self) -> list[Event]:
        """Its diary: what happened to it so far."""
        return read_events(self.folder / "events")

    @property
    def installs(self) -> list[Install]:
        """Every run of an installer in its order, the unfinished ones too."""
        return installs(self.events)

    def set(self, **state: object) -> None:
        """Change its state; None takes a key away."""
        path = self.folder / "host.yaml"
        rows = [line.split(": ", 1) for line in path.read_text().splitlines() if line]
        kept = [(key, value) for key, value in rows if key not in state]
        path.write_text("".join(f"{key}: {value}\n" for key, value in [*kept, *_rows(state)]))

    def run(self, *command: str, check: bool = True, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command on it as root, with the PATH of a login."""
        line = ["docker", "exec", "-i", "-e", f"PATH={_PATH}", self.container, *command]
        done = subprocess.run(line, input=text, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def wait(self) -> None:
        """Until its sshd listens."""
        wait_for(self.address, self.port, self.folder / "first_boot.log")


class ProvisionLab(SshLab):
    """Hosts to provision, and the home of the person who does."""

    kind = ProvisionedHost

    def boot(self, *names: str, **state: object) -> None:
        """Start hosts of one state, a few at a time."""
        hosts = [self.prepare(name, **state) for name in names]
        with ThreadPoolExecutor(_AT_ONCE) as several:
            list(several.map(self.start, hosts))
        for host in hosts:
            self.know(host)

    def prepare(self, name: str, **state: object) -> SshHost:
        """All of a host but its container."""
        net = f"198.18.{len(self.hosts)}"
        host = super().prepare(name, **{"net": net, "npus": 2, "driver": "none", "firmware": "none"} | state)
        folder = host.lab.folder
        _plant(folder / "planted", state)
        for file in ("calls", "events"):
            (folder / file).touch()
            (folder / file).chmod(0o666)
        return host

    def start(self, host: SshHost, options: str = "") -> None:
        """Run the container of a host and wait until its sshd listens."""
        assert isinstance(host, ProvisionedHost)
        folder = host.lab.folder
        configure(host, options + _OPTIONS, HOME, _PATH)
        _without_pam_no(folder / "sshd_config")
        name = f"npudoctor-lab-{host.port}-{folder.name}"
        mounts = ["-v", f"{folder}:{HOME}", "-v", f"{LAB}/system:/system:ro"]
        command = ["--name", name, "--hostname", folder.name, *_LIKE, *mounts, image(), "/system/boot.sh"]
        docker("run", "-d", *command)
        host.container = name
        host.wait()

    def packages(self, chip: str = "910B", **versions: str) -> Path:
        """A folder with the packages of some components, by component; the same folder each time."""
        folder = self.folder / "packages"
        for component, version in versions.items():
            build(Package(component, version, chip), folder)
        return folder

    def inventory(self) -> Path:
        """An Ansible inventory of all hosts in YAML, complete with key and known_hosts."""
        path = super().inventory()
        known = f"-o UserKnownHostsFile={self.ssh / 'known_hosts'} -o IdentitiesOnly=yes"
        key = self.ssh / "id_ed25519"
        more = f', ansible_ssh_private_key_file: {key}, ansible_ssh_common_args: "{known}"'
        path.write_text(_with(path.read_text(), more))
        return path

    def stop(self) -> None:
        """Remove every container."""
        with ThreadPoolExecutor(_AT_ONCE) as several:
            list(several.map(lambda host: host.stop(), self.hosts.values()))


def _plant(folder: Path, state: dict[str, object]) -> None:
    """What was installed before: the packages, unpacked, for the first boot."""
    for component in ("driver", "firmware"):
        version = str(state.get(component, "none"))
        if version != "none":
            stage(Package(component, version, str(state.get("family", "910B"))), folder / component)


def _with(inventory: str, more: str) -> str:
    """The inventory with more variables for all hosts, which stand on its last line."""
    return inventory.rstrip().removesuffix("}") + more + "}\n"


def _without_pam_no(config: Path) -> None:
    """Limits of logins are PAM's: the first word of sshd_config counts, and ours is before."""
    lines = config.read_text().splitlines(keepends=True)
    config.write_text("".join(line for line in lines if line != "UsePAM no\n"))


def _rows(state: dict[str, object]) -> list[tuple[str, object]]:
    given = [(key, value) for key, value in state.items() if value is not None]
    return [(key, item) for key, value in given for item in (value if isinstance(value, list) else [value])]


@contextlib.contextmanager
def provision_lab(folder: Path) -> Iterator[ProvisionLab]:
    """A lab in an empty folder; its containers are removed with the block."""
    image()
    with opened(ProvisionLab(folder, free_port())) as lab:
        yield lab


def _by_hand(number: int, state: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder, provision_lab(Path(folder)) as lab:
        lab.boot(*(f"node{each}" for each in range(1, number + 1)), **state)
        print(lab.inventory().read_text())
        input(f"npudoctor provision --hosts {shlex.quote(str(lab.inventory()))} …   Enter ends it. ")


if __name__ == "__main__":
    _by_hand(int(sys.argv[1]), dict(word.split("=", 1) for word in sys.argv[2:]))
