"""What is kept of many lines: one sight for those that say the same, with whose they are."""

from __future__ import annotations

import time
from typing import Any

import pytest

from npudoctor.triage.diagnose import diagnose
from npudoctor.triage.gather import MOST_SIGHTS, Gathered
from npudoctor.triage.signatures import signatures

LETTERS = str.maketrans("0123456789", "ghijklmnop")
ERROR = "[ERROR] RUNTIME({pid},python3):2026-01-02-03:04:{second:02}.000.001 [a.cc:5]7 drvRetCode={code}"


def test_the_same_of_many_processes_is_one_sight_with_all_of_them(sights: Any) -> None:
    (sight,) = sights("\n".join(ERROR.format(pid=n, second=n % 60, code=6) for n in range(40)))
    assert (sight.count, len(sight.owners), sight.line.number) == (40, 40, 1)


def test_another_code_is_another_sight(sights: Any) -> None:
    found = sights("\n".join(ERROR.format(pid=7, second=n, code=6 + n % 2) for n in range(40)))
    assert [(sight.count, sight.codes[0].code) for sight in found] == [(20, "6"), (20, "7")]


def test_a_dump_of_endless_kinds_of_errors_is_kept_within_bounds() -> None:
    gathered = Gathered()
    kinds = (f"[ERROR] {n:x}".translate(LETTERS).encode() for n in range(MOST_SIGHTS + 9000))
    gathered.take(enumerate(kinds, 1), "a.log")
    assert len(gathered.sights) == MOST_SIGHTS
    assert gathered.left_out > 0


def test_twenty_thousand_kinds_of_lines_are_judged_in_a_moment(sights: Any) -> None:
    words = ("memory", "hccl socket timeout", "undefined symbol", "device")
    kinds = [f"{n:x}".translate(LETTERS) for n in range(MOST_SIGHTS)]
    found = sights("\n".join(f"[ERROR] {kind} {words[len(kind) % 4]} failed: ret" for kind in kinds))
    begun = time.process_time()
    diagnose(found, signatures(), {})
    assert len(found) == MOST_SIGHTS
    assert time.process_time() - begun < 2


def test_a_container_s_time_does_not_tear_apart_what_a_program_dated_itself(sights: Any) -> None:
    lines = ["[ERROR] GE(7,python):2026-01-02-11:00:00.000.001 first error", "ValueError: second error",
             "[ERROR] GE(7,python):2026-01-02-11:00:01.000.001 third error"]  # fmt: skip
    text = "\n".join(f"2026-01-02T03:00:0{second}.5Z stderr F {line}" for second, line in enumerate(lines))
    assert [sight.line.text.split()[-2] for sight in sights(text)] == ["first", "second", "third"]


@pytest.mark.parametrize(
    ("line", "is_error"),
    [
        ("No module named 'abc'", True),
        ("libabc.so: undefined symbol: _ZN3abcEv", True),
        ("bash: line 3: ./run.sh: Permission denied", True),
        ("E19999 User specified tensor[abc] is not output of graph.", True),
        ("E20260102 03:04:05.678901 7 demo_transport.cpp:9] Unsupported opcode: 3", True),
        ("I20260102 03:04:05.678901 7 demo_transport.cpp:9] Unsupported opcode: 3", False),
        ("E0102 03:04:05.678901 7 reflector.go:9] Failed to watch demo", False),
        ("find: '/proc/1/fd': Permission denied", False),
        ("WARNING abc was left out: No module named 'abc'", False),
        ("set Permission denied as the text of the page", False),
        ("\tError Code                     : NA", False),  # npu-smi of an NPU that is well
        ("\tError Code                     : A4025021 8C03A000", True),
    ],
)
def test_what_shells_and_loaders_say_is_an_error_without_a_word_for_it(
    line: str, is_error: bool, sights: Any
) -> None:
    assert any(sight.error for sight in sights(line)) is is_error
