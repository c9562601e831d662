"""Checks of several hosts side by side."""

import pytest

from npudoctor.checks.fleet import version_drift
from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_fleet_checks
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.finding import Status
from npudoctor.host import Host

VERSION_INFO = "/usr/local/Ascend/driver/version.info"


def node(name, version=None):
    files = {VERSION_INFO: f"Version={version}\n"} if version else {}
    return Host(snapshot_of(files, name=name))


@pytest.fixture
def drift():
    check = next(check for check in all_checks() if check.function is version_drift)
    return lambda *hosts: run_fleet_checks([check], hosts, None)[0]


def test_hosts_of_one_driver_are_in_step(drift):
    assert drift(node("a", "25.5.0"), node("b", "25.5.0")).status is Status.PASS


def test_the_host_that_was_left_out_of_an_upgrade_is_named(drift):
    found = drift(node("a", "25.5.0"), node("b", "24.1.rc3"), node("c", "25.5.0"))
    assert found.status is Status.WARN
    assert found.actual == "driver 25.5.0: a, c; driver 24.1.rc3: b"
    assert [proof.source for proof in found.evidence] == [f"{name}: {VERSION_INFO}" for name in "ab"]


def test_a_host_whose_driver_could_not_be_read_is_never_counted_as_equal(drift):
    found = drift(node("a", "25.5.0"), node("b"))
    assert found.status is Status.UNKNOWN
    assert "b" in found.actual
