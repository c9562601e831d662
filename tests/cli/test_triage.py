"""`npudoctor triage`: the same answer whatever the dump came in, and none where nobody could know."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

LOG = """\
[INFO] GE(77,python3):2026-01-02-03:04:04.000.001 [graph.cc:1]77 graph built
[ERROR] RUNTIME(77,python3):2026-01-02-03:04:05.000.001 [a.cc:5]77 halMemAlloc failed, drvRetCode=6
[ERROR] RUNTIME(77,python3):2026-01-02-03:04:05.000.009 [b.cc:5]77 no memory, runtime result = 207001
RuntimeError: 内存不足 NPU out of memory. Tried to allocate 2.00 GiB (NPU 1; 60.97 GiB total capacity)
[ERROR] HCCL(78,python3):2026-01-02-03:06:05.000.001 [c.cc:5]78 wait socket establish timeout, role[0]
"""


@pytest.fixture
def answer(npudoctor: Any) -> Any:
    """The JSON answer to a dump."""

    def of(path: Path | str, *arguments: str, **options: Any) -> dict[str, Any]:
        done = npudoctor("triage", str(path), "--format", "json", *arguments, **options)
        assert done.returncode in (0, 1, 3), done.stderr
        return json.loads(done.stdout)

    return of


def told(document: dict[str, Any]) -> Any:
    """What must not depend on how the dump came."""
    codes = [(code["family"], code["code"], code["count"]) for code in document["codes"]]
    causes = [(cause["id"], cause["confidence"], cause["count"]) for cause in document["causes"]]
    return codes, causes


def in_tar(data: bytes, mode: str) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
        info = tarfile.TarInfo("x/a.log")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def as_json_file(text: str, rows_of: int = 16384) -> bytes:
    pieces = [
        line[at : at + rows_of] for line in text.splitlines(True) for at in range(0, len(line), rows_of)
    ]
    rows = [{"log": piece, "stream": "stderr", "time": "2026-01-02T03:04:05Z"} for piece in pieces]
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows).encode()


WRAPPED = {
    "gzip": gzip.compress(LOG.encode()),
    "tar in a tar": in_tar(in_tar(LOG.encode(), "w"), "w:gz"),
    "windows line ends": LOG.replace("\n", "\r\n").encode(),
    "gbk": LOG.encode("gb18030"),
    "utf-16": LOG.encode("utf-16"),
    "docker json": as_json_file(LOG),
    "cri": "".join(
        f"2026-01-02T03:04:05.123456789Z stderr F {line}" for line in LOG.splitlines(True)
    ).encode(),
    "docker json in rows of 16 KiB": as_json_file(LOG, rows_of=40),
    "cut before": f"halMemAlloc fai\n{LOG}[INFO] GE(77,python3):2026-01-02-03:".encode(),
    "compose": "".join(f"engine-1  | {line}" for line in LOG.splitlines(True)).encode(),
    "no line end": LOG.rstrip("\n").encode(),
    "colours": LOG.replace("[ERROR]", "\x1b[31m[ERROR]\x1b[0m").encode(),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_the_answer_does_not_depend_on_the_wrapping(name: str, tmp_path: Path, answer: Any) -> None:
    (tmp_path / "plain.log").write_text(LOG)
    (tmp_path / "dump").write_bytes(WRAPPED[name])
    assert told(answer(tmp_path / "dump")) == told(answer(tmp_path / "plain.log"))


def test_standard_input_gives_the_same(tmp_path: Path, answer: Any) -> None:
    (tmp_path / "a.log").write_text(LOG)
    assert told(answer("-", input=LOG)) == told(answer(tmp_path / "a.log"))


def test_the_first_error_leads_and_the_time_out_does_not(tmp_path: Path, answer: Any) -> None:
    (tmp_path / "a.log").write_text(LOG)
    first, *others = answer(tmp_path / "a.log")["causes"]
    assert first["category"] == "out-of-memory"
    assert first["because"][0]["line"] == 4
    assert next(cause["confidence"] for cause in others if cause["category"] == "hccl") < 0.5


def test_64_ranks_with_the_same_fault_are_one_cause_with_a_count(tmp_path: Path, answer: Any) -> None:
    text = "".join(f"[rank{rank}]: {line}" for rank in range(64) for line in LOG.splitlines(True))
    (tmp_path / "a.log").write_text(text)
    document = answer(tmp_path / "a.log")
    assert [cause["category"] for cause in document["causes"]].count("out-of-memory") == 1
    assert document["causes"][0]["processes"] == 64


NOISE = {
    "a clean log": "[INFO] GE(77,python3):2026-01-02-03:04:04.000.001 [graph.cc:1]77 graph built\n" * 100,
    "a novel": "It was an error of judgement, she said, and the code of that house was 507018 steps away.\n"
    * 50,
    "a compiler": "main.c:7:5: error: expected ';' before 'return'\nmake: *** [Makefile:5: all] Error 1\n",
    "a web server": '192.0.2.1 - - [02/Jan/2026] "GET /error HTTP/1.1" 500 207001\n' * 50,
    "nothing": "",
}


@pytest.mark.parametrize("name", NOISE)
def test_what_is_no_dump_gives_no_cause(name: str, tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "a.log").write_text(NOISE[name])
    done = npudoctor("triage", str(tmp_path / "a.log"), "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["causes"] == []


def test_random_bytes_give_no_cause(tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "a.log").write_bytes(random.Random(3).randbytes(1 << 20))
    done = npudoctor("triage", str(tmp_path / "a.log"), "--format", "json")
    assert done.returncode == 2
    assert done.stderr.endswith("a.log: not text; give logs, or an archive of them\n")


def test_what_is_no_text_among_logs_is_named_and_nothing_more(tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "clean.log").write_text(NOISE["a clean log"])
    (tmp_path / "log" / "photo.png").write_bytes(bytes(range(256)) * 100)
    done = npudoctor("triage", "log", "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["passed_over"] == ["log/photo.png: not text"]


@pytest.mark.parametrize("path", ["nowhere.log", ""])
def test_what_cannot_be_read_is_exit_2_and_one_line(path: str, tmp_path: Path, npudoctor: Any) -> None:
    done = npudoctor("triage", *([str(tmp_path / path)] if path else []))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_a_log_that_may_not_be_read_is_said_and_is_exit_3(tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "a.log").write_text(LOG)
    (tmp_path / "a.log").chmod(0)
    if os.access(tmp_path / "a.log", os.R_OK):
        pytest.skip("root reads everything")
    done = npudoctor("triage", str(tmp_path))
    assert done.returncode == 3
    assert "Permission denied" in done.stdout


def test_agreeing_findings_of_the_host_lift_a_cause_and_are_quoted(tmp_path: Path, answer: Any) -> None:
    (tmp_path / "a.log").write_text("call returned ACL_ERROR_RT_FAILED\n")
    host = tmp_path / "bundle" / "commands"
    host.mkdir(parents=True)
    (host / "ulimit_-s").write_text("8192\n")
    alone = {cause["id"]: cause for cause in answer(tmp_path / "a.log")["causes"]}
    first, *_ = answer(tmp_path / "a.log", "--from", str(tmp_path / "bundle"))["causes"]
    assert first["id"] == "runtime-failed-stack"
    assert first["confidence"] > 0.5 > alone["runtime-failed-stack"]["confidence"]
    assert first["agrees"] == ["limits.stack"]


def test_the_text_gives_cause_proof_and_fix_in_this_order(tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "a.log").write_text(LOG)
    told = npudoctor("triage", "a.log").stdout
    places = [told.index(words) for words in ("CAUSE ", "a.log:4: RuntimeError", "→ ", "$ npu-smi info")]
    assert places == sorted(places)


@pytest.mark.parametrize("format", ["text", "json"])
def test_no_quoted_line_shows_a_secret(format: str, tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "a.log").write_text(
        "OSError: [Errno 28] No space left on device: '/x' HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123456789\n"
        "[ERROR] nobody knows this --api-key sk-1234567890abcdefghij url=https://bob:pa55w0rd@host/x\n"
    )
    done = npudoctor("triage", str(tmp_path), "-v", "--format", format)
    assert "No space left" in done.stdout
    assert not any(secret in done.stdout for secret in ("hf_abc", "sk-1234", "pa55w0rd"))


def test_a_bundle_among_the_paths_says_what_its_host_is_like(tmp_path: Path, answer: Any) -> None:
    host = tmp_path / "dump" / "bundle"
    (host / "commands").mkdir(parents=True)
    (host / "commands" / "ulimit_-s").write_text("8192\n")
    (host / "manifest.json").write_text('{"schema": "npudoctor.bundle/1", "entries": []}')
    (tmp_path / "dump" / "a.log").write_text("call returned ACL_ERROR_RT_FAILED\n")
    first, *_ = answer(tmp_path / "dump")["causes"]
    assert first["host_evidence"] == answer(tmp_path / "dump", "--from", host)["causes"][0]["host_evidence"]


def test_a_format_that_is_not_there_is_told_with_those_that_are(tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "a.log").write_text(LOG)
    done = npudoctor("triage", "a.log", "--format", "html")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "use text, json" in done.stderr


def test_several_reports_at_once(tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "a.log").write_text(LOG)
    done = npudoctor(
        "triage", "a.log", "--output", "json=a.json", "--output", "text=a.txt", env={"COLUMNS": "100"}
    )
    assert json.loads((tmp_path / "a.json").read_text())["schema"] == "npudoctor.triage/1"
    assert (tmp_path / "a.txt").read_text() == done.stdout


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "a.log").write_text(LOG)
    done = npudoctor("triage", "a.log", "--output", "json=/dev/full")
    assert done.returncode == 4
    assert done.stderr == "npudoctor: /dev/full: No space left on device; nothing was written there\n"


def test_a_dump_that_a_shell_hands_over_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LOG)
    command = f"{sys.executable} -m npudoctor triage <(cat a.log) --format json"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["causes"][0]["category"] == "out-of-memory"


def test_a_hostile_archive_among_many_files_is_one_line(tmp_path: Path, npudoctor: Any) -> None:
    (tmp_path / "log").mkdir()
    for number in range(40):
        (tmp_path / "log" / f"{number}.log").write_text(NOISE["a clean log"] * 100)
    bad = io.BytesIO()
    with tarfile.open(fileobj=bad, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("../../x"))
    (tmp_path / "log" / "bad.tar").write_bytes(bad.getvalue())
    done = npudoctor("triage", "log")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "leads out of the archive" in done.stderr
