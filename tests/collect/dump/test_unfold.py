"""Logs out of whatever holds them; what is hostile ends in one clear error."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from npudoctor.collect.dump import Told, logs, logs_of_stream, parts, unfold
from npudoctor.collect.dump.files import Part
from npudoctor.errors import UsageError

TEXT = b"first line\n[ERROR] second line\n" * 200


def tar(members: dict[str, bytes], mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def read(path: Path) -> tuple[dict[str, bytes], list[str]]:
    told = Told()
    found = {
        log.name.removeprefix(str(path)).lstrip("/"): b"".join(log.chunks)
        for part in parts([path], told)
        for log in logs(part, told)
    }
    return found, told.problems + told.passed


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (TEXT, ""),
        (gzip.compress(TEXT), ""),
        (bz2.compress(TEXT), ""),
        (lzma.compress(TEXT), ""),
        (gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:]), ""),
        (tar({"a/x.log": TEXT}), "a/x.log"),
        (tar({"a/x.log": TEXT}, "w:gz"), "a/x.log"),
        (tar({"in.tar": tar({"x.log": TEXT})}), "in.tar/x.log"),
        (tar({"in.tgz": tar({"x.log.gz": gzip.compress(TEXT)}, "w:gz")}), "in.tgz/x.log.gz"),
        (zipped({"x.log": TEXT}), "x.log"),
        (zipped({"in.zip": zipped({"x.log": TEXT})}), "in.zip/x.log"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else value,
)
def test_the_same_log_comes_out_of_everything_that_holds_it(tmp_path: Path, data: bytes, name: str) -> None:
    (tmp_path / "dump").write_bytes(data)
    assert read(tmp_path / "dump") == ({name: TEXT}, [])


def test_a_stream_that_can_be_read_once_is_unfolded_too() -> None:
    stream = io.BytesIO(tar({"x.log": TEXT}, "w:gz"))
    assert [b"".join(log.chunks) for log in logs_of_stream(stream, "-", Told())] == [TEXT]


def test_a_log_in_utf_16_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes("错误 507018\r\n".encode("utf-16"))
    assert read(tmp_path / "x.log")[0] == {"": "错误 507018\r\n".encode()}


def test_a_cut_off_gzip_gives_what_it_holds_and_says_so(tmp_path: Path) -> None:
    data = gzip.compress(bytes(range(48, 122)) * 4000, 1)
    (tmp_path / "x.gz").write_bytes(data[: len(data) // 2])
    found, problems = read(tmp_path / "x.gz")
    assert found[""]
    assert "cut off" in problems[0]


def test_a_cut_off_tar_gives_what_it_holds_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.tar").write_bytes(tar({"a.log": TEXT, "b.log": TEXT})[:9000])
    found, problems = read(tmp_path / "x.tar")
    assert found["a.log"] == TEXT
    assert TEXT.startswith(found["b.log"])
    assert "damaged" in problems[0]


def test_bytes_that_are_no_text_are_passed_over_and_said(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(bytes(range(256)) * 100)
    assert read(tmp_path / "x.bin") == ({}, [f"{tmp_path / 'x.bin'}: not text"])


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b"])
def test_an_archive_that_leads_out_of_itself_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.tar").write_bytes(tar({name: TEXT}))
    with pytest.raises(UsageError, match="leads out"):
        read(tmp_path / "x.tar")


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    once = gzip.compress(b"[ERROR]\n" * (8 << 20), 9)
    (tmp_path / "x.gz").write_bytes(gzip.compress(once * 20, 9))
    with pytest.raises(UsageError, match="far more than its own size"):
        read(tmp_path / "x.gz")


def test_an_archive_in_archives_without_end_is_refused(tmp_path: Path) -> None:
    data = TEXT
    for _depth in range(14):
        data = gzip.compress(data)
    (tmp_path / "x.gz").write_bytes(data)
    with pytest.raises(UsageError, match="deep"):
        read(tmp_path / "x.gz")


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing\.log: No such file"):
        list(parts([tmp_path / "nothing.log"], Told()))


def test_a_folder_gives_all_its_files_and_follows_no_link_to_a_folder(tmp_path: Path) -> None:
    (tmp_path / "plog").mkdir()
    (tmp_path / "plog" / "a.log").write_bytes(TEXT)
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    assert list(read(tmp_path)[0]) == ["plog/a.log"]


def test_ranges_of_a_large_log_hold_every_line_once(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(TEXT)
    cuts = [0, 5, 11, 12, 100, 3000, len(TEXT)]
    ranges = [Part(str(path), "x", start, end - start) for start, end in pairwise(cuts)]
    pieces = [b"".join(log.chunks) for part in ranges for log in logs(part, Told())]
    assert b"".join(pieces) == TEXT


def test_utf_16_without_a_mark_is_read(tmp_path: Path) -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        (tmp_path / "x.log").write_bytes(TEXT.decode().encode(encoding))
        assert read(tmp_path / "x.log")[0] == {"": TEXT}


def test_a_large_zip_is_read_without_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfold, "MOST_ZIP", 4096)
    packed = zipped({"x.log": random.Random(5).randbytes(20_000).hex().encode()})
    (tmp_path / "x.zip").write_bytes(packed)
    assert len(read(tmp_path / "x.zip")[0]["x.log"]) == 40_000
    (tmp_path / "x.tar").write_bytes(tar({"x.zip": packed}))
    with pytest.raises(UsageError, match="a zip of more than"):
        read(tmp_path / "x.tar")


def test_a_zip_of_a_million_members_is_refused_before_its_list_is_read(tmp_path: Path) -> None:
    entry = b"PK\1\2" + bytes(24) + b"\4\0" + bytes(16) + b"name"
    body = entry * 400_000
    end = b"PK\5\6" + bytes(6) + (65535).to_bytes(2, "little") + len(body).to_bytes(4, "little") + bytes(6)
    (tmp_path / "x.zip").write_bytes(b"PK\3\4" + body + end)
    with pytest.raises(UsageError, match="more than 200000 members"):
        read(tmp_path / "x.zip")


def test_a_tar_of_a_million_members_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfold, "MOST_MEMBERS", 2000)
    (tmp_path / "x.tar").write_bytes(tarfile.TarInfo("x").tobuf() * 2001)
    with pytest.raises(UsageError, match="more than 2000 members"):
        read(tmp_path / "x.tar")


def test_a_cut_off_zip_gives_what_it_holds_and_says_so(tmp_path: Path) -> None:
    whole = zipped({"a.log": TEXT, "b.log": TEXT})
    (tmp_path / "x.zip").write_bytes(whole[: len(whole) // 2])
    found, problems = read(tmp_path / "x.zip")
    assert found == {"a.log": TEXT}
    assert "damaged" in problems[0]


def test_an_encrypted_member_is_told(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.log": TEXT}))
    for at in (6, data.rfind(b"PK\1\2") + 8):
        data[at] |= 1
    (tmp_path / "x.zip").write_bytes(data)
    assert read(tmp_path / "x.zip") == (
        {},
        [f"{tmp_path / 'x.zip'}/a.log: encrypted, or packed in an unknown way"],
    )


def test_a_bomb_on_standard_input_is_refused_by_what_was_read_of_it() -> None:
    once = gzip.compress(b"[ERROR]\n" * (8 << 20), 9)
    packed = io.BytesIO(gzip.compress(once * 20, 9))
    with pytest.raises(UsageError, match="far more than its own size"):
        sum(len(chunk) for log in logs_of_stream(packed, "-", Told()) for chunk in log.chunks)


def test_a_file_that_becomes_shorter_while_it_is_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(TEXT)
    told = Told()
    part = Part(str(tmp_path / "x.log"), "x.log", 0, len(TEXT) + 5)
    assert [b"".join(log.chunks) for log in logs(part, told)] == [TEXT]
    assert told.problems == ["x.log: became shorter while it was read"]


def test_the_bundles_in_a_dump_are_noted(tmp_path: Path) -> None:
    manifest = b'{"schema": "npudoctor.bundle/1"}'
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "a.tar").write_bytes(tar({"node/manifest.json": manifest}))
    (tmp_path / "dump" / "b").mkdir()
    (tmp_path / "dump" / "b" / "manifest.json").write_bytes(manifest)
    told = Told()
    for part in parts([tmp_path / "dump"], told):
        for log in logs(part, told):
            assert log.name
    assert told.bundles == [f"{tmp_path}/dump/a.tar", f"{tmp_path}/dump/b"]
