"""Every parser against its cases: `cases/<kind>/<case>.txt` must parse to `<case>.json` beside it.

A new case is two files and no code. The JSON is what `npudoctor parse <kind> <case>.txt` prints, read and
corrected by a person. Where the text must be refused it is `{"ParseError": "the message"}`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npudoctor.fact import ParseError
from npudoctor.parse import all_parsers
from npudoctor.parse.as_json import as_json
from npudoctor.text import decode

CASES = Path(__file__).parent / "cases"
TEXTS = sorted(CASES.glob("*/*.txt"))


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_case_parses_to_the_json_beside_it(file: Path):
    function = all_parsers()[file.parent.name].function
    expected = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))

    try:
        parsed = json.loads(as_json(function(decode(file.read_bytes()))))
    except ParseError as error:
        parsed = {"ParseError": str(error)}

    assert parsed == expected


def test_every_parser_has_a_case():
    without = set(all_parsers()) - {file.parent.name for file in TEXTS}

    assert not without, f"add tests/parse/cases/<kind>/<case>.txt and .json for {sorted(without)}"


def test_every_case_belongs_to_a_parser_and_has_its_answer():
    folders = {file.parent.name for file in CASES.glob("*/*")}
    texts = {file.with_suffix("") for file in TEXTS}
    answers = {file.with_suffix("") for file in CASES.glob("*/*.json")}

    assert folders <= set(all_parsers())
    assert texts == answers
