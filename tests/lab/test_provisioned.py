"""The lab's hosts that boot systemd: bare or installed, restarted for real, with vendor-like packages."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from tests.lab.diary import Install
from tests.lab.image import image, why_not
from tests.lab.packages import Package, build
from tests.lab.provisioned import provision_lab
from tests.lab.unchanged import changes, snapshot

DRIVER = Package("driver", "25.5.0").name
OLD_DRIVER = Package("driver", "25.2.0").name
FIRMWARE = Package("firmware", "7.8.0.5.216").name
STACK = "a2-cann8.5.0-vllm0.13.0"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    image()
    with provision_lab(tmp_path_factory.mktemp("provisioned")) as lab:
        lab.packages(STACK)
        lab.packages(driver="25.2.0")
        yield lab


@pytest.fixture
def boot(lab):
    """Start one host; it ends with the test."""
    begun = []

    def boot_one(**state):
        name = f"host{len(lab.hosts)}"
        lab.boot(name, **state)
        begun.append(lab.hosts[name])
        return lab.hosts[name]

    yield boot_one
    for host in begun:
        host.stop()


@pytest.fixture
def bare(boot):
    return boot(user="HwHiAiUser")


@pytest.fixture
def installed(boot):
    return boot(driver="25.2.0", firmware="7.7.0.2.220")


def install(path, host, *options, text="", before=":"):
    """Run a package on a host."""
    subprocess.run(["docker", "cp", "-q", path, f"{host.container}:/root/"], check=True)
    return host.run("sh", "-c", f"{before}; sh /root/{path.name} {' '.join(options)}", check=False, text=text)


def restart(host):
    number = len(host.boots)
    host.run("reboot")
    host.wait(number + 1)


def test_a_bare_host_has_npus_on_pci_and_nothing_else(boot):
    host = boot()
    assert host.run("lspci", "-n", "-d", "19e5:d802").stdout.count("1200: 19e5:d802") == 2
    assert (
        host.run("sh", "-c", "command -v npu-smi; ls -d /dev/davinci* /usr/local/Ascend", check=False).stdout
        == ""
    )
    assert host.run("id", "HwHiAiUser", check=False).returncode == 1


def test_a_restart_is_one(bare):
    bare.run("touch", "/tmp/kept", "/run/gone")
    restart(bare)
    first, second = bare.boots
    assert bare.run("cat", "/proc/sys/kernel/random/boot_id").stdout.strip() == second != first
    assert bare.run("sh", "-c", "ls /tmp/kept /run/gone", check=False).stdout == "/tmp/kept\n"
    assert bare.run("systemctl", "is-system-running", "--wait").stdout == "running\n"


def test_a_first_driver_runs_at_once_and_firmware_after_a_restart(lab, bare):
    driver = install(lab.packages() / DRIVER, bare, "--full", "--quiet", "--install-for-all")
    firmware = install(lab.packages() / FIRMWARE, bare, "--full", "--quiet")
    assert (driver.returncode, firmware.returncode) == (0, 0)
    assert "installed successfully! The new version takes effect immediately" in driver.stdout
    assert bare.running == {"driver": "25.5.0", "firmware": "7.1.0.3.220"}
    restart(bare)
    assert bare.running == {"driver": "25.5.0", "firmware": "7.8.0.5.216"}
    assert bare.run("npu-smi", "info", "-l").stdout.count("NPU ID") == 2


def test_an_upgrade_asks_for_a_restart_by_words_and_code(lab, installed):
    done = install(lab.packages() / DRIVER, installed, "--upgrade", "--quiet")
    assert done.returncode == 2
    assert "Reboot needed for installation/upgrade to take effect" in done.stdout
    assert installed.running["driver"] == "25.2.0"
    restart(installed)
    assert installed.running["driver"] == "25.5.0"
    assert installed.installs == [Install("driver", "25.5.0", "--upgrade --quiet", 2)]


@pytest.mark.parametrize(
    ("options", "state", "words"),
    [
        (("--upgrade", "--install-path=/opt"), {}, "0x0004"),
        (("--full", "--install-username=HwHiAiUser"), {}, "not specified at the same time"),
        (
            ("--upgrade",),
            {"driver_floor": "26.0.rc1"},
            "Version check does not match, please use version 26.0.rc1",
        ),
        (("--upgrade",), {"busy": "1"}, "davinci nodes are occupied"),
        (("--upgrade",), {"pci": "d803"}, "package and environment is not match"),
        (("--upgrade",), {"arch": "aarch64"}, "Arch mismatch"),
        (("--upgrade",), {"small": "/usr/local/Ascend 40m"}, "free space only"),
    ],
)
def test_what_a_driver_refuses_changes_nothing(lab, boot, options, state, words):
    host = boot(driver="25.2.0", firmware="7.7.0.2.220", **state)
    before = snapshot(host, besides=(f"/root/{DRIVER}", "/var/log"))
    done = install(lab.packages() / DRIVER, host, *options)
    assert done.returncode == 1
    assert words in done.stdout
    assert changes(before, snapshot(host, besides=(f"/root/{DRIVER}", "/var/log"))) == []
    assert host.installs == []


def test_without_the_headers_of_its_kernel_a_driver_is_half_installed(lab, boot):
    host = boot(driver="25.2.0", headers="5.10.0-1")
    done = install(lab.packages() / DRIVER, host, "--upgrade", "--quiet")
    assert done.returncode == 1
    assert "Drv_dkms_env_check failed" in done.stdout
    restart(host)
    assert host.running["driver"] == "none"


def test_the_installer_dies_half_way_once(lab, installed):
    installed.set(die_install="driver * 1")
    assert install(lab.packages() / DRIVER, installed, "--upgrade", "--quiet").returncode == 137
    assert install(lab.packages() / DRIVER, installed, "--full", "--quiet").returncode == 2
    assert [run.code for run in installed.installs] == [None, 2]


def test_a_small_disk_fills_half_way(lab, boot, tmp_path):
    host = boot(small="/usr/local/Ascend 4m")
    package = Package("toolkit", "8.5.0", padding=6_000_000)
    done = install(build(package, tmp_path), host, "--install", "--quiet")
    assert done.returncode == 1
    assert "No space left on device" in done.stdout + done.stderr
    assert host.installs == [Install("toolkit", "8.5.0", "--install --quiet", 1)]
    restart(host)
    assert host.run("ls", "/usr/local/Ascend").stdout == "cann-8.5.0\n"


def test_the_power_goes_half_way(lab, installed):
    installed.set(cut_install="firmware * 1")
    install(lab.packages() / FIRMWARE, installed, "--upgrade", "--quiet")
    installed.wait(2)
    assert installed.installs[0].code is None
    assert installed.running["firmware"] == "7.7.0.2.220"


def test_a_request_to_restart_can_be_ignored_and_a_restart_can_hang(installed):
    installed.set(reboot_ignored=1, no_return=1)
    installed.run("systemctl", "reboot")
    assert installed.run("true").returncode == 0
    installed.run("shutdown", "-r", "now")
    with pytest.raises(AssertionError):
        installed.wait(2, seconds=2)
    installed.set(no_return=None)
    installed.wait(2)


def test_a_driver_can_be_bad_or_bad_from_the_next_boot_on(installed):
    installed.set(bad_driver="25.2.0")
    assert "Alarm" in installed.run("npu-smi", "info", "-t", "health", "-i", "0").stdout
    installed.set(bad_after_boot="25.2.0")
    restart(installed)
    assert "ret is -8005" in installed.run("npu-smi", "info", check=False).stdout


def test_what_the_kernel_keeps_is_its_own(bare):
    pages = "/sys/kernel/mm/transparent_hugepage/enabled"
    bare.run("sh", "-c", f"echo 1 >/proc/sys/vm/swappiness; echo never >{pages}")
    bare.run("sh", "-c", f"until grep -F '[never]' {pages}; do sleep 0.1; done")
    bare.run("tee", "/etc/sysctl.d/lab.conf", text="vm.swappiness = 7\n")
    bare.run("tee", "/etc/tmpfiles.d/lab.conf", text=f"w {pages} - - - - always\n")
    bare.run("tee", "/etc/default/grub", text="GRUB_CMDLINE_LINUX=pcie_aspm=off\n")
    bare.run("update-grub")
    assert "pcie_aspm" not in bare.run("cat", "/proc/cmdline").stdout
    restart(bare)
    assert bare.run("cat", "/proc/sys/vm/swappiness", pages).stdout == "7\n[always] madvise never\n"
    assert "pcie_aspm=off" in bare.run("cat", "/proc/cmdline").stdout
    assert "ASPM Disabled" in bare.run("lspci", "-vvv").stdout
    assert Path("/proc/sys/vm/swappiness").read_text() != "7\n"


def test_an_npu_in_use_is_seen_by_all(installed):
    installed.occupy(1)
    assert installed.run("fuser", "/dev/davinci1", check=False).stdout.strip()
    assert "python3" in installed.run("npu-smi", "info").stdout
    installed.release()
    assert "python3" not in installed.run("npu-smi", "info").stdout


def test_it_can_be_cut_off(lab, installed):
    known = f"UserKnownHostsFile={lab.ssh}/known_hosts"
    login = [
        "ssh",
        "-i",
        lab.ssh / "id_ed25519",
        "-o",
        known,
        "-p",
        str(installed.port),
        f"root@{installed.address}",
    ]
    with subprocess.Popen(
        [*login, "echo in; sleep 60"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as session:
        assert session.stdout.readline() == b"in\n"
        installed.drop()
        assert session.wait(10) == 255
    connect(installed)
    installed.unplug()
    with pytest.raises(OSError, match="refused"):
        connect(installed)
    installed.plug()
    connect(installed)


def test_a_whole_stack_answers(lab, bare):
    quiet = ("--install", "--quiet")
    env = ". /usr/local/Ascend/cann/set_env.sh"
    install(lab.packages() / DRIVER, bare, "--full", "--quiet")
    done = [
        install(lab.packages() / Package(kind, "8.5.0").name, bare, *quiet)
        for kind in ("ops", "toolkit", "ops", "nnal")
    ]
    done.append(install(lab.packages() / Package("nnal", "8.5.0").name, bare, *quiet, before=env))
    assert [each.returncode for each in done] == [
        1,
        0,
        0,
        1,
        0,
    ]  # operators want a toolkit, NNAL its environment
    tensor = "import torch, torch_npu; print(torch.npu.device_count(), torch.ones(3, 4).npu().sum().item())"
    subprocess.run(["docker", "cp", "-q", lab.packages(), f"{bare.container}:/root/all"], check=True)
    bare.run(
        "sh", "-c", "python3 -m venv /opt/v && /opt/v/bin/pip -q install --no-index -f /root/all torch_npu"
    )
    assert bare.run("sh", "-c", f"{env}; /opt/v/bin/python -c '{tensor}'").stdout == "2 12.0\n"
    assert "libhccl.so" in bare.run("/opt/v/bin/python", "-c", tensor, check=False).stderr


def test_an_older_cann_becomes_a_newer_one_and_loses_its_operators(lab, boot):
    host = boot(driver="25.2.0", cann="8.2.RC1")
    toolkit = lab.packages() / Package("toolkit", "8.5.0").name
    assert install(toolkit, host, "--install", "--quiet").returncode == 1  # beside one of the old layout
    assert install(toolkit, host, "--upgrade", "--quiet").returncode == 0
    assert host.run("ls", "/usr/local/Ascend/ascend-toolkit").stdout == "latest\nset_env.sh\n"
    assert host.run("readlink", "-f", "/usr/local/Ascend/cann").stdout == "/usr/local/Ascend/cann-8.5.0\n"
    assert host.run("ls", "/usr/local/Ascend/cann/opp", check=False).returncode == 2


def test_the_container_runtime_asks_for_its_eula(lab, boot):
    host = boot(driver="25.2.0", docker="24.0.7", containers="web nginx")
    name = Package("ascend_runtime", "7.3.0").name
    assert install(lab.packages() / name, host, "--install").returncode == 1
    assert install(lab.packages() / name, host, "--install", text="y\n").returncode == 0
    assert "ascend" not in host.run("docker", "info").stdout
    host.run("systemctl", "restart", "docker")
    assert "Default Runtime: ascend" in host.run("docker", "info").stdout
    assert [event.words for event in host.events if event.what == "container-stopped"] == ["web nginx"]


def connect(host):
    socket.create_connection((host.address, host.port), timeout=2).close()
