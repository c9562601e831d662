"""Which files of a folder are logs to read, and what is said of the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from npudoctor.collect.dump import Told, parts
from npudoctor.errors import UsageError


def found(*paths: Path) -> tuple[list[str], Told]:
    told = Told()
    return [Path(part.path).name for part in parts(paths, told)], told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "a.log").write_text("text")
    (tmp_path / "outside.log").write_text("text")
    return tmp_path / "log"


def test_a_link_inside_is_read_once_under_the_name_of_its_file(folder: Path) -> None:
    (folder / "latest.log").symlink_to("a.log")
    names, told = found(folder)
    assert names == ["a.log"]
    assert told == Told()


def test_a_link_that_leads_out_is_not_followed_and_is_told(folder: Path) -> None:
    (folder / "b.log").symlink_to("../outside.log")
    names, told = found(folder)
    assert names == ["a.log"]
    assert told.passed == [f"{folder}/b.log: leads out of the folder"]


def test_a_pipe_in_a_folder_is_told_and_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    names, told = found(folder)
    assert names == ["a.log"]
    assert told.problems == [f"{folder}/pipe: neither a file nor a folder"]


def test_what_is_named_twice_is_read_once(folder: Path) -> None:
    assert found(folder, folder / "a.log", folder)[0] == ["a.log"]


@pytest.mark.parametrize("path", ["/dev/null", "/proc", "/sys/kernel", "/dev"])
def test_devices_and_folders_of_the_kernel_are_refused(path: str) -> None:
    with pytest.raises(UsageError, match=f"^{path}: "):
        found(Path(path))


def test_a_name_that_is_no_text_is_shown_all_the_same(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff\x1b[31m.log")).write_text("text")
    names = [part.name for part in parts([folder], Told())]
    assert all(name.isprintable() for name in names)
    "".join(names).encode()
