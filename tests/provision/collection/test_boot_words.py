"""Words of the kernel's command line in the files of boot loaders as they occur in the field."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import COLLECTIONS, call, give, lay
from tests.provision.collection.tuned_hosts import GRUB, ubuntu

OFF = "pcie_aspm=off"


@pytest.fixture
def words() -> Any:
    if str(COLLECTIONS) not in sys.path:
        sys.path.insert(0, str(COLLECTIONS))
    return importlib.import_module("ansible_collections.npudoctor.ascend.plugins.module_utils.boot_words")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('GRUB_CMDLINE_LINUX=""\n', 'GRUB_CMDLINE_LINUX="pcie_aspm=off"\n'),
        ("GRUB_CMDLINE_LINUX=\n", 'GRUB_CMDLINE_LINUX="pcie_aspm=off"\n'),
        ("GRUB_CMDLINE_LINUX=quiet\n", 'GRUB_CMDLINE_LINUX="quiet pcie_aspm=off"\n'),
        ("GRUB_CMDLINE_LINUX='a b'\n", "GRUB_CMDLINE_LINUX='a b pcie_aspm=off'\n"),
        ('GRUB_CMDLINE_LINUX="a" # why\nX=1\n', 'GRUB_CMDLINE_LINUX="a pcie_aspm=off" # why\nX=1\n'),
        ('GRUB_CMDLINE_LINUX="d=\\"f x\\" b"\n', 'GRUB_CMDLINE_LINUX="d=\\"f x\\" b pcie_aspm=off"\n'),
        ('GRUB_CMDLINE_LINUX="a pcie_aspm=force b"\n', 'GRUB_CMDLINE_LINUX="a pcie_aspm=off b"\n'),
        ('GRUB_CMDLINE_LINUX="pcie_aspm=force pcie_aspm=off"\n', 'GRUB_CMDLINE_LINUX="pcie_aspm=off"\n'),
        (
            'GRUB_CMDLINE_LINUX="pcie_aspm.policy=powersave"\n',
            'GRUB_CMDLINE_LINUX="pcie_aspm.policy=powersave pcie_aspm=off"\n',
        ),
        (
            'GRUB_CMDLINE_LINUX="a"\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX b"\n',
            'GRUB_CMDLINE_LINUX="a"\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX b pcie_aspm=off"\n',
        ),
        ("GRUB_TIMEOUT=5", 'GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX="pcie_aspm=off"\n'),
    ],
)
def test_the_word_goes_in_and_the_rest_of_the_file_stays(words: Any, before: str, after: str) -> None:
    assert words.with_words(before, "pcie_aspm", OFF) == after
    assert words.with_words(after, "pcie_aspm", OFF) == after


@pytest.mark.parametrize("value", ["", "a", "a b", "a\tb  c", " a"])
def test_the_word_comes_out_without_a_trace(words: Any, value: str) -> None:
    before = f'GRUB_CMDLINE_LINUX="{value}"\n'
    there = words.with_words(before, "pcie_aspm", OFF)
    assert words.with_words(there, "pcie_aspm", "") == before


def test_a_word_that_was_there_before_comes_back(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    before = GRUB.replace("crashkernel", "pcie_aspm=force crashkernel")
    lay(root, {"/etc/default/grub": before})
    call("host_tuning", root)
    assert "pcie_aspm=off crashkernel" in (root / "etc/default/grub").read_text()
    call("host_tuning", root, verb="undo")
    assert (root / "etc/default/grub").read_text() == before


def test_a_word_that_comes_later_and_wins_blocks(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    lay(root, {"/etc/default/grub": GRUB.replace("splash", "splash pcie_aspm=force")})
    answer = call("host_tuning", root)
    assert answer["blockers"][0]["key"] == "set-elsewhere"
    assert "GRUB_CMDLINE_LINUX_DEFAULT" in answer["msg"]


def test_a_folder_of_drop_ins_that_takes_the_word_away_is_found_out(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    lay(root, {"/etc/default/grub.d/50-cloud.cfg": 'GRUB_CMDLINE_LINUX="console=ttyS0"\n'})
    answer = call("host_tuning", root)
    assert answer["failed"]
    assert "2 of 2 boot entries have it otherwise" in answer["msg"]


def test_entries_of_other_systems_are_not_asked_for_the_word(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    call("host_tuning", root)
    cfg = root / "boot/grub/grub.cfg"
    other = "menuentry 'Other' {\n\tlinux\t/boot/vmlinuz-4 root=/dev/sdb1 ro\n}\n"
    begin, end = "### BEGIN /etc/grub.d/30_os-prober ###\n", "### END /etc/grub.d/30_os-prober ###\n"
    cfg.write_text(f"{cfg.read_text()}{begin}{other}{end}")
    assert not call("host_tuning", root)["changed"]


def test_grub2_mkconfig_writes_the_file_that_is_in_use(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    (root / "usr/sbin/update-grub").unlink()
    (root / "boot/grub/grub.cfg").unlink()
    give(root, "grub2-mkconfig")
    lay(
        root,
        {
            "/boot/grub2/grub.cfg": "menuentry 'x' {\n\tlinux\t/vmlinuz-5.10 ro\n}\n",
            "/boot/efi/EFI/openEuler/grub.cfg": "configfile $prefix/grub.cfg\n",
        },
    )
    assert not call("host_tuning", root)["failed"]
    assert OFF in (root / "boot/grub2/grub.cfg").read_text()
    assert (root / "boot/efi/EFI/openEuler/grub.cfg").read_text() == "configfile $prefix/grub.cfg\n"


def test_entries_that_name_a_variable_are_read_through_it(words: Any, tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "/boot/loader/entries/1.conf": "title x\nlinux /vmlinuz\noptions $kernelopts $tuned_params\n",
            "/boot/grub2/grubenv": "# GRUB Environment Block\nkernelopts=root=/dev/vda1 ro pcie_aspm=off\n",
        },
    )
    state = importlib.import_module("ansible_collections.npudoctor.ascend.plugins.module_utils.state")
    word = words.BootWord(state.State(str(tmp_path)), "", "pcie_aspm")
    assert word.entries() == ["root=/dev/vda1 ro pcie_aspm=off $tuned_params"]


def test_a_generator_that_fails_is_told_with_its_words_and_the_next_call_goes_on(tmp_path: Path) -> None:
    root = ubuntu(tmp_path)
    works = (root / "usr/sbin/update-grub").read_text()
    (root / "usr/sbin/update-grub").write_text("#!/bin/sh\necho 'no space left'; exit 1\n")
    answer = call("host_tuning", root)
    assert (answer["failed"], answer["blockers"][0]["key"]) == (True, "boot-loader")
    assert "no space left" in answer["msg"]
    (root / "usr/sbin/update-grub").write_text(works)
    again = call("host_tuning", root)
    assert (again["failed"], again["changed"]) == (False, True)
    assert OFF in (root / "boot/grub/grub.cfg").read_text()
