"""Bundles are written whole or not at all, and come back as they were."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from npudoctor.collect import write
from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.snapshot import Entry, Snapshot
from npudoctor.collect.write import write_bundle
from npudoctor.errors import NpudoctorError, UsageError

SNAPSHOT = Snapshot(
    "node1",
    "local",
    {
        entry.path: entry
        for entry in (
            Entry("commands/npu-smi_info", "npu-smi info", b"a\0b\n", b"warning\n", 0, 0.5),
            Entry("commands/dmesg", "dmesg", b"", b"Operation not permitted\n", 1, 0.0, "denied"),
            Entry("commands/lspci_-nn", "lspci -nn", b"half a li", b"", 137, 10.0, "timeout"),
            Entry("commands/lsmod", "lsmod", exit_code=127, state="absent"),
            Entry("files/etc/hccn.conf", "/etc/hccn.conf", b""),
        )
    },
)


@pytest.mark.parametrize("name", ["b", "b.tar", "b.tar.gz", "b.tgz", "b.zip"])
def test_what_is_written_comes_back_the_same(name: str, tmp_path: Path) -> None:
    write_bundle(SNAPSHOT, tmp_path / name)
    again = read_bundle(tmp_path / name)
    assert again.entries == SNAPSHOT.entries
    assert again.name == "host-" + again.name.removeprefix("host-")
    assert "node1" not in again.name
    assert again.problems == ()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_person_can_read_the_manifest(tmp_path: Path) -> None:
    write_bundle(SNAPSHOT, tmp_path / "b")
    text = (tmp_path / "b/manifest.json").read_text()
    assert json.loads(text)["schema"] == "npudoctor.bundle/1"
    assert '\n  {"path": "commands/lsmod", "origin": "lsmod", "exit_code": 127,' in text


def test_a_bundle_is_for_its_owner_alone(tmp_path: Path) -> None:
    write_bundle(SNAPSHOT, tmp_path / "b.tgz")
    write_bundle(SNAPSHOT, tmp_path / "b")
    assert stat.S_IMODE((tmp_path / "b.tgz").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["b", "b.tar.gz", "b.zip"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_full_disk_or_ctrl_c_leaves_nothing_half_written(name, error, tmp_path: Path, monkeypatch) -> None:
    real = write._members

    def members(*of_bundle):
        yield from list(real(*of_bundle))[:2]
        raise error

    monkeypatch.setattr(write, "_members", members)
    with pytest.raises((NpudoctorError, KeyboardInterrupt)):
        write_bundle(SNAPSHOT, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_old_bundle_stays_until_the_new_one_is_whole(tmp_path: Path, monkeypatch) -> None:
    write_bundle(SNAPSHOT, tmp_path / "b.tgz")
    old = (tmp_path / "b.tgz").read_bytes()
    monkeypatch.setattr(write, "_write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(NpudoctorError, match="No space left"):
        write_bundle(SNAPSHOT, tmp_path / "b.tgz")
    assert (tmp_path / "b.tgz").read_bytes() == old


def test_a_folder_with_something_in_it_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine").touch()
    with pytest.raises(UsageError, match="not empty"):
        write_bundle(SNAPSHOT, tmp_path / "b")


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        write_bundle(SNAPSHOT, tmp_path / "no" / "b.tgz")
