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
        host.wait(boots=2)                                # for its second boot; also drop, unplug, plug,
        host.cut_power()                                  # power_off, power_on, occupy(0), release
        before = snapshot(host)                           # tests.lab.unchanged
        assert changes(before, snapshot(host)) == []

`python -m tests.lab.provisioned 3 [key=value …]` starts three by hand (tests.lab.by_hand). `reboot`,
`systemctl reboot` and `shutdown -r` inside are a real restart (under a second) with a new boot id; /tmp and
/var/lib stay.

The state of a host is `/lab/host.yaml` there (flat `key: value`). Besides the keys of `lab.sh` (chip, pci,
npus, dies, net, sick, hang, …), read once, when the host first boots:
  driver, firmware    installed and running versions; `none` (default) for a bare host
  cann, nnal, ascend_runtime   installed versions
  half: yes           its driver is half installed: no version.info, no module, nothing loaded
  hccn: yes           the RoCE ports have addresses, in the net `net`
  busy                NPUs that a process uses from the first boot on: `0 1`
  docker              the version of a Docker that is there; containers: `NAME IMAGE` (once a line) run in it;
                      `real`: an engine of its own, with real containers (tests.lab.engine)
  factory             the firmware in the flash of chips that nobody flashed
  os                  `ubuntu22.04`: what /etc/os-release says (default: Debian 12)
  family              of the chip: `910B` (default), `A3`, `310P`, …; with another one say chip and pci too
                      (A3: chip=910_9392, pci=d803, dies=2)
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
  hw_base             what upgrade-tool says of the chips: 234 to 240; of the driver it is a floor too
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
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from tests.lab.diary import Event, Install, installs, read_events
from tests.lab.engine import engine_options, remove_bridge
from tests.lab.host import LAB
from tests.lab.image import HOME, image, why_not
from tests.lab.machines import Machine, docker
from tests.lab.packages import MACHINE, Package, build, parts_of_cann, stage
from tests.lab.sshd import SshHost, SshLab, configure, free_port, opened, wait_for
from tests.lab.wheels import write_wheelhouse

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_OPTIONS = "Subsystem sftp internal-sftp\nUsePAM yes\n"
_AT_ONCE = 4
_OF_STACK = ("driver", "firmware", "cann", "ascend_runtime")
_ORDER = ("driver", "firmware", "toolkit", "ops", "kernels", "nnal", "ascend_runtime")
_LIKE = (
    "--cap-add", "SYS_ADMIN", "--cap-add", "SYS_PTRACE", "--security-opt", "seccomp=unconfined",
    "--tmpfs", "/run", "--tmpfs", "/run/lock",
    "--network", "host", "--restart", "always", "--stop-signal", "SIGRTMIN+3", "--shm-size", "1g",
)  # fmt: skip
_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
_ENOUGH = 2048
_CGROUPS = {
    1: ("--cgroupns", "host", "--cgroup-parent", "/machines", "-v", "/sys/fs/cgroup:/sys/fs/cgroup"),
    2: ("--cgroupns", "private"),
}
"""By version. Neither shows the name of a container in /proc/1/cgroup: the host is read as a machine."""


@dataclass
class ProvisionedHost(Machine):
    """One host."""

    def stop(self) -> None:
        """Remove it, and the file systems that it had."""
        super().stop()
        for place in (self.folder / "small").glob("*"):
            subprocess.run(["umount", str(place)], check=False, stderr=subprocess.DEVNULL)

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

    def wait(self, boots: int = 1, seconds: float = 60) -> None:
        """Until its sshd listens in the boot with this number."""
        until = time.monotonic() + seconds
        while not (self.folder / "boots").exists() or len(self.boots) < boots:
            assert time.monotonic() < until, f"{self.container} does not boot"
            time.sleep(0.05)
        wait_for(self.address, self.port, self.folder / "first_boot.log")

    def drop(self) -> None:
        """Break every connection to it; new ones are taken."""
        self.run("pkill", "-9", "-f", "^sshd: [^/]", check=False)

    def unplug(self) -> None:
        """Nobody reaches it by ssh until `plug`; it runs on."""
        self.run("systemctl", "stop", "ssh")
        self.drop()

    def plug(self) -> None:
        """It can be reached again."""
        self.run("systemctl", "start", "ssh")
        self.wait()

    def cut_power(self) -> None:
        """Off and on again, with whatever was running."""
        boots = len(self.boots)
        docker("restart", "-t", "0", self.container)
        self.wait(boots + 1)

    def power_off(self) -> None:
        """Off, until `power_on`."""
        docker("kill", self.container)

    def power_on(self) -> None:
        """On again."""
        boots = len(self.boots)
        docker("start", self.container)
        self.wait(boots + 1)

    def occupy(self, *npus: int) -> None:
        """A process holds these NPUs until the next restart or `release`."""
        self.run("systemd-run", "--unit=job", "/system/busy.sh", *map(str, npus))
        self.run("sh", "-c", f"until fuser -s /dev/davinci{npus[0]}; do sleep 0.05; done")

    def release(self) -> None:
        """End what holds NPUs."""
        self.run("systemctl", "stop", "job.service", "training.service", check=False)


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
        state = (folder / "host.yaml").read_text()
        mounts = ["-v", f"{folder}:{HOME}", "-v", f"{LAB}/system:/system:ro"]
        mounts += [*_small_mounts(folder, state), *engine_options(folder, state)]
        command = ["--name", name, "--hostname", folder.name, *_LIKE, *_CGROUPS[_cgroups()], *mounts]
        docker("run", "-d", *command, image(), "/system/boot.sh")
        host.container = name
        host.wait()

    def packages(
        self, stack: str = "", chip: str = "910B", arch: str = MACHINE, padding: int = 0, **versions: str
    ) -> Path:
        """A folder with the packages of a stack, and of some components (or `cann`); each time the same.

        Of a stack it has the wheels for `python_env` too. `padding` are bytes that each package is larger by.
        """
        folder = self.folder / "packages"
        if stack:
            named = load_stack(load_matrix(), stack)
            chip, given = named.chip, named.versions
            versions = {key: given[key] for key in _OF_STACK if key in given} | versions
            versions.setdefault("nnal", given["cann"])
            write_wheelhouse(given["torch"], given["torch_npu"], folder)
        for component, version in _components(versions):
            build(Package(component, version, chip, arch, padding), folder)
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
        remove_bridge()


def _plant(folder: Path, state: dict[str, object]) -> None:
    """What was installed before: the packages, unpacked, for the first boot."""
    versions = {key: str(state.get(key) or "none") for key in (*_OF_STACK, "nnal")}
    given = {key: version for key, version in versions.items() if version != "none"}
    for number, (component, version) in enumerate(_components(given)):
        package = Package(
            component, version, str(state.get("family", "910B")), str(state.get("arch", MACHINE))
        )
        stage(package, folder / f"{number}-{component}")


def _components(versions: dict[str, str]) -> list[tuple[str, str]]:
    """Packages in the order of a first installation, for components and `cann`."""
    parts = parts_of_cann(versions["cann"]) if "cann" in versions else ()
    others = {key: each for key, each in versions.items() if key != "cann"}
    return sorted((dict.fromkeys(parts, versions.get("cann", "")) | others).items(), key=_place)


def _place(row: tuple[str, str]) -> int:
    return _ORDER.index(row[0])


def _small_mounts(folder: Path, state: str) -> list[str]:
    """File systems of their own, for `small` of the state: mounted here, as they outlive a restart."""
    rows = [line.split(": ", 1) for line in state.splitlines()]
    options = []
    for number, value in enumerate(value for key, value in rows if key == "small"):
        path, size = value.split()
        place = folder / "small" / str(number)
        place.mkdir(parents=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "small", str(place)]
        subprocess.run(command, check=True)
        options += ["-v", f"{place}:{path}"]
    return options


def _cgroups() -> int:
    return 2 if Path("/sys/fs/cgroup/cgroup.controllers").exists() else 1


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
    """A lab in an empty folder; its containers are removed with the block. A test without one is skipped."""
    if reason := why_not():
        import pytest  # a lab by hand does without

        pytest.skip(reason)
    image()
    _allow_many()
    with opened(ProvisionLab(folder, free_port())) as lab:
        yield lab


def _allow_many() -> None:
    """Every systemd takes some 8 inotify instances, and all hosts are the same root: 128 are for 14 hosts.

    The 15th would hang at its boot, so this setting of the machine is raised (and left so).
    """
    if int(_INSTANCES.read_text()) < _ENOUGH:
        _INSTANCES.write_text(str(_ENOUGH))


if __name__ == "__main__":
    from tests.lab.by_hand import main

    main(sys.argv[1:])
