import pytest

from npudoctor.checks import firmware_range
from npudoctor.parse.version_info import VersionRange
from npudoctor.versions import Firmware, driver_version

DRIVER = "/usr/local/Ascend/driver/version.info"
FIRMWARE = "/usr/local/Ascend/firmware/version.info"


def files(driver, accepts_firmware="", firmware="7.5.0.3.220", accepts_driver=""):
    return {
        DRIVER: f"Version={driver}\ncompatible_version_fw={accepts_firmware}\n",
        FIRMWARE: f"Version={firmware}\ncompatible_version_drv={accepts_driver}\n",
    }


def test_both_sides_name_each_other(host, judge):
    both = files("24.1.0", "[7.0.0,7.5.99]", accepts_driver="[24.0,24.0.],[24.1,24.1.]")

    found = judge(firmware_range.declared_range, host(files=both))

    assert found.status == "pass"
    assert any(line.text == "compatible_version_fw=[7.0.0,7.5.99]" for line in found.evidence)


def test_a_newer_partner_that_one_side_does_not_know_passes(host, judge):
    newer = files("24.1.0", "[7.0.0,7.2.99]", accepts_driver="[24.1,24.1.]")

    assert judge(firmware_range.declared_range, host(files=newer)).status == "pass"


def test_neither_names_the_other(host, judge):
    neither = files("25.2.0", "[7.6.0,7.8.99]", accepts_driver="[23.0.0,23.0.0.],[24.1,24.1.]")

    found = judge(firmware_range.declared_range, host(files=neither))

    assert found.status == "warn"
    assert found.action == "upgrade"


def test_packages_that_name_nothing_are_not_judged(host, judge):
    assert judge(firmware_range.declared_range, host(files=files("20.2.0"))).status == "skip"


def test_one_package_alone_is_not_judged(host, judge):
    alone = host(files={DRIVER: "Version=24.1.0\n"}, absent=[FIRMWARE])

    assert judge(firmware_range.declared_range, alone).status == "skip"


def test_a_file_that_nobody_read_is_unknown(host, judge):
    assert judge(firmware_range.declared_range, host(files={DRIVER: "Version=24.1.0\n"})).status == "unknown"


@pytest.mark.parametrize(
    ("version", "low", "high", "inside"),
    [
        ("7.2.99.1.220", "7.0.0", "7.2.99", False),
        ("7.2.0.1.231", "7.0.0", "7.2.99", True),
        ("7.3.0.1.231", "7.0.0", "7.2.99", False),
        ("6.4.12.1.241", "6.4.0", "6.4.99", True),
        ("8.9.9", "7.0.0", "8.9.9", True),
    ],
)
def test_ranges_of_firmware_hold_both_ends(version, low, high, inside):
    assert firmware_range.in_range(version, VersionRange(low, high), Firmware) is inside


@pytest.mark.parametrize(
    ("version", "high", "inside"),
    [
        ("24.1.rc3", "24.1.", True),
        ("24.1.RC2.2", "24.1.", True),
        ("24.10.0", "24.1.", False),
        ("23.0.rc3", "23.0.rc3.", True),
        ("23.0.0", "23.0.rc3.", False),
    ],
)
def test_an_end_with_a_dot_is_a_prefix(version, high, inside):
    assert firmware_range.in_range(version, VersionRange(high.rstrip("."), high), driver_version) is inside


def test_a_driver_of_another_number_series_is_not_in_the_range(host, judge):
    odd = files("6.0.0", accepts_driver="[23.0.0,24.1.0]")

    assert judge(firmware_range.declared_range, host(files=odd)).status == "warn"
