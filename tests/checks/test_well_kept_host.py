"""A server that is set up as the sources ask: no check of the system has anything to say."""

import pytest

from npudoctor.checks import (
    kernel,
    kernel_messages,
    kernel_tuning,
    limits,
    memory_host,
    os,
    os_services,
    registry,
    storage,
    storage_mounts,
)
from npudoctor.checks.runner import run_checks
from npudoctor.matrix import load_matrix

MODULES = (
    kernel,
    kernel_messages,
    kernel_tuning,
    limits,
    memory_host,
    os,
    os_services,
    storage,
    storage_mounts,
)
RELEASE = "5.10.0-182.0.0.95.oe2203sp3.aarch64"
FILES = {
    "/etc/os-release": 'NAME="openEuler"\nVERSION="22.03 (LTS-SP4)"\nID="openEuler"\nVERSION_ID="22.03"\n',
    "/proc/1/cgroup": "0::/init.scope\n",
    "/proc/meminfo": (
        "MemTotal:       1056000000 kB\nMemAvailable:    990000000 kB\nSwapTotal:             0 kB\n"
        "SwapFree:              0 kB\nHugePages_Total:       0\nHugePages_Free:        0\n"
        "Hugepagesize:       2048 kB\n"
    ),
    "/proc/mounts": "/dev/sda2 / ext4 rw,relatime 0 0\n",
    "/proc/sys/vm/swappiness": "1\n",
    "/proc/sys/kernel/numa_balancing": "0\n",
    "/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
    "/sys/fs/cgroup/pids.max": "max\n",
}
DF = "Filesystem 1024-blocks Used Available Capacity Mounted on\n"
UNITS = "Id={}.service\nLoadState=loaded\nLimitSTACK=infinity\nLimitSTACKSoft=67108864\n"
COMMANDS = {
    "uname -a": f"Linux node1 {RELEASE} #1 SMP Sat Dec 30 2023 aarch64 aarch64 aarch64 GNU/Linux\n",
    "getconf PAGESIZE": "4096\n",
    "getconf GNU_LIBC_VERSION": "glibc 2.34\n",
    "systemd-detect-virt": "none\n",
    "ulimit -s": "unlimited\n",
    "ulimit -n": "1048576\n",
    "ulimit -Hn": "1048576\n",
    "ulimit -l": "unlimited\n",
    "ulimit -u": "4120000\n",
    "systemctl show -p Id,LoadState,LimitSTACK,LimitSTACKSoft docker containerd kubelet isulad": "\n".join(
        UNITS.format(name) for name in ("docker", "containerd", "kubelet")
    ),
    "systemctl --failed --plain --no-legend": "",
    "dmesg": "[    0.000000] Booting Linux on physical CPU 0x0000080000 [0x481fd010]\n",
    "ls /lib/modules": f"{RELEASE}\n",
    "ls -d /lib/modules/*/build/Makefile": f"/lib/modules/{RELEASE}/build/Makefile\n",
    "dkms status": f"davinci_ascend/1.0, {RELEASE}, aarch64: installed\n",
    "timedatectl": "System clock synchronized: yes\n",
    "getenforce": "Permissive\n",
    "df -Pk": DF + "/dev/sda2 960303848 221340032 690109312 25% /\ntmpfs 528000000 0 528000000 0% /dev/shm\n",
    "df -Pi": "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/sda2 61022208 1202344 59819864 2% /\n",
    "du -sk ascend/log": "20480\t/root/ascend/log\n",
    "docker info": "Server:\n Server Version: 24.0.7\n Docker Root Dir: /var/lib/docker\n",
    "npu-smi info": """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.0.rc1                 Version: 25.0.rc1                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 92.8        38                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
+===========================+===============+====================================================+
""",
}
UPDATES = ["/etc/apt/apt.conf.d/20auto-upgrades", "/etc/dnf/automatic.conf"]
CHECKS = [
    check for check in registry._checks.values() if check.function.__module__ in {m.__name__ for m in MODULES}
]


@pytest.fixture(scope="module")
def matrix():
    return load_matrix()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_nothing_is_said_against_it(host, matrix, check):
    well_kept = host(files=FILES, commands=COMMANDS, environment="HOME=/root\n", absent=UPDATES)

    finding = run_checks([check], well_kept, matrix)[0]

    assert finding.status in ("pass", "skip"), finding.actual


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_host_that_nobody_read_passes_nothing(host, matrix, check):
    finding = run_checks([check], host(), matrix)[0]

    assert finding.status in ("unknown", "skip")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_every_verdict_shows_where_it_was_read(host, matrix, check):
    well_kept = host(files=FILES, commands=COMMANDS, environment="HOME=/root\n", absent=UPDATES)

    finding = run_checks([check], well_kept, matrix)[0]

    assert finding.status == "skip" or all(line.source and line.text for line in finding.evidence)
    assert finding.status == "skip" or finding.evidence


def test_the_areas_of_the_system_are_covered():
    assert {check.id.partition(".")[0] for check in CHECKS} == {"kernel", "limits", "memory", "os", "storage"}
    assert len(CHECKS) >= 30
