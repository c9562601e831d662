"""Driver, firmware and CANN against the matrix."""

import pytest

from npudoctor.checks import pairing
from npudoctor.finding import Status
from npudoctor.matrix import load_matrix

NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802]\n"}


def ascend(host, driver="25.5.0", firmware="7.8.0.5.216", cann="8.5.0", chip="910B3"):
    table = f"""\
+------------------------------------------------------------------------------------------------+
| npu-smi {driver:<24} Version: {driver:<46}|
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     {chip:<20}| OK            | 92.8        38                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
+===========================+===============+====================================================+
"""
    root = "/usr/local/Ascend"
    install = f"package_name=Ascend-cann-toolkit\nversion={cann}\narch=aarch64\npath={root}/cann-{cann}\n"
    return host(
        files={
            f"{root}/driver/version.info": f"Version={driver}\n",
            f"{root}/firmware/version.info": f"Version={firmware}\n",
            f"{root}/cann/aarch64-linux/ascend_toolkit_install.info": install,
        },
        commands=NPU | {"npu-smi info": table},
    )


@pytest.mark.parametrize(
    ("driver", "cann", "status"),
    [
        ("25.5.0", "8.5.0", Status.PASS),
        ("24.1.0.3", "8.5.0", Status.FAIL),
        ("24.1.rc2.2", "8.2.RC2", Status.WARN),
        ("26.9.0", "9.1.0", Status.UNKNOWN),
        ("6.0.0", "7.0.0", Status.FAIL),
    ],
)
def test_the_answer_of_the_matrix_is_the_status(host, judge, driver, cann, status):
    assert judge(pairing.cann_pairing, ascend(host, driver, cann=cann), load_matrix()).status is status


def test_a_failure_shows_both_lines_the_source_and_what_to_take(host, judge):
    finding = judge(pairing.cann_pairing, ascend(host, "25.0.rc1.1", cann="9.1.0"), load_matrix())

    assert finding.expected == "driver>=25.2 or cann 9.0.X"
    assert any("25.0.rc1.1" in line.text for line in finding.evidence)
    assert any(line.text == "version=9.1.0" for line in finding.evidence)
    assert any("hiascend.com" in reference for reference in finding.references)
    assert finding.fix is not None
    assert finding.fix.role == "driver"


def test_the_same_firmware_is_right_on_one_chip_and_a_warning_on_another(host, judge):
    small = ascend(host, firmware="7.1.0.4.218", chip="310B4")
    large = ascend(host, firmware="7.1.0.4.218", chip="910B3")

    assert judge(pairing.firmware_pairing, small, load_matrix()).status is Status.PASS
    finding = judge(pairing.firmware_pairing, large, load_matrix())
    assert finding.status is Status.WARN
    assert finding.expected == "firmware 7.8.0.5.216"


@pytest.mark.parametrize(
    ("driver", "package", "status"),
    [
        ("25.5.7", "25.5.7", "pass"),
        ("25.5.7", "25.5.1", "unknown"),
        ("25.5.7", "23.0.7", "warn"),
        ("22.0.9", "6.0.1", "unknown"),
    ],
)
def test_the_firmware_package_names_its_release_where_no_list_does(host, judge, driver, package, status):
    root = "/usr/local/Ascend"
    files = {
        f"{root}/driver/version.info": f"Version={driver}\n",
        f"{root}/firmware/version.info": f"Version=7.1.0.77.220\npackage_version={package}\n",
    }

    finding = judge(pairing.firmware_pairing, host(files=files, commands=NPU), load_matrix())

    assert finding.status == status
    if status != "unknown":
        assert finding.evidence[-1].text == f"package_version={package}"


def test_firmware_of_the_right_release_for_another_chip_still_warns(host, judge):
    machine = ascend(host, firmware="7.1.0.4.218\npackage_version=25.5.0")

    assert judge(pairing.firmware_pairing, machine, load_matrix()).status is Status.WARN


def test_a_driver_that_could_not_be_read_is_unknown_and_no_pass(host, judge):
    machine = host(commands=NPU)

    assert judge(pairing.cann_pairing, machine, load_matrix()).status is Status.UNKNOWN
    assert judge(pairing.firmware_pairing, machine, load_matrix()).status is Status.UNKNOWN


def test_a_driver_number_that_is_none_is_unknown_and_no_crash(host, judge):
    machine = host(
        files={
            "/usr/local/Ascend/driver/version.info": "Version=25.5.0-custom?\n",
            "/usr/local/Ascend/firmware/version.info": "Version=7.8.0.5.216\n",
        },
        commands=NPU,
    )

    finding = judge(pairing.firmware_pairing, machine, load_matrix())
    assert finding.status is Status.UNKNOWN
    assert "the check itself failed" not in finding.actual


def test_a_machine_without_an_npu_is_not_asked(host, judge):
    machine = host(commands={"lspci -nn": "00:1f.0 ISA bridge [0601]: Intel [8086:a1c8]\n"}, absent=["/dev"])

    for check in (pairing.cann_pairing, pairing.firmware_pairing):
        assert judge(check, machine, load_matrix()).status in (Status.SKIP, Status.UNKNOWN)
