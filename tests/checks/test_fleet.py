"""Versions of several hosts side by side."""

import pytest

from npudoctor.checks.fleet import python_drift, version_drift
from npudoctor.checks.fleet_scope import MOST_CAMPS
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.finding import Status
from npudoctor.host import Host

VERSION_INFO = "/usr/local/Ascend/driver/version.info"
FIRMWARE_INFO = "/usr/local/Ascend/firmware/version.info"
ASCEND = "/usr/local/Ascend"


def node(name, version=None, firmware="7.5.0.3.220", packages=None, absent=("npu-smi info",)):
    files = {VERSION_INFO: f"Version={version}\n"} if version else {}
    if firmware:
        files[FIRMWARE_INFO] = f"Version={firmware}\n"
    return Host(snapshot_of(files, name=name, packages=packages, absent=absent))


@pytest.fixture
def drift(compare):
    return lambda *hosts: compare(version_drift, *hosts)


def test_the_host_that_was_left_out_of_an_upgrade_is_named(drift):
    found = drift(node("a", "25.5.0"), node("b", "24.1.rc3"), node("c", "25.5.0"))
    assert found.status is Status.WARN
    assert found.actual == "driver 25.5.0: a, c; 24.1.rc3: b"
    assert [proof.source for proof in found.evidence] == [f"{name}: {VERSION_INFO}" for name in "ab"]


def test_of_many_hosts_the_majority_is_counted_and_the_others_are_named(drift):
    hosts = [node(f"node{number}", "25.5.0") for number in range(1, 38)]
    hosts += [node(f"node{number}", "24.1.rc3") for number in range(38, 41)]
    assert drift(*hosts).actual == "driver 25.5.0 (37 of 40 hosts); 24.1.rc3: node[38-40]"


def test_where_every_host_has_its_own_version_the_first_are_told_and_the_rest_is_counted(drift):
    found = drift(*(node(f"n{number}", f"25.{number}.0") for number in range(MOST_CAMPS + 3)))
    assert found.actual.endswith("25.5.0: n5; others: 3 hosts")


def test_firmware_that_differs_shows_too(drift):
    found = drift(node("a", "25.5.0"), node("b", "25.5.0", firmware="7.1.0.9.220"))
    assert found.actual == "firmware 7.5.0.3.220: a; 7.1.0.9.220: b"


def test_a_host_whose_driver_could_not_be_read_is_never_counted_as_equal(drift):
    found = drift(node("a", "25.5.0"), node("b"))
    assert found.status is Status.UNKNOWN
    assert "b: driver: npu-smi info: not there" in found.actual


def test_hosts_of_which_nothing_but_drivers_and_firmware_could_be_read_are_not_known_to_be_alike(drift):
    found = drift(node("a", "25.5.0"), node("b", "25.5.0"))
    assert found.status is Status.UNKNOWN
    assert "cann" in found.actual


def test_hosts_of_one_stack_are_in_step(drift):
    def whole(name):
        info = f"{ASCEND}/ascend-toolkit/8.5.0/aarch64-linux/ascend_toolkit_install.info"
        files = {VERSION_INFO: "Version=25.5.0\n", FIRMWARE_INFO: "Version=7.8\n"}
        return Host(snapshot_of({**files, info: "version=8.5.0\n"}, name=name))

    found = drift(whole("a"), whole("b"))
    assert (found.status, found.actual) == (Status.PASS, "driver 25.5.0, firmware 7.8, cann 8.5.0")


def python(name, *packages):
    text = "# /usr/bin/python3 3.11.9\n" + "\n".join(packages) + "\n"
    return node(name, "25.5.0", packages=text)


def test_packages_that_differ_between_hosts_are_told_by_name(compare):
    hosts = python("a", "torch_npu==2.5.1", "vllm==0.9.1"), python("b", "torch_npu==2.7.1", "vllm==0.9.1")
    found = compare(python_drift, *hosts)
    assert (found.status, found.actual) == (Status.WARN, "torch_npu 2.5.1: a; 2.7.1: b")
    assert found.evidence[0].text == "torch_npu==2.5.1"


def test_a_host_without_a_package_is_not_compared(compare):
    hosts = python("a", "torch_npu==2.5.1"), python("b", "numpy==1.26.4"), python("c", "torch_npu==2.5.1")
    found = compare(python_drift, *hosts)
    assert (found.status, found.actual) == (Status.PASS, "torch_npu 2.5.1")


def test_two_pythons_of_a_host_are_compared_together(compare):
    both = "# /a/python3 3.11.9\ntorch==2.5.1\n\n# /b/python3 3.11.9\ntorch==2.7.1\n"
    found = compare(python_drift, node("a", packages=both), python("b", "torch==2.5.1"))
    assert found.actual == "torch 2.5.1 + 2.7.1: a; 2.5.1: b"


def test_packages_that_nobody_listed_are_unknown(compare):
    assert compare(python_drift, python("a", "torch==2.5.1"), node("b")).status is Status.UNKNOWN


def test_hosts_without_any_of_the_packages_have_nothing_to_differ(compare):
    assert compare(python_drift, python("a", "six==1"), python("b", "six==1")).status is Status.SKIP
