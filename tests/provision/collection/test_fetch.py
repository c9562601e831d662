"""The module `fetch`: places in order, going on where it broke off, only the right bytes, and the disk."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import call
from tests.provision.collection.mirrors import mirror

DATA = hashlib.shake_256(b"package").digest(3 << 20)  # the same in each process: it names tests
DIGEST = hashlib.sha256(DATA).hexdigest()
NAME = "Ascend-hdk-910b-npu-firmware_7.8.0.5.216.run"
PACKAGE = {"name": NAME, "sha256": DIGEST, "size": len(DATA)}
PLACE = f"/sha256/{DIGEST[:2]}/{DIGEST}"
STORE = "var/lib/npudoctor/store"


def fetch(root: Path, *sources: str, **more: Any) -> dict[str, Any]:
    return call("fetch", root, packages=[PACKAGE], sources=list(sources), **more)


def stored(root: Path) -> Path:
    return root / STORE / PLACE.lstrip("/")


def part(root: Path) -> Path:
    return root / STORE / "part" / f"{DIGEST}.part"


def lay(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("place", [NAME, PLACE.lstrip("/")])
def test_a_folder_may_hold_packages_by_name_or_by_digest(tmp_path: Path, place: str) -> None:
    lay(tmp_path / "share" / place, DATA)
    answer = fetch(tmp_path, f"file://{tmp_path}/share")
    assert (answer["changed"], answer["fetched"][0]["bytes"]) == (True, len(DATA))
    assert stored(tmp_path).read_bytes() == DATA
    assert not part(tmp_path).exists()


@pytest.mark.parametrize("path", [f"/{NAME}", PLACE])
def test_a_mirror_may_hold_them_by_name_or_by_digest(tmp_path: Path, path: str) -> None:
    with mirror({path: DATA}) as place:
        assert fetch(tmp_path, place.url)["changed"]
    assert stored(tmp_path).read_bytes() == DATA


def test_the_second_call_asks_nobody_and_reads_nothing_again(tmp_path: Path) -> None:
    with mirror({PLACE: DATA}) as place:
        fetch(tmp_path, place.url)
        place.asked.clear()
        held = os.stat(stored(tmp_path))
        stored(tmp_path).write_bytes(b"x" * len(DATA))  # same size, same time, same file: it is not read
        os.utime(stored(tmp_path), ns=(held.st_atime_ns, held.st_mtime_ns))
        assert not fetch(tmp_path, place.url)["changed"]
        assert place.asked == []
        assert fetch(tmp_path, place.url, rehash=True)["changed"]
    assert stored(tmp_path).read_bytes() == DATA


def test_a_file_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    with mirror({PLACE: DATA}) as place:
        fetch(tmp_path, place.url)
        lay(stored(tmp_path), b"y" * len(DATA))
        assert fetch(tmp_path, place.url)["changed"]


def test_places_are_tried_in_order_and_what_each_answered_is_told(tmp_path: Path) -> None:
    with mirror({PLACE: DATA}) as second, mirror({}) as first:
        answer = fetch(tmp_path, f"file://{tmp_path}/none", first.url, second.url)
        assert answer["fetched"][0]["source"] == second.url
    failed = fetch(tmp_path / "other", f"file://{tmp_path}/none", "http://127.0.0.1:9", "gopher://x")
    assert failed["blockers"][0]["key"] == "package-missing"
    assert all(word in failed["msg"] for word in ("holds no", "refused", "neither file"))


def test_a_download_that_broke_off_goes_on_where_it_ended(tmp_path: Path) -> None:
    with mirror({PLACE: DATA}, breaks_after=1 << 20) as place:
        assert fetch(tmp_path, place.url)["failed"]
        place.breaks_after = None
        assert fetch(tmp_path, place.url)["fetched"][0]["bytes"] == len(DATA) - (1 << 20)
        assert place.asked[-1] == (PLACE, f"bytes={1 << 20}-")
    assert stored(tmp_path).read_bytes() == DATA


def test_the_next_place_goes_on_where_the_first_broke_off(tmp_path: Path) -> None:
    with mirror({PLACE: DATA}, breaks_after=1 << 20) as first, mirror({PLACE: DATA}) as second:
        answer = fetch(tmp_path, first.url, second.url)
    assert answer["fetched"] == [{"name": NAME, "source": second.url, "bytes": len(DATA) - (1 << 20)}]


def test_a_place_that_cannot_go_on_starts_anew(tmp_path: Path) -> None:
    lay(part(tmp_path), DATA[: 1 << 20])
    with mirror({PLACE: DATA}, ranges=False) as place:
        assert fetch(tmp_path, place.url)["fetched"][0]["bytes"] == len(DATA)
    assert stored(tmp_path).read_bytes() == DATA


def test_a_part_that_is_bad_does_not_count_against_a_place(tmp_path: Path) -> None:
    lay(part(tmp_path), b"?" * (1 << 20))
    with mirror({PLACE: DATA}) as place:
        answer = fetch(tmp_path, place.url)
    assert (answer["changed"], answer["distrusted"]) == (True, [])


@pytest.mark.parametrize("bad", [DATA[:-1] + b"!", DATA + b"more"])
def test_bad_bytes_are_set_aside_and_their_place_passed_over(tmp_path: Path, bad: bytes) -> None:
    with mirror({PLACE: bad}) as first, mirror({PLACE: DATA}) as second:
        answer = fetch(tmp_path, first.url, second.url)
        assert answer["distrusted"] == [first.url]
    assert stored(tmp_path).read_bytes() == DATA
    assert (tmp_path / STORE / "bad" / DIGEST).exists()


def test_bad_bytes_alone_leave_nothing_in_the_store(tmp_path: Path) -> None:
    with mirror({PLACE: DATA[:-1] + b"!"}) as place:
        answer = fetch(tmp_path, place.url)
    assert answer["failed"]
    assert "other bytes" in answer["msg"]
    assert not stored(tmp_path).exists()


def test_check_mode_names_what_is_missing_and_makes_nothing(tmp_path: Path) -> None:
    answer = fetch(tmp_path, "http://127.0.0.1:9", check=True)
    assert (answer["changed"], answer["missing"]) == (True, [NAME])
    assert list(tmp_path.iterdir()) == []


def test_it_takes_no_more_than_its_rate(tmp_path: Path) -> None:
    with mirror({PLACE: DATA}) as place:
        begin = time.monotonic()
        fetch(tmp_path, place.url, megabytes_per_second=3)
    assert time.monotonic() - begin >= len(DATA) / 3e6 * 0.9


def test_too_little_room_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    vast = {**PACKAGE, "size": 1 << 50}
    with mirror({PLACE: DATA}) as place:
        answer = call("fetch", tmp_path, packages=[vast], sources=[place.url])
        assert place.asked == []
    assert answer["blockers"][0]["key"] == "no-space"
    assert not part(tmp_path).exists()


def test_a_disk_that_fills_up_is_a_clear_error_and_leaves_nothing_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with mirror({PLACE: DATA}) as place:
        answer = fetch(tmp_path, place.url)
    assert answer["blockers"][0] == {
        "key": "no-space",
        "message": f"{NAME} was not fetched: {tmp_path}/{STORE}/part: No space left on device",
        "fix": "make room there",
    }
    assert not part(tmp_path).exists()
    assert not stored(tmp_path).exists()
