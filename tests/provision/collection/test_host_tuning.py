"""The module `host_tuning` on trees of files: what it sets, that the doctor agrees, that it all goes back."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from npudoctor.checks import registry
from npudoctor.checks.runner import run_checks
from npudoctor.finding import Status
from npudoctor.matrix import load_matrix
from tests.conftest import host_of
from tests.provision.collection.calling import call, lay, picture
from tests.provision.collection.tuned_hosts import openeuler, ubuntu

CHECKS = (
    "pcie.aspm", "limits.stack", "limits.stack_services",
    "kernel.thp", "kernel.swappiness", "kernel.numa_balancing", "kernel.governor",
)  # fmt: skip
UNITS = "systemctl show -p Id,LoadState,LimitSTACK,LimitSTACKSoft docker containerd kubelet isulad"
NPU = "c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:d802]\n"
BOTH = pytest.mark.parametrize("make", [ubuntu, openeuler])
Make = Callable[[Path], Path]


def verdicts(root: Path) -> dict[str, Status]:
    """What the doctor says of the host, logged in anew; its limits are those that its files give."""
    limits = root / "etc/security/limits.d/90-ascend-stack.conf"
    stack = "16384" if limits.exists() and "soft  stack  16384" in limits.read_text() else "8192"
    soft = int((root / "stack").read_text()) * 1024 if (root / "stack").exists() else 8388608
    files = {
        f"/{path.relative_to(root)}": path.read_text()
        for folder in ("proc", "sys", "etc")
        for path in (root / folder).rglob("*")
        if path.is_file()
    }
    commands = {
        "ulimit -s": f"{stack}\n",
        UNITS: f"Id=docker.service\nLoadState=loaded\nLimitSTACK=infinity\nLimitSTACKSoft={soft}\n",
        "lspci -nn": NPU,
    }
    checks = [check for check in registry.all_checks() if check.id in CHECKS]
    return {found.id: found.status for found in run_checks(checks, host_of(files, commands), load_matrix())}


@BOTH
def test_the_checks_of_the_doctor_pass_after_it_and_not_before(make: Make, tmp_path: Path) -> None:
    root = make(tmp_path)
    assert [name for name, status in verdicts(root).items() if status is Status.PASS] == ["kernel.thp"]
    assert call("host_tuning", root)["changed"]
    assert verdicts(root) == dict.fromkeys(CHECKS, Status.PASS)


@BOTH
def test_check_mode_predicts_each_change_and_leaves_every_file(make: Make, tmp_path: Path) -> None:
    root = make(tmp_path)
    before = picture(root)
    foreseen = call("host_tuning", root, check=True)
    assert picture(root) == before
    assert not (root / "var").exists()
    done = call("host_tuning", root)
    assert (foreseen["changed"], foreseen["differences"]) == (True, done["differences"])


@BOTH
def test_a_second_run_changes_nothing(make: Make, tmp_path: Path) -> None:
    root = make(tmp_path)
    call("host_tuning", root)
    before = picture(root)
    again = call("host_tuning", root)
    assert (again["changed"], again["differences"], picture(root)) == (False, [], before)
    assert not call("host_tuning", root, verb="verify")["failed"]


@BOTH
def test_undo_gives_back_every_byte(make: Make, tmp_path: Path) -> None:
    root = make(tmp_path)
    call("host_tuning", root, kernel_hold=False, aspm="keep")
    before = picture(make(tmp_path / "untouched"))
    assert call("host_tuning", root, verb="undo")["changed"]
    assert {path: row for path, row in picture(root).items() if not path.startswith("untouched")} == before
    assert not call("host_tuning", root, verb="undo")["changed"]


@BOTH
def test_only_its_own_word_of_the_command_line_changes_and_comes_out_again(
    make: Make, tmp_path: Path
) -> None:
    root = make(tmp_path)
    grub = root / "etc/default/grub"
    before = grub.read_text()
    call("host_tuning", root, run="r1")
    assert grub.read_text() == before.replace('passthrough=1"', 'passthrough=1 pcie_aspm=off"')
    assert (root / "var/lib/npudoctor/backup/r1/etc/default/grub").read_text() == before
    call("host_tuning", root, verb="undo")
    assert grub.read_text() == before


def test_every_boot_entry_gets_the_word(tmp_path: Path) -> None:
    call("host_tuning", ubuntu(tmp_path / "ubuntu"))
    entries = (tmp_path / "ubuntu/boot/grub/grub.cfg").read_text()
    assert entries.count("pcie_aspm=off") == entries.count("linux\t") == 2
    call("host_tuning", openeuler(tmp_path / "openeuler"))
    lines = (tmp_path / "openeuler/boot/args").read_text().splitlines()
    assert all(line.split().count("pcie_aspm=off") == 1 for line in lines)


def test_a_reboot_is_wished_until_the_kernel_runs_with_the_word(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    assert call("host_tuning", root)["reboot"]["required"]
    assert call("host_tuning", root)["reboot"]["required"]
    lay(root, {"/proc/cmdline": "ro quiet pcie_aspm=off\n"})
    assert call("host_tuning", root)["reboot"] == {"required": False, "reasons": []}


def test_the_wish_for_a_reboot_outlives_the_call_and_goes_with_what_it_was_for(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    step = root / "var/lib/npudoctor/steps/host_tuning.json"
    call("host_tuning", root)
    assert json.loads(step.read_text())["reboot"] == [
        "the kernel's command line counts from the next boot on"
    ]
    call("host_tuning", root, verb="undo")
    assert json.loads(step.read_text())["reboot"] == []


def test_entries_of_daemon_json_that_are_not_ours_stay(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    call("host_tuning", root)
    found = json.loads((root / "etc/docker/daemon.json").read_text())
    assert found.pop("default-ulimits") == {"stack": {"Name": "stack", "Soft": 16777216, "Hard": -1}}
    assert found == {"data-root": "/data/docker", "insecure-registries": ["10.0.0.1"]}


@pytest.mark.parametrize("text", ['{"data-root": "/data",}', "[]", "{"])
def test_a_daemon_json_that_is_not_valid_is_an_error_and_stays(text: str, tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    lay(root, {"/etc/docker/daemon.json": text})
    before = picture(root)
    answer = call("host_tuning", root)
    assert (answer["failed"], answer["blockers"][0]["key"]) == (True, "invalid-json")
    assert "/etc/docker/daemon.json" in answer["msg"]
    assert picture(root) == before


def test_switched_off_a_setting_goes_back_and_the_others_stay(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    call("host_tuning", root)
    answer = call("host_tuning", root, thp="keep", sysctl={"kernel.numa_balancing": 0})
    changed = {each["what"]: each["after"] for each in answer["differences"]}
    assert changed["host_tuning.thp"] == "madvise"
    assert changed["host_tuning.vm.swappiness"] == "60"
    assert "host_tuning.kernel.numa_balancing" not in changed
    assert (root / "etc/sysctl.d/90-ascend.conf").read_text().splitlines()[1:] == [
        "kernel.numa_balancing = 0"
    ]


def test_skipped_a_setting_is_neither_made_nor_put_back(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    call("host_tuning", root, skip=["aspm"])
    assert "pcie_aspm" not in (root / "etc/default/grub").read_text()
    call("host_tuning", root)
    assert not call("host_tuning", root, aspm="keep", skip=["aspm"])["changed"]


def test_what_somebody_else_changed_since_is_left_alone_by_undo(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    call("host_tuning", root)
    lay(root, {"/proc/sys/vm/swappiness": "10\n"})
    answer = call("host_tuning", root, verb="undo")
    assert (root / "proc/sys/vm/swappiness").read_text() == "10\n"
    assert "vm.swappiness is 10: somebody else set it" in json.dumps(answer["warnings"])


def test_a_line_that_is_read_later_and_says_otherwise_blocks(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    lay(root, {"/etc/sysctl.conf": "# old\nvm.swappiness=60\n"})
    before = picture(root)
    answer = call("host_tuning", root)
    assert answer["blockers"][0]["key"] == "set-elsewhere"
    assert "/etc/sysctl.conf:2 sets 60" in answer["msg"]
    assert picture(root) == before


def test_a_higher_limit_that_is_there_stays(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    lay(root, {"/etc/security/limits.conf": "*    -    stack    unlimited\nroot soft stack 65536\n"})
    call("host_tuning", root)
    assert not (root / "etc/security/limits.d/90-ascend-stack.conf").exists()


def test_the_running_kernel_is_held_with_the_packages_that_bring_newer_ones(tmp_path: Path) -> None:
    call("host_tuning", ubuntu(tmp_path / "ubuntu"))
    held = (tmp_path / "ubuntu/held").read_text().split()
    assert held == ["linux-headers-5.15.0-91-generic", "linux-image-5.15.0-91-generic", "linux-image-generic"]
    call("host_tuning", openeuler(tmp_path / "openeuler"))
    lines = (tmp_path / "openeuler/etc/dnf/plugins/versionlock.list").read_text().splitlines()
    assert lines[2:] == ["kernel-0:5.10.0-60.18.0.50.oe2203.*", "kernel-devel-0:5.10.0-60.18.0.50.oe2203.*"]


def test_a_hold_that_was_there_before_stays_after_undo(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    lay(root, {"/held": "linux-image-generic\nvim\n"})
    call("host_tuning", root)
    call("host_tuning", root, verb="undo")
    assert (root / "held").read_text().split() == ["linux-image-generic", "vim"]


def test_without_versionlock_the_hold_blocks_and_says_what_to_install(tmp_path: Path) -> None:
    root = openeuler(tmp_path)
    (root / "etc/dnf/plugins/versionlock.conf").unlink()
    blockers = call("host_tuning", root, verb="plan")["blockers"]
    assert [each["key"] for each in blockers] == ["no-versionlock"]
    assert call("host_tuning", root, kernel_hold=False)["changed"]


def test_a_host_without_a_known_boot_loader_is_told_so_before_anything_changes(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    (root / "usr/sbin/update-grub").unlink()
    before = picture(root)
    answer = call("host_tuning", root)
    assert answer["blockers"][0]["key"] == "boot-loader-unknown"
    assert picture(root) == before
    assert call("host_tuning", root, aspm="performance")["changed"]
    assert (
        "pcie_aspm/parameters/policy - - - - performance"
        in (root / "etc/tmpfiles.d/90-ascend.conf").read_text()
    )


def test_a_kernel_without_a_setting_is_not_asked_for_it(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    for path in ("proc/sys/kernel/numa_balancing", "sys/module/pcie_aspm/parameters/policy"):
        (root / path).unlink()
    done = call("host_tuning", root)
    assert not done["failed"]
    assert not any("numa" in each["what"] or "aspm" in each["what"] for each in done["differences"])


@pytest.mark.parametrize("cut", range(1, 9))
def test_cut_off_after_any_file_the_next_call_ends_right_and_undo_still_goes_back(
    cut: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = ubuntu(tmp_path)
    before = picture(root)
    with monkeypatch.context() as patch:
        call("host_tuning", root, check=True)
        files = importlib.import_module("ansible_collections.npudoctor.ascend.plugins.module_utils.files")
        calls = []
        write = files.write

        def dying(*arguments: object) -> bool:
            calls.append(arguments)
            if len(calls) == cut:
                raise KeyboardInterrupt
            done: bool = write(*arguments)
            return done

        patch.setattr(files, "write", dying)
        with pytest.raises(KeyboardInterrupt):
            call("host_tuning", root)
    call("host_tuning", root)
    assert verdicts(root) == dict.fromkeys(CHECKS, Status.PASS)
    call("host_tuning", root, verb="undo")
    after = picture(root)
    assert {path for path in before if before[path] != after.get(path)} == {"boot/grub/grub.cfg"}
    assert set(after) == set(before)
