"""One fault at a time in a host that has none: its own check says so, and no other one speaks up.

A row is `(name, what fails or warns, entry of the bundle, the text that is replaced, by what)`.
`EVERY` as the entry's text replaces the whole of it; None in its place takes the entry away as absent.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.samples import read_sample
from npudoctor.collect.snapshot import Entry, Snapshot
from npudoctor.finding import Status
from npudoctor.host import Host
from npudoctor.matrix import load_matrix

EVERY = ""
INFO, LSPCI, LINKS, NODES = "npu-smi info", "lspci -nn", "lspci -vvv", "ls -l /dev"
PACKAGES, ENV = "python-packages", "environment"
DRIVER, FIRMWARE = "/usr/local/Ascend/driver/version.info", "/usr/local/Ascend/firmware/version.info"
CHIP_7 = "| 7     910B3               | OK            | 101.2       44 "
NODE_7 = "crw-rw----. 1 HwHiAiUser HwHiAiUser 236,   7 Nov 12 08:31 davinci7\n"
HDC = "crw-rw----. 1 HwHiAiUser HwHiAiUser 239,   0 Nov 12 08:31 hisi_hdc\n"
KERNEL = "5.10.0-216.0.0.115.oe2203sp4.aarch64"
NEWER = "5.10.0-230.0.0.120.oe2203sp4.aarch64"
ROOT_DISK = "/dev/mapper/vg-root    515010816   88123456  400634880      19% /\n"
ROOT_NODES = "/dev/mapper/vg-root   32768000  512344  32255656    2% /\n"
SHM = "tmpfs                  527433728          0  527433728       0% /dev/shm"
ADD = "HOME=/root\n"
LIBRARIES = "LD_LIBRARY_PATH="
LOG = "[   14.201133]"
CANN = "/usr/local/Ascend/cann-8.5.0"

FAULTS = [
    # NPUs
    ("a chip in alarm", "fail npu.health", INFO, CHIP_7, CHIP_7.replace("OK   ", "Alarm")),
    ("a chip with a warning", "warn npu.health", INFO, CHIP_7, CHIP_7.replace("OK     ", "Warning")),
    ("a hot chip", "warn npu.temperature", INFO, CHIP_7, CHIP_7.replace("44", "95")),
    ("memory that no process owns", "warn npu.held", INFO, "3182 / 65536", "61182/ 65536"),
    ("a double-bit error", "fail npu.ecc", "npu-smi info -t ecc -i 3",
     "HBM Double Bit Error Count               : 0", "HBM Double Bit Error Count               : 2"),
    ("a chip of another kind", "warn npu.same_chips", INFO, CHIP_7, CHIP_7.replace("910B3", "910B4")),
    ("a device node less", "fail npu.counts_agree", NODES, NODE_7, ""),
    ("a card less on PCI", "fail npu.counts_agree", LSPCI,
     "42:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:d802] (rev 20)\n",
     ""),
    ("a card that fell off", "fail npu.lost", LSPCI, "(rev 20)\n7d", "(rev ff)\n7d"),
    ("no management node", "fail npu.device_nodes", NODES, HDC, ""),
    ("a driver upgraded without a reboot", "fail driver.running_version", DRIVER, "Version=25.5.0\n",
     "Version=25.5.1\n"),
    ("a firmware upgraded without a reboot", "fail firmware.running_version", FIRMWARE, "7.8.0.5.216",
     "7.8.0.6.201"),
    ("another firmware on one NPU", "fail firmware.running_version, warn firmware.same_on_all",
     "npu-smi info -t board -i 5", "7.8.0.5.216", "7.8.0.2.212"),
    ("a driver installed in part", "fail driver.install_complete", "/etc/ascend_install.info",
     "Driver_Install_Status=complete", "Driver_Install_Status=incomplete"),
    ("an event of the driver", "warn driver.udevid_conflict", "dmesg", LOG,
     f"[   13.0] [ascend] [uda] [uda_occupy_dev_by_ns 120] Conflict open udevid 3\n{LOG}"),
    # pairings
    ("an old driver",
     "fail driver.cann_pairing, fail driver.running_version, "
     "warn driver.firmware_pairing, warn serving.hdk_floor",
     INFO, "25.5.0", "23.0.7"),
    ("torch of another release",
     "fail serving.vllm_ascend_pairing, fail torch.torch_npu_pairing, fail torch.torchvision",
     PACKAGES, "torch==2.8.0+cpu", "torch==2.7.1+cpu"),
    ("vllm-ascend of another release", "fail serving.vllm_ascend_pairing", PACKAGES, "vllm-ascend==0.13.0",
     "vllm-ascend==0.11.0"),
    ("a placeholder", "warn python.placeholder_packages", PACKAGES, "numpy==1.26.4",
     "numpy==1.26.4\ncann==0.0.1"),
    ("triton beside triton-ascend", "fail torch.triton_conflict", PACKAGES, "triton-ascend==3.2.0",
     "triton-ascend==3.2.0\ntriton==3.4.0"),
    ("no operators", "fail cann.operators",
     f"ls {CANN}/opp/built-in/op_impl/ai_core/tbe/kernel/config", EVERY, "ascend310p\n"),
    ("the other C++ ABI", "fail cann.nnal_abi", ENV, "cxx_abi_1", "cxx_abi_0"),
    ("torch_npu without torchair", "warn torch.torchair",
     "ls /usr/local/python3.11.13/lib/python3.11/site-packages/torch_npu/dynamo/torchair",
     "__init__.py\n", ""),
    ("a protobuf that torchair refuses", "fail torch.torchair, warn python.cann_dependencies", PACKAGES,
     "protobuf==3.20.0", "protobuf==3.12.4"),
    ("AMCT beside a torch that it does not take", "warn torch.amct", PACKAGES, "torch==2.8.0+cpu",
     "torch==2.8.0+cpu\namct_pytorch==1.1.0\nonnx==1.18.0\nonnxruntime==1.20.0"),
    ("atc of another CANN", "warn cann.atc", "which atc msprof", f"atc {CANN}/bin/atc -> {CANN}/bin/atc",
     "atc /opt/bin/atc -> /opt/Ascend/ascend-toolkit/8.1.RC1/bin/atc"),
    ("a CANN tree with two versions", "fail cann.install_complete", f"{CANN}/version.cfg",
     "hccl_running_version=[8.5.0.2.220:8.5.0]", "hccl_running_version=[8.3.0.1.200:8.3.RC1]"),
    # the founding field report
    ("a small stack", "fail limits.stack", "ulimit -s", EVERY, "8192\n"),
    ("a small stack of the engine", "warn limits.stack_services",
     "systemctl show -p Id,LoadState,LimitSTACK,LimitSTACKSoft docker containerd kubelet isulad",
     "LimitSTACKSoft=infinity", "LimitSTACKSoft=8388608"),
    ("ASPM by policy", "warn pcie.aspm", "/sys/module/pcie_aspm/parameters/policy",
     "default [performance]", "[default] performance"),
    ("ASPM on a link", "fail pcie.aspm_link", LINKS, "ASPM Disabled; RCB", "ASPM L1 Enabled; RCB"),
    ("a pool larger than the chip", "fail memory.pool_size", ENV, ADD,
     ADD + "ASCEND_MEMORY_PRE_ALLOCATE=1\nASCEND_MEMORY_POOL_SIZE=85899345920\n"),
    ("a pool that leaves no room", "warn memory.pool_size", ENV, ADD,
     ADD + "ASCEND_MEMORY_PRE_ALLOCATE=1\nASCEND_MEMORY_POOL_SIZE=64424509440\n"),
    ("a pool without pre-allocation", "warn memory.pool_without_preallocation", ENV, ADD,
     ADD + "ASCEND_MEMORY_POOL_SIZE=32212254720\n"),
    ("a pool in words", "fail memory.pool_not_a_number", ENV, ADD,
     ADD + "ASCEND_MEMORY_PRE_ALLOCATE=1\nASCEND_MEMORY_POOL_SIZE=32G\n"),
    ("blocking launches", "warn env.launch_blocking", ENV, ADD, ADD + "ASCEND_LAUNCH_BLOCKING=1\n"),
    ("debug logs", "warn env.log_level", ENV, ADD, ADD + "ASCEND_GLOBAL_LOG_LEVEL=0\n"),
    ("debug logs of ACL", "warn env.log_level", ENV, ADD, ADD + "ACL_LOG_LEVEL=0\n"),
    ("debug logs of GE", "warn env.log_level", ENV, ADD, ADD + "GE_LOG_LEVEL=1\n"),
    ("a profiler left on", "warn env.profiling", ENV, ADD, ADD + "MSPROF_ENABLE=1\n"),
    # environment
    ("set_env.sh not sourced", "warn env.set_env_sourced", ENV, EVERY, "HOME=/root\nPATH=/usr/bin\n"),
    ("set_env.sh sourced twice", "warn env.set_env_twice", ENV, f"{LIBRARIES}",
     f"{LIBRARIES}{CANN}/lib64:{CANN}/lib64/plugin/opskernel:{CANN}/lib64/plugin/nnengine:"),
    ("two CANN trees", "fail env.one_cann_tree", ENV, f"ASCEND_OPP_PATH={CANN}",
     "ASCEND_OPP_PATH=/home/dev/Ascend/ascend-toolkit/8.2.RC1/opp"),
    ("a path that is not there", "fail env.paths_exist", ENV, f"ASCEND_HOME_PATH={CANN}",
     "ASCEND_HOME_PATH=/usr/local/Ascend/cann-8.9.0"),
    ("stubs first", "fail env.library_order", ENV, LIBRARIES, f"{LIBRARIES}{CANN}/devlib:"),
    ("a misspelt name", "warn env.misspelt_names", ENV, ADD, ADD + "HCCL_BUFFERSIZE=200\n"),
    ("a value that its reader refuses", "fail env.values", ENV, ADD, ADD + "TASK_QUEUE_ENABLE=7\n"),
    ("devices that are not there", "fail env.visible_devices", ENV, ADD,
     ADD + "ASCEND_RT_VISIBLE_DEVICES=0,9\n"),
    # the host
    ("no headers", "warn kernel.headers", "ls -d /lib/modules/*/build/Makefile", KERNEL, NEWER),
    ("modules of another kernel", "fail kernel.dkms", "dkms status", KERNEL, NEWER),
    ("no module loaded", "fail driver.modules", "lsmod", EVERY, "Module  Size  Used by\nnvme 61440 4\n"),
    ("another kernel at the next boot", "fail kernel.upgrade_pending", "ls /lib/modules", EVERY,
     f"{KERNEL}\n{NEWER}\n"),
    ("huge pages off", "warn kernel.thp", "/sys/kernel/mm/transparent_hugepage/enabled", EVERY,
     "always madvise [never]\n"),
    ("NUMA balancing", "warn kernel.numa_balancing", "/proc/sys/kernel/numa_balancing", EVERY, "1\n"),
    ("eager swapping", "warn kernel.swappiness", "/proc/meminfo", "SwapTotal:             0 kB",
     "SwapTotal:       8388608 kB"),
    ("large pages", "warn kernel.page_size", "getconf PAGESIZE", EVERY, "65536\n"),
    ("SELinux that enforces", "warn os.selinux", "getenforce", EVERY, "Enforcing\n"),
    ("a service that failed", "warn os.failed_units", "systemctl --failed --plain --no-legend", EVERY,
     "docker.service loaded failed failed Docker Application Container Engine\n"),
    ("a process that crashed in CANN", "warn kernel.crashes", "dmesg", LOG,
     f"[   13.0] python3[812]: segfault at 0 ip 0000ff sp 0000fe error 4 in libge.so[ff80+1000]\n{LOG}"),
    ("a process killed for memory", "warn kernel.oom_kills", "dmesg", LOG,
     f"[   13.0] Out of memory: Killed process 812 (python3) total-vm:1kB, anon-rss:1kB\n{LOG}"),
    ("an error of a link", "fail pcie.errors", "dmesg", LOG,
     f"[   13.0] pcieport 0000:00:00.0: AER: Uncorrected (Fatal) error: 0000:01:00.0\n{LOG}"),
    ("a narrow link", "warn pcie.link", LINKS, "LnkSta:\tSpeed 16GT/s, Width x16",
     "LnkSta:\tSpeed 16GT/s, Width x8"),
    ("few processes", "fail limits.processes", "ulimit -u", EVERY, "256\n"),
    ("a slow clock", "warn kernel.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
     EVERY, "powersave\n"),
    ("idle huge pages", "warn memory.huge_pages", "/proc/meminfo",
     "HugePages_Total:       0\nHugePages_Free:        0",
     "HugePages_Total:  102400\nHugePages_Free:   102400"),
    ("no memory left", "warn memory.available", "/proc/meminfo", "966367641", "9663676"),
    ("small shared memory", "warn memory.shm", "df -Pk", SHM,
     "tmpfs                      65536          0      65536       0% /dev/shm"),
    ("a full disk", "fail storage.space, warn storage.install_space", "df -Pk", ROOT_DISK,
     "/dev/mapper/vg-root    515010816  514910816     100000     100% /\n"),
    ("no inodes", "fail storage.inodes", "df -Pi", ROOT_NODES,
     "/dev/mapper/vg-root   32768000 32768000         0  100% /\n"),
    ("a clock of its own", "warn os.time_sync", "timedatectl", "synchronized: yes", "synchronized: no"),
    ("an unattended upgrade", "warn os.kernel_updates", "/etc/dnf/automatic.conf", EVERY,
     "[commands]\nupgrade_type = default\napply_updates = yes\n"),
    ("no HwHiAiUser", "fail users.run_user", "/etc/passwd",
     "HwHiAiUser:x:1000:1000::/home/HwHiAiUser:/bin/bash\n", ""),
    ("other ids", "warn users.run_user_ids", "/etc/passwd", "HwHiAiUser:x:1000:1000",
     "HwHiAiUser:x:1005:1000"),
    ("an open install folder",  "warn users.install_owner",
     "ls -ld /usr/local/Ascend /var/log/npu /dev/shm /tmp /var/log /var/lib/docker",
     "drwxr-xr-x. 6 root root 4096 Nov 12 09:10 /usr/local/Ascend",
     "drwxrwxrwx. 6 root root 4096 Nov 12 09:10 /usr/local/Ascend"),
    ("nodes of another group", "warn users.device_nodes", NODES, NODE_7,
     NODE_7.replace("HwHiAiUser HwHiAiUser", "root root")),
    ("su with a password", "warn users.pam_su", "/etc/pam.d/su", "auth\t\tsufficient\tpam_rootok.so\n", ""),
    # HCCL
    ("a port without a link", "fail network.link", "hccn_tool -i 3 -link -g", "UP", "DOWN"),
    ("a port that reaches nothing", "fail network.net_health", "hccn_tool -i 3 -net_health -g", "Success",
     "Fault"),
    ("a port without an address", "fail network.addresses, warn network.hccn_conf_agrees",
     "hccn_tool -i 3 -ip -g", EVERY, "\n"),
    ("an address twice", "fail network.unique_addresses, warn network.hccn_conf_agrees",
     "hccn_tool -i 3 -ip -g", "192.0.2.24", "192.0.2.23"),
    ("TLS on one port", "fail network.tls_alike", "hccn_tool -i 3 -tls -g", "tls switch[0]", "tls switch[1]"),
    ("a port without a gateway", "warn network.gateway", "hccn_tool -i 3 -gateway -g", EVERY, "\n"),
    ("a gap in hccn.conf", "fail network.hccn_conf", "/etc/hccn.conf", "address_5=192.0.2.26\n", ""),
    ("a port that is taken", "warn network.ports_free", "ss -ltnp", "0.0.0.0:22 ", "0.0.0.0:16666 "),
    ("ports not reserved", "warn network.ports_reserved", "/proc/sys/net/ipv4/ip_local_reserved_ports",
     EVERY, "\n"),
    ("a firewall", "warn network.firewall", "systemctl is-active firewalld", "inactive", "active"),
]  # fmt: skip


@pytest.fixture(scope="module")
def healthy() -> Snapshot:
    return read_sample("a2-healthy")


@pytest.fixture(scope="module")
def judge():
    checks, matrix = all_checks(), load_matrix()
    return lambda snapshot: run_checks(checks, Host(snapshot), matrix)


def planted(snapshot: Snapshot, name: str, old: str, new: str) -> Snapshot:
    """The snapshot with one text in one entry replaced."""
    entry = next(one for one in snapshot.entries.values() if name in (one.origin, one.path))
    text = entry.text
    assert old in text, f"{name} of the sample has no {old!r}"
    changed = text.replace(old, new, 1 if name == LINKS or old.endswith("=") else -1) if old else new
    entries = dict(snapshot.entries)
    entries[entry.path] = Entry(entry.path, entry.origin, changed.encode())
    return replace(snapshot, entries=entries)


def said(findings) -> str:
    loud = [one for one in findings if one.status in (Status.FAIL, Status.WARN)]
    return ", ".join(
        f"{one.status.value} {one.id}" for one in sorted(loud, key=lambda f: (f.status.value, f.id))
    )


@pytest.mark.parametrize(("fault", "expected", "entry", "old", "new"), FAULTS, ids=[row[0] for row in FAULTS])
def test_this_fault_is_named_and_nothing_else(healthy, judge, fault, expected, entry, old, new) -> None:
    assert said(judge(planted(healthy, entry, old, new))) == expected


PORTS = {
    "link": "link status: DOWN\n",
    "ip": "\n",
    "gateway": "\n",
    "net_health": "net health status: Init\n",
}


def test_a_server_without_a_network_of_npus_is_told_so_once(healthy, judge) -> None:
    alone = healthy
    for npu in range(8):
        for what, printed in PORTS.items():
            alone = planted(alone, f"hccn_tool -i {npu} -{what} -g", EVERY, printed)
    entries = {path: one for path, one in alone.entries.items() if path != "files/etc/hccn.conf"}
    absent = Entry("files/etc/hccn.conf", "/etc/hccn.conf", exit_code=127, state="absent")

    found = judge(replace(alone, entries={**entries, absent.path: absent}))

    assert said(found) == "warn network.link"
