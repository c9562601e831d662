"""Bundles: what may be read of them, and what must not."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
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


def test_a_folder_of_any_depth_is_read(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(as_folder(tmp_path / "b", CONTENT) / "files")
    for _ in range(1200):
        os.mkdir("d")
        os.chdir("d")
    Path("x").write_bytes(b"deep")
    try:
        assert "files/" + "d/" * 1200 + "x" in read_bundle(tmp_path / "b").entries
    finally:
        os.chdir("/")
        subprocess.run(["rm", "-rf", tmp_path / "b"], check=True)  # Python's own way is too deep for it


def test_a_name_that_is_no_utf8_can_be_printed(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "b", CONTENT)
    (folder / "files" / os.fsdecode(b"\xff\xfe")).write_bytes(b"x")
    assert all(path.encode() for path in read_bundle(folder).entries)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_costs_itself_only(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "b", CONTENT)
    (folder / "files/etc/os-release").chmod(0)
    snapshot = read_bundle(folder)
    assert "Permission denied" in snapshot.problems[0]
    assert snapshot.command("npu-smi info").known


def test_a_folder_that_cannot_be_listed_is_a_problem(tmp_path: Path, monkeypatch) -> None:
    folder = as_folder(tmp_path / "b", CONTENT)
    real = os.listdir

    def listdir(path):
        if str(path).endswith("commands/"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(archive.os, "listdir", listdir)
    snapshot = read_bundle(folder)
    assert snapshot.problems == ("commands/ of the bundle cannot be read: Permission denied",)
    assert snapshot.file("/etc/os-release").known


def test_a_fifo_in_place_of_a_bundle_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        read_bundle(tmp_path / "x")


def test_a_tar_that_ends_between_two_members_is_cut_off(tmp_path: Path) -> None:
    path = as_tar(tmp_path / "x.tar", CONTENT, mode="w")
    path.write_bytes(path.read_bytes()[:2048])
    assert "cut off" in read_bundle(path).problems[0]


def test_a_damaged_header_in_the_middle_is_a_problem(tmp_path: Path) -> None:
    path = as_tar(tmp_path / "x.tar", CONTENT, mode="w")
    data = bytearray(path.read_bytes())
    data[2048 + 5] ^= 0xFF
    path.write_bytes(data)
    snapshot = read_bundle(path)
    assert snapshot.problems == ("the bundle is cut off: a damaged header",)
    assert len(snapshot.entries) == 2


def test_a_checksum_that_is_wrong_is_a_problem(tmp_path: Path) -> None:
    path = as_tar(tmp_path / "x.tgz", CONTENT)
    data = bytearray(path.read_bytes())
    data[-6] ^= 0xFF
    path.write_bytes(data)
    assert "incorrect data check" in read_bundle(path).problems[0]


def test_garbage_after_the_end_of_a_gzip_is_passed_over(tmp_path: Path) -> None:
    path = as_tar(tmp_path / "x.tgz", CONTENT)
    path.write_bytes(path.read_bytes() + b"garbage")
    assert read_bundle(path).problems == ()


@pytest.mark.parametrize("kind", [b"x", b"g", b"L", b"K"])
def test_an_extended_header_of_impossible_size_is_not_read(kind: bytes, tmp_path: Path) -> None:
    member = tarfile.TarInfo("x")
    member.type, member.size = kind, 900 << 20
    path = tmp_path / "x.tgz"
    path.write_bytes(gzip.compress(member.tobuf(tarfile.GNU_FORMAT) + bytes(8 << 20)))
    assert "impossible size" in read_bundle(path).problems[0]


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.XHDTYPE])
def test_headers_of_whatever_kind_and_name_are_counted(kind: bytes, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 100)
    member = tarfile.TarInfo("bundle/files/same")
    member.type, member.linkname = kind, "other" if kind == tarfile.SYMTYPE else ""
    path = tmp_path / "x.tgz"
    path.write_bytes(gzip.compress(member.tobuf() * 101))
    with pytest.raises(UsageError, match="over 100 members"):
        read_bundle(path)


def test_headers_alone_cannot_make_a_bomb(tmp_path: Path) -> None:
    path = tmp_path / "x.tgz"
    member = tarfile.TarInfo("bundle/files/x")
    member.size = 1 << 20
    path.write_bytes(gzip.compress((member.tobuf() + bytes(1 << 20)) * 40))
    with pytest.raises(UsageError, match="far more than its own size"):
        read_bundle(path)


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_long_and_foreign_names_of_every_tar_are_read(form: int, tmp_path: Path) -> None:
    name = "files/" + "long/" * 30 + "x" if form == tarfile.USTAR_FORMAT else "files/" + "长/" * 200 + "x"
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w", format=form) as tar:
        member = tarfile.TarInfo("bundle/" + name)
        member.size = 3
        tar.addfile(member, io.BytesIO(b"yes"))
    snapshot = read_bundle(path)
    assert snapshot.problems == ()
    assert snapshot.entry(name).stdout == b"yes"


@pytest.mark.parametrize(
    "sparse", [{"GNU.sparse.major": "1", "GNU.sparse.realsize": "9"}, {"GNU.sparse.map": "0,1"}]
)
def test_a_file_with_holes_is_refused(sparse: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("bundle/files/x")
        member.pax_headers = sparse
        tar.addfile(member)
    with pytest.raises(UsageError, match="not a plain file"):
        read_bundle(path)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_of_an_archive_that_stays_inside_is_followed(kind: bytes, tmp_path: Path) -> None:
    path = as_tar(tmp_path / "x.tar", CONTENT, mode="w")
    with tarfile.open(path, "a") as tar:
        member = tarfile.TarInfo("bundle/files/usr/lib/os-release")
        member.type = kind
        member.linkname = "bundle/files/etc/os-release" if kind == tarfile.LNKTYPE else "../../etc/os-release"
        tar.addfile(member)
    assert read_bundle(path).file("/usr/lib/os-release").value == "ID=openEuler\n"


@pytest.mark.parametrize("name", ["bundle/files/a\nb", "bundle/files/\x1b[31mred"])
def test_a_name_with_control_characters_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="control characters") as caught:
        read_bundle(as_tar(tmp_path / "x.tar", {name: b""}, "", "w"))
    assert str(caught.value).isprintable()


def test_a_member_of_a_zip_that_is_damaged_costs_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("environment", "A=1\n")
        zipped.writestr("files/etc/os-release", "ID=openEuler\n")
    path.write_bytes(path.read_bytes().replace(b"A=1\n", b"A=2\n"))
    snapshot = read_bundle(path)
    assert snapshot.problems == ("environment of the bundle cannot be read: damaged",)
    assert snapshot.file("/etc/os-release").known


def test_an_encrypted_zip_is_a_usage_error(tmp_path: Path) -> None:
    path = as_zip(tmp_path / "x.zip", CONTENT)
    data = path.read_bytes().replace(b"PK\1\2\x14\3\x14\0\0\0", b"PK\1\2\x14\3\x14\0\1\0")
    path.write_bytes(data)
    with pytest.raises(UsageError, match="encrypted"):
        read_bundle(path)


def test_a_zip_with_the_backslashes_of_windows_is_read_and_led_out_by_none(tmp_path: Path) -> None:
    path = as_zip(tmp_path / "x.zip", {"b\\files\\etc\\os-release": b"ID=openEuler\n"}, "")
    assert read_bundle(path).file("/etc/os-release").known
    with pytest.raises(UsageError, match="leads out"):
        read_bundle(as_zip(tmp_path / "y.zip", {"..\\..\\x": b""}, ""))


def test_a_cut_zip_whose_member_is_a_bomb_or_damaged_gives_the_rest(tmp_path: Path) -> None:
    path = as_zip(tmp_path / "x.zip", {"environment": b"A=1\n", "files/z": bytes(50 << 20)})
    data = path.read_bytes()
    at = data.index(b"PK\3\4", 4)
    lying = data[: at + 22] + bytes(4) + data[at + 26 : data.index(b"PK\1\2")]  # "its size is 0"
    path.write_bytes(lying)
    snapshot = read_bundle(path)
    assert list(snapshot.entries) == ["environment"]
    assert "cut off" in snapshot.problems[0]


@pytest.mark.parametrize(
    "manifest",
    [
        b"[" * 100_000,
        b'{"schema": "npudoctor.bundle/1", "entries": {}}',
        b'{"schema": "npudoctor.bundle/1", "x": "' + b"x" * (9 << 20) + b'"}',
    ],
)
def test_a_manifest_that_means_harm_is_a_usage_error(manifest: bytes, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"manifest\.json"):
        read_bundle(as_folder(tmp_path / "b", {**CONTENT, "manifest.json": manifest}))


@pytest.mark.parametrize(
    "rest",
    [
        b'"problems": 7',
        b'"problems": null, "host": {"a": 1}',
        b'"entries": [{"path": "environment", "exit_code": NaN, "seconds": Infinity}]',
        b'"entries": [{"path": "environment", "exit_code": 1e999, "origin": ["x"], "state": {}}]',
        b'"host": "a\\n\\u001b[31mb"',
    ],
)
def test_words_of_a_manifest_that_make_no_sense_are_passed_over(rest: bytes, tmp_path: Path) -> None:
    manifest = b'{"schema": "npudoctor.bundle/1", ' + rest + b"}"
    snapshot = read_bundle(as_folder(tmp_path / "b", {**CONTENT, "manifest.json": manifest}))
    assert snapshot.entry("environment").exit_code == 0
    assert snapshot.name.isprintable()


def test_a_row_that_points_out_of_the_bundle_makes_no_entry(tmp_path: Path) -> None:
    manifest = (
        b'{"schema": "npudoctor.bundle/1", "entries": [{"path": "../../etc/passwd", "state": "absent"}]}'
    )
    snapshot = read_bundle(as_folder(tmp_path / "b", {**CONTENT, "manifest.json": manifest}))
    assert not any("passwd" in path for path in snapshot.entries)
