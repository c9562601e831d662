from __future__ import annotations

from collections import Counter

import yaml

from npudoctor.triage.codes import FILE, codes


def test_a_code_has_one_row() -> None:
    rows = [
        (group["family"], row["code"])
        for group in yaml.safe_load(FILE.read_text())["groups"]
        for row in group["codes"]
    ]
    assert [key for key, number in Counter(rows).items() if number > 1] == []


def test_what_other_layers_call_it_is_in_their_tables() -> None:
    table = codes()
    unknown = [
        (code.code, number)
        for code in table
        for family, number in code.others
        if not (table.number(number) if family == "acl" else table.get(family, number))
    ]
    assert unknown == []


def test_a_word_is_found_in_any_spelling() -> None:
    table = codes()
    assert [code.code for code in table.anywhere("0x07020010")] == ["0x7020010"]
    assert [code.code for code in table.anywhere("80e01809")] == ["0x80E01809"]
    assert [code.code for code in table.anywhere("ei0006")] == ["EI0006"]
    assert [code.code for code in table.anywhere("acl_error_invalid_param")] == ["100000"]
    assert {code.family for code in table.anywhere("28")} >= {"drv", "errno"}


def test_catch_alls_are_marked_as_naming_no_cause() -> None:
    table = codes()
    marked = {code.code for code in table if code.catch_all}
    assert {"500000", "507899", "EZ9999", "EE9999", "EH9999", "ERR99999"} <= marked
    assert not [code.code for code in table if code.code.endswith("9999") and not code.catch_all]
