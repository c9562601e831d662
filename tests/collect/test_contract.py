"""Every entry that the bundle layout promises is understood in a bundle made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.redact import redact
from npudoctor.collect.redact.redactor import Run
from npudoctor.collect.redact.tokens import Tokens
from npudoctor.collect.samples import read_sample, samples
from npudoctor.collect.snapshot import Snapshot
from npudoctor.collect.write import write_bundle
from npudoctor.finding import Finding
from npudoctor.host import AREAS, Host
from npudoctor.matrix import load_matrix
from npudoctor.report.facts import facts_of

CASES = Path(__file__).parent.parent / "parse" / "cases"
CANN = "files/usr/local/Ascend/ascend-toolkit/8.2.RC1"
INSTALLED = "package_name=Ascend-cann-toolkit\nversion=8.2.RC1\narch=aarch64\nos=linux\n"
VERSION = "Version=8.2.RC1\nversion_dir=8.2.RC1\n"

FROM_A_SAMPLE = [
    *(f"commands/npu-smi_info{rest}" for rest in ("", "_-l", "_-m", "_-t_topo")),
    *(f"commands/npu-smi_info_-t_{what}_-i_0" for what in ("board", "ecc")),
    *(f"commands/hccn_tool_-i_0_-{what}_-g" for what in ("link", "ip", "tls", "net_health", "gateway")),
    *(f"commands/{slug}" for slug in ("lspci_-nn", "lspci_-vvv", "ls_-l_dev", "id", "uname_-a")),
    *(f"commands/{slug}" for slug in ("getconf_PAGESIZE", "ss_-ltnp", "docker_info")),
    *(f"commands/ulimit_-{letter}" for letter in "snl"),
    *(f"commands/{slug}" for slug in ("df_-Pk", "dmesg", "lsmod", "systemd-detect-virt")),
    "files/etc/os-release",
    "files/proc/cmdline",
    "files/proc/meminfo",
    "files/proc/sys/vm/swappiness",
    "files/proc/sys/vm/overcommit_memory",
    "files/proc/sys/vm/max_map_count",
    "files/proc/sys/kernel/numa_balancing",
    "files/sys/module/pcie_aspm/parameters/policy",
    "files/sys/kernel/mm/transparent_hugepage/enabled",
    "files/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "files/usr/local/Ascend/driver/version.info",
    "files/usr/local/Ascend/firmware/version.info",
    "files/etc/ascend_install.info",
    "files/etc/hccn.conf",
    "files/etc/docker/daemon.json",
    "files/usr/local/Ascend/cann/aarch64-linux/ascend_toolkit_install.info",
    "files/usr/local/Ascend/nnal/atb/latest/version.info",
    "python-packages",
    "environment",
]  # fmt: skip
FROM_A_CASE = {
    "commands/npu-smi_info_-t_health_-i_7": "npu-smi-health/950",
    "commands/npu-smi_info_-t_common_-i_7": "npu-smi-common/310p-duo",
    "commands/npu-smi_info_-t_memory_-i_7": "npu-smi-memory/310p-duo",
    "commands/npu-smi_info_-t_usages_-i_7": "npu-smi-usages/310p-duo",
    "commands/npu-smi_info_-t_product_-i_7": "npu-smi-product/310p-duo",
    "commands/hccn_tool_-i_7_-netdetect_-g": "hccn-netdetect/not-set",
    "commands/hccn_tool_-i_7_-optical_-g": "hccn-optical/weak-lane",
    "commands/hccn_tool_-i_7_-link_stat_-g": "hccn-link-stat/table-of-a-950",
}
WRITTEN_HERE = {
    "commands/lspci": "c1:00.0 Processing accelerators: Huawei Technologies Co., Ltd. Device d802 (rev 20)\n",
    "commands/docker_inspect_vllm": '[{"Name": "/vllm", "HostConfig": {"Devices": [{"PathOnHost": '
    '"/dev/davinci0", "PathInContainer": "/dev/davinci0", "CgroupPermissions": "rwm"}]}}]\n',
    "commands/npu-smi_info.stderr": "DrvMngGetConsoleLogLevel failed. (g_conLogLevel=3)\n"
    "dcmi module initialize failed. ret is -8005\n",
    "files/usr/local/Ascend/ascend-toolkit/latest/aarch64-linux/ascend_toolkit_install.info": INSTALLED,
    "files/usr/local/Ascend/cann-8.5.0/x86_64-linux/ascend_toolkit_install.info": INSTALLED,
    f"{CANN}/aarch64-linux/ascend_toolkit_install.info": INSTALLED,
    f"{CANN}/aarch64-linux/ascend_kernels_910b_install.info": INSTALLED.replace("toolkit", "kernels-910b"),
    f"{CANN}/opp_kernel/version.info": VERSION,
    f"{CANN}/ops_nn/version.info": VERSION,
    f"{CANN}/runtime/version.info": VERSION,
}


def content(path: str) -> bytes:
    if path in FROM_A_CASE:
        return (CASES / f"{FROM_A_CASE[path]}.txt").read_bytes()
    if path in WRITTEN_HERE:
        return WRITTEN_HERE[path].encode()
    return read_sample("a2-healthy").entries[path].stdout


def facts(folder: Path) -> str:
    return facts_of(Host(read_bundle(folder)), AREAS)


@pytest.mark.parametrize("path", [*FROM_A_SAMPLE, *FROM_A_CASE, *WRITTEN_HERE])
def test_an_entry_alone_with_no_manifest_shows_in_the_facts(path: str, tmp_path: Path) -> None:
    (tmp_path / "b/logs").mkdir(parents=True)
    (tmp_path / "b/logs/x").touch()
    if path.startswith(
        (f"{CANN}/op", f"{CANN}/aarch64-linux/ascend_kernels")
    ):  # parts of a CANN belong to one
        toolkit = tmp_path / "b" / CANN / "aarch64-linux/ascend_toolkit_install.info"
        toolkit.parent.mkdir(parents=True)
        toolkit.write_text(INSTALLED)
    without = facts(tmp_path / "b")
    (tmp_path / "b" / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "b" / path).write_bytes(content(path))
    assert facts(tmp_path / "b") != without


@pytest.mark.parametrize("name", ["b", "b.tar.gz", "b.zip"])
@pytest.mark.parametrize("sample", sorted(samples()))
def test_every_form_of_a_bundle_gives_the_same_verdicts(sample: str, name: str, tmp_path: Path) -> None:
    snapshot, key = read_sample(sample), bytes(32)
    write_bundle(snapshot, tmp_path / name, Run(Tokens(key)))
    assert verdicts(read_bundle(tmp_path / name)) == verdicts(redact(snapshot, Run(Tokens(key))))


def verdicts(snapshot: Snapshot) -> list[Finding]:
    matrix = load_matrix()
    found = run_checks(all_checks(), Host(snapshot), matrix)
    return [replace(finding, seconds=0.0) for finding in found]
