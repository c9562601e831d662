"""The module `toolkit`: one CANN becomes another, in both layouts, and back."""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path

import pytest

from tests.provision.collection.calling import UTILS, picture
from tests.provision.collection.cann_hosts import ARCH, Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.mark.parametrize(
    ("version", "place"), [("8.3.RC1", "ascend-toolkit/8.3.RC1"), ("8.5.0", "cann-8.5.0")]
)
def test_a_bare_host_gets_it_in_the_folder_of_its_version(host: Host, version: str, place: str) -> None:
    answer = host.have("toolkit", host.store("toolkit", version))
    assert answer["changed"]
    assert (answer["after"]["version"], answer["after"]["missing"]) == (version, [])
    assert host.path(f"{place}/{ARCH}-linux/ascend_toolkit_install.info").is_file()
    assert host.ran == ["--nox11 --install --quiet --install-for-all"]


def test_a_second_run_changes_nothing_and_runs_nothing(host: Host) -> None:
    package = host.store("toolkit", "8.5.0")
    host.have("toolkit", package)
    before = picture(host.root)
    assert not host.have("toolkit", package)["changed"]
    assert picture(host.root) == before
    assert len(host.ran) == 1


@pytest.mark.parametrize(("old", "new"), [("8.1.RC1", "8.3.RC1"), ("8.3.RC1", "8.5.0"), ("8.5.0", "9.0.0")])
def test_a_newer_one_is_an_upgrade_within_a_layout_and_across(host: Host, old: str, new: str) -> None:
    host.have("toolkit", host.store("toolkit", old))
    answer = host.have("toolkit", host.store("toolkit", new))
    assert answer["after"]["versions"] == [new]
    assert host.ran[-1] == "--nox11 --upgrade --quiet --install-for-all"


@pytest.mark.parametrize(("new", "old"), [("9.0.0", "8.5.0"), ("8.5.0", "8.3.RC1")])
def test_an_older_one_is_installed_after_the_newer_one_was_uninstalled(
    host: Host, new: str, old: str
) -> None:
    host.have("toolkit", host.store("toolkit", new))
    answer = host.have("toolkit", host.store("toolkit", old))
    assert answer["after"]["versions"] == [old]
    assert host.ran[-1] == "--nox11 --install --quiet --install-for-all"


def test_check_mode_says_what_apply_does_and_leaves_the_host_as_it_is(host: Host) -> None:
    host.have("toolkit", host.store("toolkit", "8.3.RC1"))
    package = host.store("toolkit", "8.5.0")
    before = picture(host.root)
    answer = host.call("toolkit", packages=[package], check=True)
    assert answer["changed"]
    assert answer["differences"][0] | {"why": ""} == {
        "what": "toolkit", "before": "8.3.RC1", "after": "8.5.0", "why": "",
    }  # fmt: skip
    assert picture(host.root) == before
    host.have("toolkit", package)
    assert not host.call("toolkit", packages=[package], check=True)["changed"]


@pytest.mark.parametrize("version", ["8.3.RC1", "8.5.0"])
def test_what_an_installer_left_half_done_is_found_and_installed_again(host: Host, version: str) -> None:
    package = host.store("toolkit", version)
    (host.root / "break").touch()
    broken = host.call("toolkit", packages=[package])
    assert broken["failed"]
    assert broken["blockers"][0]["key"] == "installer-failed"
    again = host.have("toolkit", package)
    assert again["changed"]
    assert again["after"]["missing"] == []
    assert not host.have("toolkit", package)["changed"]


def test_a_missing_file_of_an_installation_is_repaired(host: Host) -> None:
    package = host.store("toolkit", "8.5.0")
    host.have("toolkit", package)
    host.path("cann-8.5.0/set_env.sh").unlink()
    plan = host.call("toolkit", packages=[package], verb="plan")
    assert "set_env.sh" in plan["differences"][0]["why"]
    host.have("toolkit", package)
    assert host.path("cann-8.5.0/set_env.sh").is_file()


def test_undo_brings_the_version_back_that_was_there(host: Host) -> None:
    old, new = host.store("toolkit", "8.3.RC1"), host.store("toolkit", "8.5.0")
    host.have("toolkit", old)
    host.have("toolkit", new)
    back = host.have("toolkit", new, verb="undo", previous=[old])
    assert back["after"]["versions"] == ["8.3.RC1"]
    assert not host.have("toolkit", new, verb="undo", previous=[old])["changed"]


def test_undo_of_a_first_installation_leaves_nothing(host: Host) -> None:
    package = host.store("toolkit", "8.5.0")
    host.have("toolkit", package)
    assert host.have("toolkit", package, verb="undo")["after"]["versions"] == []
    assert not host.path("cann-8.5.0").exists()


def is_half_done(host: Host) -> bool:
    step = json.loads((host.root / "var/lib/npudoctor/steps/toolkit.json").read_text())
    half: bool = importlib.import_module(f"{UTILS}.installer").half_done(step)
    return half


def test_undo_of_a_half_done_first_installation_leaves_nothing(host: Host) -> None:
    package = host.store("toolkit", "8.5.0")
    (host.root / "break").touch()
    host.call("toolkit", packages=[package])
    assert host.path("cann-8.5.0").exists()
    host.have("toolkit", package, verb="undo", previous_version="absent")
    assert not host.path("cann-8.5.0").exists()
    assert not is_half_done(host)


def test_what_was_left_half_done_and_removed_by_hand_is_not_half_done_for_ever(host: Host) -> None:
    package = host.store("toolkit", "8.5.0")
    (host.root / "break").touch()
    host.call("toolkit", packages=[package])
    shutil.rmtree(host.path("cann-8.5.0"))
    assert is_half_done(host)
    host.have("toolkit", package, verb="undo", previous_version="absent", check=True)
    assert is_half_done(host)
    host.have("toolkit", package, verb="undo", previous_version="absent")
    assert not is_half_done(host)


def test_undo_switches_the_link_where_the_version_still_lies_beside(host: Host) -> None:
    old, new = host.store("toolkit", "8.1.RC1"), host.store("toolkit", "8.3.RC1")
    host.have("toolkit", old)
    host.path("ascend-toolkit/latest").unlink()
    host.have("toolkit", new)  # installed beside it
    ran = len(host.ran)
    back = host.have("toolkit", new, verb="undo", previous_version="8.1.RC1")
    assert back["after"]["version"] == "8.1.RC1"
    assert len(host.ran) == ran


def test_undo_without_a_package_or_a_record_says_what_it_lacks(host: Host) -> None:
    assert not host.have("toolkit", verb="undo")["changed"]  # nothing is there
    host.have("toolkit", host.store("toolkit", "8.5.0"))
    (host.root / "var/lib/npudoctor/originals/toolkit.json").unlink()
    answer = host.call("toolkit", verb="undo")
    assert answer["failed"]
    assert answer["blockers"][0]["key"] == "undo-impossible"


def test_a_package_with_another_digest_does_not_run(host: Host) -> None:
    package = host.store("toolkit", "8.5.0")
    stored = host.root / "var/lib/npudoctor/store/sha256" / package["sha256"][:2] / package["sha256"]
    stored.write_bytes(stored.read_bytes().replace(b"runtime", b"runtimf"))
    answer = host.call("toolkit", packages=[package])
    assert answer["blockers"][0]["key"] == "package-damaged"
    assert host.ran == []


def test_a_package_for_another_architecture_is_a_blocker_of_the_plan(host: Host) -> None:
    other = "aarch64" if ARCH == "x86_64" else "x86_64"
    plan = host.call("toolkit", packages=[host.store("toolkit", "8.5.0", arch=other)], verb="plan")
    assert [each["key"] for each in plan["blockers"]] == ["package-mismatch"]


def test_old_versions_that_an_upgrade_would_leave_are_named_before_8_5(host: Host) -> None:
    host.have("toolkit", host.store("toolkit", "8.1.RC1"))
    host.path("ascend-toolkit/latest").unlink()
    host.have("toolkit", host.store("toolkit", "8.3.RC1"))
    package = host.store("toolkit", "8.5.0")
    answer = host.call("toolkit", packages=[package])
    assert answer["blockers"][0]["key"] == "old-cann"
    assert "8.1.RC1" in answer["msg"]
    assert host.have("toolkit", package, remove_others=True)["after"]["versions"] == ["8.5.0"]


def test_too_little_space_is_a_blocker(host: Host) -> None:
    plan = host.call("toolkit", packages=[host.store("toolkit", "8.5.0")], verb="plan", space_mb=1 << 40)
    assert [each["key"] for each in plan["blockers"]] == ["no-space"]


def test_verify_fails_where_another_version_is_there(host: Host) -> None:
    host.have("toolkit", host.store("toolkit", "8.3.RC1"))
    assert host.call("toolkit", version="8.5.0", verb="verify")["problems"] == [
        "toolkit is 8.3.RC1, wanted 8.5.0"
    ]
    assert not host.call("toolkit", version="8.3.RC1", verb="verify").get("failed")


def test_the_way_back_is_whole_where_nothing_was_there_or_its_package_is_at_hand(host: Host) -> None:
    old, new = host.store("toolkit", "8.3.RC1"), host.store("toolkit", "8.5.0")
    assert host.call("toolkit", packages=[old], verb="plan")["undo"] == "full"
    host.have("toolkit", old)
    assert host.call("toolkit", packages=[new], verb="plan")["undo"] == "files"
    assert host.call("toolkit", packages=[new], previous=[old], verb="plan")["undo"] == "full"
