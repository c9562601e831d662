from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from npudoctor.data import load
from npudoctor.triage.by_code import FILE, category
from npudoctor.triage.codes import codes
from npudoctor.triage.diagnose import diagnose
from npudoctor.triage.signatures import signatures


def test_every_pattern_of_the_table_is_of_a_code_that_there_is() -> None:
    written = [f"{code.family} {code.code}" for code in codes()]
    patterns = [pattern for row in load(FILE).content["categories"] for pattern in row["codes"]]
    unused = [one for one in patterns if not any(fnmatchcase(text, one) for text in written)]
    assert unused == []


def test_a_code_that_no_signature_knows_is_a_candidate_of_the_kind_that_its_table_says(sights: Any) -> None:
    (cause,) = diagnose(sights("EN0002: [PID: 1] 2026-01-02-03:04:05.000.001 text"), signatures(), {})
    assert (cause.signature.category, cause.signature.grade) == ("parameter", "code")
    assert cause.confidence < 0.5


def test_a_code_that_no_table_places_is_of_the_kind_that_other_layers_call_it() -> None:
    found = codes().get("ts", "0x28")
    assert found
    assert ("acl", "507017") in found.others
    assert category(found) == "aicore-exception"


def test_a_catch_all_is_no_candidate(sights: Any) -> None:
    assert diagnose(sights("EE9999: Inner Error!"), signatures(), {}) == []


def test_most_codes_of_cann_speak_of_some_kind_of_cause() -> None:
    silent = [
        code.code for code in codes() if code.family == "cann" and code.code[0] == "E" and not category(code)
    ]
    assert silent == []
