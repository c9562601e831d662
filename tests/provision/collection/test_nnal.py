"""The module `nnal`: versions of NNAL side by side, one in use, for the C++ ABI that torch was built with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.provision.collection.calling import picture
from tests.provision.collection.cann_hosts import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    host = Host(tmp_path)
    host.have("toolkit", host.store("toolkit", "8.5.0"))
    return host


def test_its_installer_gets_the_environment_of_the_toolkit(host: Host) -> None:
    answer = host.have("nnal", host.store("nnal", "8.5.0"), abi="1")
    assert (answer["after"]["version"], answer["after"]["abis"]) == ("8.5.0", ["0", "1"])


def test_a_second_run_changes_nothing(host: Host) -> None:
    package = host.store("nnal", "8.5.0")
    host.have("nnal", package)
    before = picture(host.root)
    assert not host.have("nnal", package)["changed"]
    assert picture(host.root) == before


def test_without_a_toolkit_it_is_blocked_but_for_a_plan_that_brings_one(tmp_path: Path) -> None:
    host = Host(tmp_path / "bare")
    package = host.store("nnal", "8.5.0")
    answer = host.call("nnal", packages=[package])
    assert answer["blockers"][0]["key"] == "toolkit-missing"
    assert host.call("nnal", packages=[package], check=True, toolkit_version="8.5.0")["changed"]


def test_an_abi_that_is_not_there_is_a_difference(host: Host) -> None:
    package = host.store("nnal", "8.5.0")
    host.have("nnal", package, abi="1")
    shutil.rmtree(host.path("nnal/atb/8.5.0/atb/cxx_abi_1"))
    assert not host.have("nnal", package, abi="0")["changed"]
    plan = host.call("nnal", packages=[package], abi="1", verb="plan")
    assert plan["differences"][0]["why"].endswith("cxx_abi_1")
    assert host.have("nnal", package, abi="1")["changed"]


def test_the_previous_version_stays_and_undo_only_switches_to_it(host: Host) -> None:
    host.have("nnal", host.store("nnal", "8.3.RC1"))
    new = host.store("nnal", "8.5.0")
    assert host.have("nnal", new)["after"]["beside"] == ["8.3.RC1"]
    ran = len(host.ran)
    assert host.have("nnal", new, verb="undo")["after"]["version"] == "8.3.RC1"
    assert len(host.ran) == ran
    assert not host.have("nnal", new, verb="undo")["changed"]


def test_undo_of_a_first_installation_leaves_none(host: Host) -> None:
    package = host.store("nnal", "8.5.0")
    host.have("nnal", package)
    assert host.have("nnal", package, verb="undo")["after"]["version"] == ""
    assert not host.path("nnal").exists()
