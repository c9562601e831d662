"""Logs that several processes read in pieces: every line once, with its number in the whole file."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from npudoctor.cli import dump, readers
from npudoctor.cli.dump import gather, number_lines
from npudoctor.collect.dump import files

INFO = "[INFO] GE(77,python3):2026-01-02-03:04:04.000.001 [graph.cc:1]77 graph built no={}\n"
ERRORS = ("Call drvGetDevNum, drvRetCode=87.", "[Init]init soc version failed, ret = 507008", "EI0006: late")


@pytest.fixture
def log() -> str:
    lines = [INFO.format(number) for number in range(3000)]
    for place, error in zip((0, 1234, 2999), ERRORS, strict=True):
        lines[place] = f"{error}\n"
    return "".join(lines)


def seen(*paths: Path) -> list[tuple[str, int, int]]:
    gathered, _told = gather(paths, io.BytesIO())
    sights = gathered.first_to_last()
    number_lines(sights)
    return sorted((sight.line.text, sight.line.number, sight.count) for sight in sights)


WANTED = sorted((text, number, 1) for text, number in zip(ERRORS, (1, 1235, 3000), strict=True))


@pytest.mark.parametrize("piece", [1000, 4096, 100_000, 1 << 30])
@pytest.mark.parametrize("alone", [0, 1 << 30])
def test_the_pieces_of_a_file_give_every_line_once_with_its_number(
    piece: int, alone: int, log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PIECE", piece)
    monkeypatch.setattr(dump, "ALONE", alone)
    (tmp_path / "a.log").write_text(log)
    assert seen(tmp_path / "a.log") == WANTED


def test_a_packed_log_is_numbered_as_it_comes(log: str, tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(log.encode()))
    assert seen(tmp_path / "a.gz") == WANTED


def test_the_same_error_in_many_files_is_that_of_the_first(log: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("\n" + log)
    (tmp_path / "b.log").write_text(log)
    assert seen(tmp_path) == [(text, number + 1, 2) for text, number, _count in WANTED]


def test_more_processes_than_processors_are_of_no_use() -> None:
    assert 1 <= readers.processors() <= readers.MOST_PROCESSES
