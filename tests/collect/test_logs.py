"""`--logs SINCE`: what changed since then, each file's end, the newest first, and no more than the caps."""

from __future__ import annotations

import os
import re
import shutil
import time
from datetime import datetime, timezone

import pytest

from npudoctor.collect.since import Since, read_since
from npudoctor.errors import UsageError
from tests.lab.host import SHELLS, build

HOUR = Since(minutes=60)


@pytest.fixture
def lab(tmp_path):
    host = build(tmp_path, npus=1)
    (host.folder / "home/ascend/log/debug/plog").mkdir(parents=True)
    return host


def logs(
    lab, *, since: Since = HOUR, shell: tuple[str, ...] = ("sh",), change=lambda script: script, **variables
):
    if not shutil.which(shell[0]):
        pytest.skip(f"{shell[0]} is not on this machine")
    home = f"{lab.folder}/home"
    script = change(lab.script(since=since))
    read = lab.run(shell, script, {"HOME": home, **variables})
    assert read.problems == ()
    start = f"logs{home}/"
    return {path.removeprefix(start): entry for path, entry in read.entries.items() if path.startswith(start)}


def write(lab, name: str, data: str, age: float = 0.0):
    path = lab.folder / "home" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data)
    os.utime(path, (time.time() - age, time.time() - age))
    return path


@pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
def test_what_changed_since_then_is_read_and_nothing_older(lab, shell) -> None:
    write(lab, "ascend/log/debug/plog/plog-1.log", "new\n")
    write(lab, "ascend/log/run/with blank.log", "blank\n")
    write(lab, "mindie/log/debug/mindie-server_1.log", "mindie\n")
    write(lab, "ascend/log/old.log", "old\n", age=7200)
    write(lab, "ascend/log/rotated.log.gz", "packed\n")
    found = logs(lab, shell=shell)
    assert {path: entry.text for path, entry in found.items()} == {
        "ascend/log/debug/plog/plog-1.log": "new\n",
        "ascend/log/run/with blank.log": "blank\n",
        "mindie/log/debug/mindie-server_1.log": "mindie\n",
    }


def test_a_moment_counts_as_a_span_does(lab) -> None:
    write(lab, "ascend/log/a.log", "a\n", age=600)
    moment = int(time.time())
    assert logs(lab, since=Since(moment=moment - 1200)).keys() == {"ascend/log/a.log"}
    assert logs(lab, since=Since(moment=moment - 300)).keys() == set()


def test_a_large_file_gives_its_last_lines_whole_and_says_that_it_is_cut(lab) -> None:
    write(lab, "ascend/log/a.log", "".join(f"PASSWORD=x line {number}\n" for number in range(9000)))
    (entry,) = logs(lab, change=lambda script: re.sub(r"log_files \d+", "log_files 4096", script)).values()
    assert entry.state == "cut-off"
    assert entry.text.endswith("line 8999\n")
    assert entry.text.startswith("PASSWORD=x line 8")
    assert 4000 < len(entry.stdout) <= 4096


def test_what_does_not_fit_any_more_is_named_and_the_newest_comes_first(lab) -> None:
    for number in range(6):
        write(lab, f"ascend/log/{number}.log", "x" * 999 + "\n", age=60.0 * number)
    found = logs(lab, change=lambda script: re.sub(r"log_files (\d+) \d+", r"log_files \1 3000", script))
    assert [found[f"ascend/log/{number}.log"].state for number in range(6)] == ["complete"] * 3 + [
        "cut-off"
    ] * 3
    assert found["ascend/log/5.log"].stdout == b""


def test_a_moved_log_tree_is_found_and_links_out_of_it_are_not_followed(lab) -> None:
    write(lab, "elsewhere/debug/plog/a.log", "a\n")
    write(lab, "private/b.log", "b\n")
    (lab.folder / "home/elsewhere/b.log").symlink_to(lab.folder / "home/private/b.log")
    found = logs(lab, ASCEND_PROCESS_LOG_PATH=f"{lab.folder}/home/elsewhere")
    assert found.keys() == {"elsewhere/debug/plog/a.log"}


def test_reading_changes_nothing(lab) -> None:
    path = write(lab, "ascend/log/a.log", "a\n", age=600)
    before = path.stat()
    logs(lab)
    after = path.stat()
    assert (after.st_mtime_ns, after.st_size, after.st_mode) == (
        before.st_mtime_ns,
        before.st_size,
        before.st_mode,
    )


def test_without_the_option_no_log_is_read(lab) -> None:
    write(lab, "ascend/log/a.log", "a\n")
    assert not [path for path in lab.run().entries if path.startswith("logs/")]


def test_the_kernel_log_is_there_with_times(lab) -> None:
    read = lab.run(script=lab.script(since=HOUR))
    assert {"logs/dmesg_-T", "logs/journalctl_-k"} <= read.entries.keys()


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("90m", Since(minutes=90)),
        ("2h", Since(minutes=120)),
        ("3d", Since(minutes=3 * 24 * 60)),
        ("1w", Since(minutes=7 * 24 * 60)),
        ("0m", Since(minutes=1)),
        ("2026-11-29T10:00+08:00", Since(moment=1795917600)),
        ("2026-11-29T02:00Z", Since(moment=1795917600)),
    ],
)
def test_spans_and_moments(text: str, since: Since) -> None:
    assert read_since(text) == since


def test_a_moment_without_a_zone_is_of_this_machine() -> None:
    here = datetime(2026, 11, 29, 10, 0).astimezone().astimezone(timezone.utc)
    assert read_since("2026-11-29T10:00") == Since(moment=int(here.timestamp()))


@pytest.mark.parametrize("text", ["", "soon", "2 hours", "-2h", "2026-13-01", "99999999h"])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="neither"):
        read_since(text)
