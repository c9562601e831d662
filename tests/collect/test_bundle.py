"""Bundles: what may be read of them, and what must not."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from npudoctor.collect import archive
from npudoctor.collect.bundle import read_bundle
from npudoctor.errors import UsageError

CONTENT = {
    "commands/npu-smi_info": b"| npu-smi 24.1.rc2 |\n",
    "commands/npu-smi_info_-t_board_-i_0": b"\tNPU ID : 0\n",
    "commands/id.stderr": b"id: no\n",
    "files/etc/os-release": b"ID=openEuler\n",
    "environment": b"A=1\n",
    "python-packages": b"# /usr/bin/python3 3.11.2\ntorch==2.5.1\n",
    "logs/plog/plog-1.log": b"[ERROR] x\n",
}


def as_folder(path: Path, content: dict[str, bytes], top: str = "") -> Path:
    for name, data in content.items():
        file = path / top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return path


def as_tar(path: Path, content: dict[str, bytes], top: str = "bundle/", mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as tar:
        for name, data in content.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def as_zip(path: Path, content: dict[str, bytes], top: str = "bundle/") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in content.items():
            zipped.writestr(top + name, data)
    return path


MAKERS: dict[str, Callable[[Path], Path]] = {
    "folder": lambda path: as_folder(path / "host", CONTENT),
    "folder in a folder": lambda path: as_folder(path / "host", CONTENT, "bundle"),
    "tar": lambda path: as_tar(path / "host.tar", CONTENT, mode="w"),
    "tar.gz": lambda path: as_tar(path / "host.tar.gz", CONTENT),
    "tgz, top folder of another name": lambda path: as_tar(path / "host.tgz", CONTENT, "node-1/"),
    "tar.gz without a top folder": lambda path: as_tar(path / "host.tar.gz", CONTENT, ""),
    "tar.gz with ./ before all": lambda path: as_tar(path / "host.tar.gz", CONTENT, "./"),
    "zip": lambda path: as_zip(path / "host.zip", CONTENT),
    "zip without a top folder": lambda path: as_zip(path / "host.zip", CONTENT, ""),
    "tar.gz with another suffix": lambda path: as_tar(path / "host.bin", CONTENT),
}


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_a_bundle_made_by_hand_is_read_from_every_container(maker, tmp_path: Path) -> None:
    snapshot = read_bundle(maker(tmp_path))
    assert snapshot.name.startswith("host")
    assert snapshot.problems == ()
    assert snapshot.command("npu-smi info").value == "| npu-smi 24.1.rc2 |\n"
    assert snapshot.file("/etc/os-release").value == "ID=openEuler\n"
    assert snapshot.entry("environment").text == "A=1\n"
    assert snapshot.entry("logs/plog/plog-1.log").text == "[ERROR] x\n"


def test_without_a_manifest_what_is_there_is_complete_and_the_rest_not_collected(tmp_path: Path) -> None:
    snapshot = read_bundle(as_folder(tmp_path / "b", CONTENT))
    entry = snapshot.entry("commands/npu-smi_info_-t_board_-i_0")
    assert (entry.state, entry.exit_code) == ("complete", 0)
    assert entry.origin == "npu-smi info -t board -i 0"
    assert snapshot.entry("commands/id").error_text == "id: no\n"
    assert not snapshot.command("dmesg").known
    assert not snapshot.command("dmesg").absent


def test_the_manifest_says_what_failed_and_what_is_absent(tmp_path: Path) -> None:
    manifest = b"""{"schema": "npudoctor.bundle/1", "host": "node7", "entries": [
      {"path": "commands/npu-smi_info", "origin": "npu-smi info", "exit_code": 3, "seconds": 1.5},
      {"path": "commands/lsmod", "origin": "lsmod", "exit_code": 127, "state": "absent"},
      {"path": "files/etc/hccn.conf", "state": "denied"}]}"""
    snapshot = read_bundle(as_folder(tmp_path / "b", {**CONTENT, "manifest.json": manifest}))
    assert snapshot.name == "node7"
    assert snapshot.entry("commands/npu-smi_info").exit_code == 3
    assert not snapshot.command("npu-smi info").known
    assert snapshot.command("lsmod").absent
    assert snapshot.file("/etc/hccn.conf").content.reason == "denied"
    assert snapshot.file("/etc/os-release").known  # added by hand
    assert snapshot.problems == ()


def test_content_that_the_manifest_names_and_is_gone_is_a_problem(tmp_path: Path) -> None:
    manifest = (
        b'{"schema": "npudoctor.bundle/1", "entries": [{"path": "commands/dmesg", "state": "complete"}]}'
    )
    snapshot = read_bundle(as_folder(tmp_path / "b", {**CONTENT, "manifest.json": manifest}))
    assert snapshot.problems == ("1 entries of the manifest are missing",)
    assert not snapshot.command("dmesg").known


@pytest.mark.parametrize("kept", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "zip"])
def test_a_bundle_that_is_cut_off_gives_what_it_holds_and_says_so(suffix, kept, tmp_path: Path) -> None:
    noise = {f"files/var/log/{n}": os.urandom(30_000) for n in range(10)}
    content = {"files/etc/os-release": b"ID=openEuler\n", **noise}
    makers = {"tar": lambda p, c: as_tar(p, c, mode="w"), "tar.gz": as_tar, "zip": as_zip}
    path = makers[suffix](tmp_path / f"host.{suffix}", content)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
    snapshot = read_bundle(path)
    assert snapshot.file("/etc/os-release").value == "ID=openEuler\n"
    assert len(snapshot.entries) < 11
    assert "cut off" in snapshot.problems[0]


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/passwd", "bundle/../../outside", "bundle/files/../../../x"]
)
@pytest.mark.parametrize("make", [as_tar, as_zip], ids=["tar", "zip"])
def test_a_path_that_leads_out_is_refused(make, name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leads out"):
        read_bundle(make(tmp_path / "x", {"bundle/environment": b"", name: b"x"}, ""))
    assert not (tmp_path.parent / "outside").exists()


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../etc/passwd"])
@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_that_leads_out_is_refused(kind: bytes, target: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as tar:
        member = tarfile.TarInfo("bundle/files/etc/passwd")
        member.type, member.linkname = kind, target
        tar.addfile(member)
    with pytest.raises(UsageError, match="leads out"):
        read_bundle(path)


def test_a_link_that_leads_out_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    folder = as_folder(tmp_path / "b", CONTENT)
    (folder / "files/etc/shadow").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match="leads out"):
        read_bundle(folder)


def test_a_link_that_stays_inside_a_folder_is_followed(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "b", CONTENT)
    (folder / "files/etc/system-release").symlink_to("os-release")
    assert read_bundle(folder).file("/etc/system-release").value == "ID=openEuler\n"


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_a_device_is_refused(kind: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as tar:
        member = tarfile.TarInfo("bundle/files/dev/sda")
        member.type = kind
        tar.addfile(member)
    with pytest.raises(UsageError, match="not a plain file"):
        read_bundle(path)


def test_a_fifo_in_a_folder_is_refused_not_waited_for(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "b", CONTENT)
    os.mkfifo(folder / "files/etc/pipe")
    with pytest.raises(UsageError, match="not a plain file"):
        read_bundle(folder)


@pytest.mark.parametrize("make", [as_tar, as_zip], ids=["tar.gz", "zip"])
def test_a_bomb_is_refused(make, tmp_path: Path) -> None:
    zeros = {f"files/{n}": bytes(8 << 20) for n in range(4)}
    with pytest.raises(UsageError, match="far more than its own size"):
        read_bundle(make(tmp_path / "x", zeros))


def test_one_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.gz"
    member = tarfile.TarInfo("bundle/files/huge")
    member.size = archive.MOST_BYTES + 1
    path.write_bytes(gzip.compress(member.tobuf()))
    with pytest.raises(UsageError, match="larger than any bundle"):
        read_bundle(path)


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    with pytest.raises(UsageError, match="larger than any bundle"):
        read_bundle(as_tar(tmp_path / "x.tar.gz", CONTENT))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a bundle"),
        (b"hello\n", "not a bundle"),
        (os.urandom(5000), "not a bundle"),
    ],
)
def test_a_file_that_is_no_bundle_is_a_usage_error(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_bundle(tmp_path / "x")


def test_a_folder_that_is_no_bundle_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a bundle"):
        read_bundle(as_folder(tmp_path / "b", {"a/b/c": b"x"}))


def test_a_path_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_bundle(tmp_path / "nothing")


@pytest.mark.parametrize("manifest", [b"{", b"[]", b'{"schema": "other/1"}', b"\xff\xfe"])
def test_a_manifest_that_cannot_be_read_is_a_usage_error(manifest: bytes, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"manifest\.json"):
        read_bundle(as_folder(tmp_path / "b", {**CONTENT, "manifest.json": manifest}))


def test_rows_of_the_manifest_that_make_no_sense_are_passed_over(tmp_path: Path) -> None:
    manifest = b"""{"schema": "npudoctor.bundle/1", "entries": [7, {"state": "absent"},
      {"path": "commands/npu-smi_info", "exit_code": "x", "seconds": null, "state": "splendid"}]}"""
    snapshot = read_bundle(as_folder(tmp_path / "b", {**CONTENT, "manifest.json": manifest}))
    assert snapshot.command("npu-smi info").known


def test_litter_of_other_systems_is_passed_over(tmp_path: Path) -> None:
    litter = {"__MACOSX/._bundle": b"", "bundle/.DS_Store": b"", "bundle/._environment": b""}
    content = {f"bundle/{name}": data for name, data in CONTENT.items()} | litter
    assert read_bundle(as_zip(tmp_path / "x.zip", content, "")).problems == ()
