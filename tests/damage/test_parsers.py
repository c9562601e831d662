"""Damaged texts of every kind against every parser: it reads them or refuses them, and never hangs.

Each recorded case is damaged in every way of `mutations`, many times over, decoded like any output, and given
to its parser and to the writer of JSON behind `npudoctor parse`. `ParseError` is the one exception allowed.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random
from time import process_time

import pytest

from npudoctor.fact import ParseError
from npudoctor.parse import all_parsers
from npudoctor.parse.as_json import as_json
from npudoctor.text import decode

from .mutations import DAMAGES, in_turn

CASES = Path(__file__).parent.parent / "parse" / "cases"
TEXTS = sorted(CASES.glob("*/*.txt"))
KINDS = (*DAMAGES, in_turn)
ROUNDS = 13
"""How often each kind of damage is done to each case, each time another."""
SLOWEST = 0.5
"""Seconds of processor time that one input may take."""


def inputs_of(file: Path, rounds: int) -> list[tuple[str, bytes]]:
    """The damaged texts of a case, each with the seed that makes it again."""
    data = file.read_bytes()
    name = f"{file.parent.name}/{file.stem}"
    seeds = [(damage, f"{name} {damage.__name__} {turn}") for damage in KINDS for turn in range(rounds)]
    return [(seed, damage(Random(seed), data)) for damage, seed in seeds]


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_damaged_texts_are_read_or_refused_in_no_time(file: Path):
    parse = all_parsers()[file.parent.name].function
    inputs = inputs_of(file, ROUNDS)
    slow = []

    for seed, data in inputs:
        start = process_time()
        with suppress(ParseError):
            as_json(parse(decode(data)))
        if process_time() - start > SLOWEST:
            slow.append(seed)

    assert not slow
    assert len(inputs) == len(KINDS) * ROUNDS


def test_there_are_at_least_a_hundred_thousand_damaged_texts():
    total = len(TEXTS) * len(KINDS) * ROUNDS
    print(f"{total} damaged texts: {len(TEXTS)} cases, {len(KINDS)} kinds of damage, {ROUNDS} times each")

    assert total >= 100_000
