from __future__ import annotations

import re
from typing import Any

import pytest

from npudoctor.data import load
from npudoctor.triage.decode import FILE, decode

FORMS: list[dict[str, Any]] = load(FILE).content["forms"]
MATCHES = [(row["family"], text) for row in FORMS for text in row["matches"]]
MISSES = [(row["family"], text) for row in FORMS for text in row["misses"]]
FAMILIES = {
    "number": ("acl", "aclnn", "ge"),
    "name": ("name", "acl", "aclnn", "ge", "rt", "hccl", "drv", "dcmi"),
}


def of(family: str, line: str) -> list[str]:
    wanted = FAMILIES.get(family, (family,))
    return [token for code in decode(line) if code.family in wanted for token in (code.code, code.name)]


@pytest.mark.parametrize(("family", "sample"), MATCHES)
def test_a_line_gives_its_code(family: str, sample: str) -> None:
    line, token = sample.rsplit(" => ", 1)
    assert token in of(family, line)


@pytest.mark.parametrize(("family", "line"), MISSES)
def test_a_number_out_of_context_is_no_code(family: str, line: str) -> None:
    assert of(family, line) == []


@pytest.mark.parametrize("row", FORMS, ids=lambda row: row["pattern"][:40])
def test_a_pattern_stays_in_the_subset_that_is_linear(row: dict[str, Any]) -> None:
    patterns = row["pattern"] + row.get("near", "")
    assert not re.search(r"\(\?[=!<]|\\[1-9]", patterns)


def test_a_symbol_gives_the_number_too() -> None:
    found = [(code.family, code.code) for code in decode("aclrtSetDevice: ACL_ERROR_RT_FAILED")]
    assert found == [("name", "ACL_ERROR_RT_FAILED"), ("acl", "500003")]


def test_an_error_word_of_several_bits_says_what_each_means() -> None:
    (code,) = decode("errcode:(0x800000, 0x4000, 0) errorStr: x")
    assert "external memory" in code.meaning
    assert "CCU" in code.meaning
