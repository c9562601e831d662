"""The modules `driver` and `firmware`: how packages are called, believed, repaired and taken back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.provision.collection.calling import lay, picture
from tests.provision.collection.hdk_hosts import ARCH, Host

Made = Callable[..., Host]
OTHER = "aarch64" if ARCH == "x86_64" else "x86_64"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    return lambda **state: Host(tmp_path, monkeypatch, **state)


def test_a_first_driver_is_installed_for_all(made: Made) -> None:
    host = made()
    answer = host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")])
    assert host.ran == ["driver 25.5.0 --full --install-for-all --quiet --nox11"]
    assert (answer["changed"], answer["rc"], answer["after"]["version"]) == (True, 2, "25.5.0")
    assert answer["reboot"]["required"]


def test_another_account_is_told_to_a_first_installation_only(made: Made) -> None:
    host, own = made(), {"user": "npu", "group": "npus"}
    host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")], **own)
    assert host.ran[0].endswith("--install-username=npu --install-usergroup=npus --quiet --nox11")
    host.call("driver", version="25.5.1", packages=[host.package("driver", "25.5.1")], **own)
    assert host.ran[1] == "driver 25.5.1 --upgrade --quiet --nox11"


def test_the_place_that_the_installer_wrote_down_counts(made: Made) -> None:
    host = made()
    lay(host.root, {"/etc/ascend_install.info": "Driver_Install_Path_Param=/opt/npu\n"})
    lay(host.root, {"/opt/npu/driver/version.info": "Version=25.5.0\n"})
    assert host.call("driver", verb="probe")["before"]["version"] == "25.5.0"


def test_a_process_that_holds_an_npu_is_in_the_way_and_named(made: Made) -> None:
    host = made().installed(driver="25.2.0")
    lay(host.root, {"/proc/4711/comm": "python3\n"})
    (host.root / "proc/4711/fd").mkdir()
    (host.root / "proc/4711/fd/7").symlink_to("/dev/davinci0")
    given = {"version": "25.5.0", "packages": [host.package("driver", "25.5.0")]}
    for check in (True, False):
        answer = host.call("driver", check=check, **given)
        assert answer["blockers"][0]["message"] == "NPUs are in use by python3 (4711)"
    assert host.ran == []
    assert host.call("driver", force=True, **given)["changed"]


@pytest.mark.parametrize("kind", ["driver", "firmware"])
def test_what_is_there_already_is_left(made: Made, kind: str) -> None:
    host = made().installed(**{kind: "25.5.0"})
    before = picture(host.root)
    answer = host.call(kind, version="25.5.0", packages=[host.package(kind, "25.5.0")])
    assert (answer["changed"], answer["differences"], host.ran) == (False, [], [])
    assert picture(host.root) == before


def test_letters_of_a_version_may_be_large_or_small(made: Made) -> None:
    host = made().installed(driver="24.1.rc3")
    assert not host.call("driver", version="24.1.RC3", packages=[])["changed"]


@pytest.mark.parametrize("version", ["", "25.2.0"])
def test_check_mode_says_what_would_differ_and_changes_nothing(made: Made, version: str) -> None:
    host = made()
    if version:
        host.installed(driver=version)
    package = host.package("driver", "25.5.0")
    before = picture(host.root)
    answer = host.call("driver", version="25.5.0", packages=[package], check=True)
    assert answer["changed"]
    assert answer["differences"][0]["before"] == (version or "absent")
    assert (picture(host.root), host.ran) == (before, [])


@pytest.mark.parametrize(
    ("fault", "key"), [("fail", "dkms"), ("die", "installer-failed"), ("silent", "installer-silent")]
)
def test_an_installer_that_broke_off_fails_and_the_next_call_repairs(
    made: Made, fault: str, key: str
) -> None:
    host = made().installed(driver="25.2.0")
    given = {"version": "25.5.0", "packages": [host.package("driver", "25.5.0")]}
    host.fault(fault)
    broken = host.call("driver", **given)
    assert (broken["failed"], broken["blockers"][0]["key"]) == (True, key)
    assert Path(broken["log"]).exists()
    assert host.call("driver", verb="probe")["before"]["state"] == "half"
    assert host.call("driver", **given)["after"]["state"] == "whole"
    assert host.ran[-1] == "driver 25.5.0 --full --install-for-all --quiet --nox11"


def test_an_error_counts_although_the_installer_ends_well(made: Made) -> None:
    host = made()
    host.fault("error")
    answer = host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")])
    assert answer["failed"]
    assert "ERR_NO:0x0094" in answer["msg"]


def test_a_refusal_leaves_what_is_there_whole(made: Made) -> None:
    host = made().installed(driver="25.2.0")
    host.fault("busy")
    answer = host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")])
    assert answer["blockers"][0]["key"] == "npu-in-use"
    assert host.call("driver", verb="probe")["before"]["state"] == "whole"


def test_half_a_driver_is_seen_in_what_npu_smi_says(made: Made) -> None:
    host = made().installed(driver="25.5.0")
    smi = host.tools / "bin/npu-smi"
    smi.write_text(
        "#!/bin/sh\necho '[WARNING]The driver package may not be completely installed'\nexit 251\n"
    )
    answer = host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")], check=True)
    assert answer["differences"][0]["before"] == "25.5.0 (half)"


def test_a_driver_whose_modules_are_those_of_another_kernel_is_built_anew(made: Made) -> None:
    host = made(driver="none").installed(driver="25.5.0").runs(driver="none")
    given = {"version": "25.5.0", "packages": [host.package("driver", "25.5.0")], "check": True}
    assert not host.call("driver", **given)["changed"]
    lay(host.root, {"/lib/modules/5.10.0-old/updates/dkms/drv_pcie_host.ko.xz": ""})
    assert host.call("driver", **given)["changed"]
    lay(host.root, {f"/lib/modules/{os.uname().release}/updates/dkms/drv_pcie_host.ko": ""})
    assert not host.call("driver", **given)["changed"]


def test_an_older_version_is_laid_over_and_not_called_an_upgrade(made: Made) -> None:
    host = made().installed(driver="25.5.0")
    host.call("driver", version="25.5.rc1", packages=[host.package("driver", "25.5.rc1")])
    assert host.ran == ["driver 25.5.rc1 --full --install-for-all --quiet --nox11"]


def test_what_runs_is_compared_with_what_is_on_disk(made: Made) -> None:
    host = made().installed(driver="25.5.0").runs(driver="25.2.0")
    answer = host.call("driver", version="25.5.0", packages=[])
    assert not answer["changed"]
    assert answer["reboot"]["reasons"] == ["driver: 25.5.0 is on disk, 25.2.0 runs"]
    assert host.call("driver", version="25.5.0", verb="verify")["failed"]


def test_npus_that_run_different_firmware_are_named(made: Made) -> None:
    host = made().installed(driver="25.5.0", firmware="7.8.0.5.216")
    smi = host.tools / "bin/npu-smi"
    smi.write_text(smi.read_text().replace('"$firmware"', '"$firmware${1#0}"'))
    reasons = host.call("firmware", version="7.8.0.5.216", verb="plan")["reboot"]["reasons"]
    assert reasons == ["firmware: 7.8.0.5.216 is on disk, 7.8.0.5.216 (NPU 0), 7.8.0.5.2161 (NPU 1) runs"]


def test_an_npu_that_says_nothing_is_a_problem_but_no_reason_to_reboot(made: Made) -> None:
    host = made(die="npu-smi info -t board -i 1").installed(driver="25.5.0")
    assert not host.call("driver", version="25.5.0", verb="plan")["reboot"]["required"]
    assert host.call("driver", version="25.5.0", verb="verify")["problems"] == [
        "NPU 1 does not say its Software Version"
    ]


def test_firmware_always_wants_a_reboot_and_the_wish_outlives_the_call(made: Made) -> None:
    host = made()
    given = {"version": "7.8.0.5.216"}
    package = host.package(
        "firmware", "7.8.0.5.216", words="Firmware package installed successfully!", code=0
    )
    assert host.call("firmware", packages=[package], **given)["reboot"]["required"]
    again = host.call("firmware", packages=[package], **given)
    assert not again["changed"]
    assert again["reboot"]["reasons"] == ["firmware: firmware counts only after a reboot"]


def test_undo_brings_the_package_of_before_back(made: Made) -> None:
    host = made().installed(driver="25.5.0")
    old = host.package("driver", "25.2.0")
    answer = host.call("driver", verb="undo", previous_version="25.2.0", previous=[old], version="25.5.0")
    assert (answer["changed"], host.version("driver")) == (True, "25.2.0")
    assert host.ran == ["driver 25.2.0 --full --install-for-all --quiet --nox11"]
    assert not host.call("driver", verb="undo", previous_version="25.2.0", previous=[old])["changed"]


def test_undo_of_a_first_installation_removes_it(made: Made) -> None:
    host = made()
    host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")])
    answer = host.call("driver", verb="undo", previous_version="absent")
    assert (answer["changed"], answer["after"]["state"]) == (True, "absent")
    assert not host.call("driver", verb="undo", previous_version="absent")["changed"]


def test_undo_to_nothing_known_is_impossible(made: Made) -> None:
    host = made().installed(driver="25.5.0")
    assert host.call("driver", verb="undo")["blockers"][0]["key"] == "undo-impossible"


def test_the_vendors_force_is_never_given_without_ours(made: Made) -> None:
    host = made().installed(driver="25.2.0")
    host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")])
    host.call("driver", version="25.5.1", packages=[host.package("driver", "25.5.1")], force=True)
    assert ["--force" in line for line in host.ran] == [False, True]


@pytest.mark.parametrize(
    ("name", "chip", "arch"),
    [
        ("another chip", "910", ARCH),
        ("another generation", "910_93", ARCH),
        ("another architecture", "910b", OTHER),
    ],
)
def test_a_package_for_another_host_never_runs(made: Made, name: str, chip: str, arch: str) -> None:
    host = made()
    package = host.package("driver", "25.5.0", chip=chip, arch=arch)
    answer = host.call("driver", version="25.5.0", packages=[package], chip="910B")
    assert answer["blockers"][0]["key"] == "package-mismatch", name
    assert host.ran == []


def test_a_damaged_package_never_runs(made: Made) -> None:
    host = made()
    package = host.package("driver", "25.5.0")
    path = host.stored(package["sha256"])
    whole = path.read_bytes()
    for data, key in (
        (whole[:-1], "package-damaged"),
        (whole.replace(b"installed", b"implanted"), "package-damaged"),
    ):
        path.write_bytes(data)
        for check in (True, False):
            answer = host.call("driver", version="25.5.0", packages=[package], check=check)
            assert answer["blockers"][0]["key"] == key
    path.unlink()
    assert not host.call("driver", version="25.5.0", packages=[package], check=True)["blockers"]
    assert (
        host.call("driver", version="25.5.0", packages=[package])["blockers"][0]["key"] == "package-missing"
    )
    assert host.ran == []
