"""What triage tells: to programs by its schema, to a person on a screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import fastjsonschema
import pytest

from npudoctor.report.style import Style
from npudoctor.report.triage_json import to_json
from npudoctor.report.triage_text import to_text
from npudoctor.triage.gather import Gathered
from npudoctor.triage.verdict import Verdict, judge_dump

SCHEMA = json.loads(Path(__file__, "../../../docs/triage.schema.json").resolve().read_text())
HEAD = "({pid},python3):2026-01-02-03:0{n}:01.000.001 [a.cc:5]{pid} "
FAULT = "[ERROR] RUNTIME" + HEAD + "halMemAlloc failed, drvRetCode=6"
LATE = "[ERROR] HCCL" + HEAD + "wait socket establish timeout, role[0]"
ODD = "[ERROR] GE" + HEAD + "nobody knows {word}"


@pytest.fixture
def judged() -> Callable[..., Verdict]:
    """The verdict on some lines of `a.log`, with what else was told while it was read."""

    def of(*lines: str, problems: tuple[str, ...] = (), passed: tuple[str, ...] = ()) -> Verdict:
        gathered = Gathered()
        gathered.take(((number, line.encode()) for number, line in enumerate(lines, 1)), "a.log")
        return judge_dump(gathered.first_to_last(), {}, problems, passed)

    return of


@pytest.fixture
def ranks(judged: Callable[..., Verdict]) -> Verdict:
    return judged(FAULT.format(pid=1, n=1), *(LATE.format(pid=pid, n=6) for pid in range(2, 65)))


def test_the_json_holds_what_its_schema_says(ranks: Verdict, judged: Callable[..., Verdict]) -> None:
    check = fastjsonschema.compile(SCHEMA)
    for verdict in (
        ranks,
        judged(),
        judged("EE9999: Inner Error!", ODD.format(pid=1, n=6, word="x"), problems=("a",)),
    ):
        check(json.loads(to_json(verdict)))


def test_64_ranks_are_one_screen_and_all_of_them_with_v(ranks: Verdict) -> None:
    told = to_text(ranks, Style())
    assert told.count("\n") < 45
    assert "pid 2, pid 3, pid 4 and 60 more" in told
    assert to_text(ranks, Style(verbose=True)).count("wait socket establish timeout") > 60


def test_the_proof_is_the_message_with_its_place(ranks: Verdict) -> None:
    assert "| a.log:1: [ERROR] RUNTIME halMemAlloc failed, drvRetCode=6" in to_text(ranks, Style())
    assert "2026-01-02-03:01:01.000.001" in to_text(ranks, Style(verbose=True))


def test_errors_that_read_alike_are_shown_once(judged: Callable[..., Verdict]) -> None:
    lines = [ODD.format(pid=pid, n=6, word="why") for pid in range(9)]
    lines += [ODD.format(pid=1, n=6, word=chr(97 + n) * 3) for n in range(9)]
    told = to_text(judged(*lines), Style())
    assert told.startswith("No known cause")
    assert told.count("nobody knows why") == 2  # among the errors, and as what came first
    assert "and 5 more (-v shows them)" in told


def test_what_was_not_read_is_told(judged: Callable[..., Verdict]) -> None:
    told = to_text(
        judged(problems=("x.gz: cut off",), passed=("a.png: not text", "b.png: not text")), Style()
    )
    assert told.startswith("No error was found.")
    assert "x.gz: cut off" in told
    assert "2 files that are no logs, such as a.png: not text" in told


@pytest.mark.parametrize("width", [40, 72, 200])
def test_nothing_but_commands_is_wider_than_the_screen(ranks: Verdict, width: int) -> None:
    lines = to_text(ranks, Style(width=width)).splitlines()
    assert [line for line in lines if len(line) > width and "$ " not in line] == []


def test_processes_whose_times_lack_the_year_stand_where_they_began(judged: Callable[..., Verdict]) -> None:
    verdict = judged(
        "(Worker_TP1 pid=7) ERROR 01-02 03:07:00 [core.py:1] RuntimeError: worker failed",
        FAULT.format(pid=1, n=1),
    )
    assert [time[11:16] for _owner, time, _sight in verdict.timeline] == ["03:01", "03:07"]
    assert "0000-" not in to_text(verdict, Style())
