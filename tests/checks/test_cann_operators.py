"""Operator packages: for this chip, of a release that goes with the toolkit."""

from __future__ import annotations

import pytest

from npudoctor.checks.cann_operators import operators, operators_version, platform_config
from npudoctor.fact import Unavailable
from npudoctor.finding import Status

OLD = "/usr/local/Ascend/ascend-toolkit/8.2.RC1"
NEW = "/usr/local/Ascend/cann-8.5.0"
CONFIG = "opp/built-in/op_impl/ai_core/tbe/kernel/config"
A2 = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802]\n"}
FIRST = {"lspci -nn": A2["lspci -nn"].replace("d802", "d801")}
A3 = {"lspci -nn": A2["lspci -nn"].replace("d802", "d803")}


def toolkit(root: str, version: str) -> dict[str, str]:
    text = f"package_name=Ascend-cann-toolkit\nversion={version}\narch=aarch64\n"
    return {f"{root}/aarch64-linux/ascend_toolkit_install.info": text}


def ops(root: str, version: str, chip: str = "910b") -> dict[str, str]:
    text = f"package_name=Ascend-cann-{chip}-ops\nversion={version}\narch=aarch64\n"
    return {f"{root}/aarch64-linux/ascend_ops_install.info": text}


def test_the_chips_own_operators_pass(host):
    machine = host(toolkit(NEW, "8.5.0"), A2 | {f"ls {NEW}/{CONFIG}": "ascend910b\n"})

    assert operators(machine).status is Status.PASS


def test_operators_for_another_chip_fail_and_the_right_package_is_named(host):
    verdict = operators(host(toolkit(OLD, "8.2.RC1"), FIRST | {f"ls {OLD}/{CONFIG}": "ascend910b\n"}))

    assert verdict.status is Status.FAIL
    assert "Ascend-cann-kernels-910_8.2.RC1_linux-aarch64.run" in verdict.fix.commands[0]


def test_from_8_5_on_no_operators_fail(host):
    verdict = operators(host(toolkit(NEW, "8.5.0"), A3 | {f"ls {NEW}/{CONFIG}": ""}))

    assert verdict.status is Status.FAIL
    assert "Ascend-cann-A3-ops_8.5.0_linux-aarch64.run" in verdict.fix.commands[0]


def test_before_8_5_no_operators_are_a_warning_unless_torch_npu_needs_them(host):
    files, commands = toolkit(OLD, "8.2.RC1"), A2 | {f"ls {OLD}/{CONFIG}": ""}
    packages = "# /usr/bin/python3 3.10.12\ntorch-npu==2.6.0\n"

    assert operators(host(files, commands)).status is Status.WARN
    assert operators(host(files, commands, packages=packages)).status is Status.FAIL


def test_operators_that_nobody_looked_for_are_unknown(host):
    with pytest.raises(Unavailable):
        operators(host(toolkit(NEW, "8.5.0"), A2))


def test_no_cann_means_nothing_to_judge(host):
    none = host(commands=A2, absent=["/etc/Ascend/ascend_cann_install.info"])

    assert operators(none).status is Status.SKIP
    assert operators_version(none).status is Status.SKIP


@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("8.5.0", Status.PASS),
        ("8.5.1", Status.PASS),
        ("9.0.0", Status.PASS),
        ("9.1.0", Status.FAIL),
        ("8.3.RC1", Status.FAIL),
        ("10.0.0", Status.UNKNOWN),
    ],
)
def test_ops_may_be_one_release_apart_from_the_toolkit(host, version, status):
    assert operators_version(host(toolkit(NEW, "8.5.0") | ops(NEW, version))).status is status


@pytest.mark.parametrize(("runtime", "status"), [("8.2.0.1.203", Status.PASS), ("7.5.0.1.129", Status.FAIL)])
def test_before_8_5_the_kernels_say_which_toolkit_they_want(host, runtime, status):
    kernels = 'Version=8.2.0.1.203\nversion_dir=8.2.RC1\nrequired_package_runtime_version=">=8.1, <=8.2"\n'
    parts = {
        f"{OLD}/opp_kernel/version.info": kernels,
        f"{OLD}/runtime/version.info": f"Version={runtime}\nversion_dir=8.2.RC1\n",
    }

    assert operators_version(host(toolkit(OLD, "8.2.RC1") | parts)).status is status


PLATFORMS = f"ls {NEW}/aarch64-linux/data/platform_config"
TABLE = """
+------------------------------------------------------------------------------------------------+
| npu-smi 25.5.0                   Version: 25.5.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 92.8        38                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
+===========================+===============+====================================================+
"""


@pytest.mark.parametrize(
    ("names", "status"),
    [
        ("Ascend910B2.ini\nAscend910B3.ini\n", Status.PASS),
        ("Ascend910B2.ini\nAscend310P3.ini\n", Status.WARN),
        ("", Status.FAIL),
    ],
)
def test_the_chips_description_must_be_there(host, names, status):
    machine = host(toolkit(NEW, "8.5.0"), A2 | {"npu-smi info": TABLE, PLATFORMS: names})

    assert platform_config(machine).status is status


def test_a_description_that_nobody_looked_for_is_unknown(host):
    with pytest.raises(Unavailable):
        platform_config(host(toolkit(NEW, "8.5.0"), A2))
