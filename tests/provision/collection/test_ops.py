"""The module `ops`: operators for the toolkit and the chip, kernels up to 8.3 and ops from 8.5 on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import COLLECTIONS, picture
from tests.provision.collection.cann_hosts import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def _with_toolkit(host: Host, version: str) -> None:
    host.have("toolkit", host.store("toolkit", version))


@pytest.mark.parametrize(("toolkit", "kind"), [("8.3.RC1", "kernels"), ("8.5.0", "ops")])
def test_they_are_installed_into_the_toolkit_in_use(host: Host, toolkit: str, kind: str) -> None:
    _with_toolkit(host, toolkit)
    package = host.store(kind, toolkit)
    answer = host.have("ops", package, chip="910B")
    assert (answer["after"]["version"], answer["after"]["toolkit"]) == (toolkit, toolkit)
    before = picture(host.root)
    assert not host.have("ops", package, chip="910B")["changed"]
    assert picture(host.root) == before


def test_a_toolkit_upgrade_takes_them_away_and_the_plan_knows(host: Host) -> None:
    _with_toolkit(host, "9.0.0")
    package = host.store("ops", "9.0.0")
    host.have("ops", package, chip="910b")
    plan = host.call("ops", packages=[package], chip="910b", verb="plan", toolkit_version="9.1.0")
    assert "takes them away" in plan["differences"][0]["why"]
    _with_toolkit(host, "9.1.0")
    assert host.call("ops", packages=[package], chip="910b", verb="probe")["before"]["version"] == ""
    assert host.have("ops", package, chip="910b")["changed"]


def test_check_mode_judges_by_the_toolkit_that_the_run_brings(host: Host) -> None:
    package = host.store("ops", "8.5.0")
    bare = host.call("ops", packages=[package], chip="910b", check=True, toolkit_version="8.5.0")
    assert bare["changed"]
    real = host.call("ops", packages=[package], chip="910b", toolkit_version="8.5.0")
    assert [each["key"] for each in real["blockers"]] == ["toolkit-mismatch"]


@pytest.mark.parametrize(
    ("version", "kernels", "toolkit", "fits"),
    [
        ("8.3.RC1", True, "8.3.RC1", True),
        ("8.3.RC1", True, "8.0.0", True),
        ("8.3.RC1", True, "7.0.0", False),
        ("8.3.RC1", True, "8.5.0", False),
        ("8.5.0", False, "8.5.0", True),
        ("8.5.1", False, "8.5.0", False),
        ("8.5.0", False, "8.3.RC1", False),
        ("8.5.0", False, "9.0.0", True),
        ("9.1.0", False, "9.0.0", True),
        ("8.5.0", False, "10.0.0", False),
        ("9.0.0", False, "", False),
    ],
)
def test_which_go_onto_which_toolkit(
    version: str, kernels: bool, toolkit: str, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(COLLECTIONS))
    from ansible_collections.npudoctor.ascend.plugins.module_utils.operators import unfit  # type: ignore[import-not-found]

    assert (unfit(version, kernels, toolkit) == "") is fits


def test_operators_of_another_version_are_uninstalled_first_where_no_upgrade_leads_there(host: Host) -> None:
    _with_toolkit(host, "9.0.0")
    host.have("ops", host.store("ops", "9.0.0"), chip="910b")
    older = host.store("ops", "8.5.0")
    assert host.have("ops", older, chip="910b")["after"]["version"] == "8.5.0"
    assert host.ran[-1].startswith("--nox11 --install")
    host.have("ops", host.store("ops", "9.0.0"), chip="910b")
    assert host.ran[-1].startswith("--nox11 --upgrade")


def test_one_cann_of_8_5_holds_those_of_one_chip(host: Host) -> None:
    _with_toolkit(host, "8.5.0")
    host.have("ops", host.store("ops", "8.5.0", chip="310p"), chip="310P")
    plan = host.call("ops", packages=[host.store("ops", "8.5.0")], chip="910B", verb="plan")
    assert [each["key"] for each in plan["blockers"]] == ["ops-other-chip"]


def test_a_package_for_another_chip_does_not_run(host: Host) -> None:
    _with_toolkit(host, "8.5.0")
    ran = len(host.ran)
    answer = host.call("ops", packages=[host.store("ops", "8.5.0", chip="310p")], chip="910B")
    assert answer["blockers"][0]["key"] == "package-mismatch"
    assert len(host.ran) == ran


def test_binaries_without_their_install_file_count_as_half_and_are_installed_again(host: Host) -> None:
    _with_toolkit(host, "8.5.0")
    package = host.store("ops", "8.5.0")
    host.have("ops", package, chip="910b")
    next(host.path("cann-8.5.0").glob("*/ascend_ops_install.info")).unlink()
    plan = host.call("ops", packages=[package], chip="910b", verb="plan")
    assert plan["differences"][0]["before"] == "? (in part)"
    host.have("ops", package, chip="910b")
    assert not host.have("ops", package, chip="910b")["changed"]


def test_options_of_the_package_are_passed_on(host: Host) -> None:
    _with_toolkit(host, "8.3.RC1")
    options: dict[str, Any] = {"chip": "910b", "type": "toolkit", "whitelist": "nnrt"}
    host.have("ops", host.store("kernels", "8.3.RC1"), **options)
    assert host.ran[-1].endswith("--type=toolkit --whitelist=nnrt")


def test_undo_brings_back_kernels_after_the_toolkit_went_back(host: Host) -> None:
    old, new = host.store("kernels", "8.3.RC1"), host.store("ops", "8.5.0")
    _with_toolkit(host, "8.3.RC1")
    host.have("ops", old, chip="910b")
    _with_toolkit(host, "8.5.0")
    host.have("ops", new, chip="910b")
    host.have("toolkit", verb="undo", previous=[host.store("toolkit", "8.3.RC1")])
    back = host.have("ops", new, chip="910b", verb="undo", previous=[old], previous_version="8.3.RC1")
    assert (back["after"]["version"], back["after"]["toolkit"]) == ("8.3.RC1", "8.3.RC1")


def test_undo_of_a_first_installation_leaves_none(host: Host) -> None:
    _with_toolkit(host, "8.5.0")
    package = host.store("ops", "8.5.0")
    host.have("ops", package, chip="910b")
    assert host.have("ops", package, chip="910b", verb="undo")["after"]["version"] == ""
