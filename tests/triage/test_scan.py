"""Every line that may matter comes out of a log, whatever its length and wherever it was cut."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from npudoctor.triage import scan
from npudoctor.triage.scan import Scan, finder, literals

LINES = [
    "nothing",
    "Call drvGetDevNum, drvRetCode=87.",
    "",
    "x" * 300,
    "EI0006: [PID: 1] Getting socket times out",
    "E0102 03:04:05.678901 7 demo.cpp:9] said so",
    "[ERROR] last",
]
DATA = "\n".join(LINES).encode()
WANTED = [(number, line.encode()) for number, line in enumerate(LINES, 1) if number in (2, 5, 6, 7)]


@pytest.fixture(scope="module", params=["hyperscan", "ahocorasick_rs"])
def find(request: Any) -> Callable[[bytes], Any]:
    """Each engine, for all that is looked for."""
    pytest.importorskip(request.param)
    engine = scan._hyperscan if request.param == "hyperscan" else scan._aho_corasick
    return engine(literals())


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_lines_are_numbered_the_same_in_chunks_of_any_size(find: Any, size: int) -> None:
    chunks = [DATA[at : at + size] for at in range(0, len(DATA), size)]
    assert list(Scan(find).hits(chunks)) == WANTED


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_without_counting_they_come_with_the_place_of_their_first_byte(find: Any, size: int) -> None:
    chunks = [DATA[at : at + size] for at in range(0, len(DATA), size)]
    for place, raw in Scan(find, counting=False).hits(chunks):
        assert DATA[place:].startswith(raw)
        assert place == 0 or DATA[place - 1 : place] == b"\n"


def test_of_a_long_line_comes_what_is_around_each_literal(find: Any) -> None:
    filler = "no word of it " * 2000
    line = f"2026-01-02 03:04:05 {filler} error code is 507033 {filler} drvRetCode=87 {filler}"
    hits = list(Scan(find).hits([f"first\n{line}\nEI0006: x\n".encode()]))
    assert [number for number, _raw in hits] == [2, 2, 3]
    assert all(raw.startswith(b"2026-01-02 03:04:05") for _number, raw in hits[:2])
    assert b"507033" in hits[0][1]
    assert b"drvRetCode=87" in hits[1][1]
    assert max(len(raw) for _number, raw in hits) <= scan.LONG


def test_a_line_without_end_that_is_full_of_literals_takes_no_time(find: Any) -> None:
    data = b"drvRetCode=87 and then " * 400_000
    begun = time.process_time()
    assert len(list(Scan(find).hits(data[at : at + 262_144] for at in range(0, len(data), 262_144)))) > 100
    assert time.process_time() - begun < 5


def test_both_engines_find_the_same_lines(find: Any) -> None:
    chance = random.Random(4)
    words = [*literals(), *("plain" for _word in range(3000))]
    text = "\n".join(" ".join(chance.choices(words, k=6)) for _line in range(300)).encode()
    wanted = [
        number
        for number, line in enumerate(text.decode().split("\n"), 1)
        if any(literal in f"\n{line}" for literal in literals())
    ]
    assert [number for number, _raw in Scan(find).hits([text])] == wanted


def test_no_literal_stands_in_another() -> None:
    texts = sorted(literals(), key=len)
    assert [(one, two) for place, one in enumerate(texts) for two in texts[place + 1 :] if one in two] == []
    assert len(finder(texts)(b"nothing here")) == 0  # type: ignore[arg-type]
