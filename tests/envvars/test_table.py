"""The data of the engine."""

from __future__ import annotations

import re

import pytest

from npudoctor.data import parse
from npudoctor.envvars.table import FOLDER, misspellings, table
from npudoctor.errors import UsageError


def _patterns(rule):
    yield from (value for key, value in rule.items() if key == "pattern")
    for part in (*rule.get("keys", {}).values(), *rule.get("by_chip", {}).values()):
        yield from _patterns(part)


def test_the_table_holds_the_variables_of_the_stack():
    rows = table().rows

    assert len(rows) > 880
    assert {"ASCEND_RT_VISIBLE_DEVICES", "HCCL_BUFFSIZE", "PYTORCH_NPU_ALLOC_CONF", "MSPROF_ENABLE"} <= set(
        rows
    )


def test_every_row_has_a_source():
    assert [name for name, row in table().rows.items() if not all(row["source"])] == []


def test_a_name_has_one_row():
    text = (FOLDER / "variables.yaml").read_text(encoding="utf-8")

    assert len(re.findall(r"(?m)^  - name: ", text)) == len(table().rows)


def test_every_pattern_compiles():
    for row in table().rows.values():
        patterns = [*_patterns(row.get("rule", {})), *row.get("debug", {}).get("when", ())]
        patterns += [entry["value"] for entry in row.get("since", ()) if "value" in entry]
        assert all(re.compile(pattern) for pattern in patterns)


def test_the_right_names_of_misspellings_are_in_the_table_but_for_one_of_ray():
    right = {row["right"] for row in misspellings()["seen"] if "right" in row}

    assert right - set(table().rows) == {"RAY_DEDUP_LOGS"}


@pytest.mark.parametrize("name", ["variables", "misspellings", "combinations"])
def test_an_unknown_key_is_an_error_with_its_place(name):
    text = (FOLDER / f"{name}.yaml").read_bytes() + b"\nsomething: 1\n"

    with pytest.raises(UsageError, match=rf"{name}.yaml:\d+:\d+"):
        parse(text, f"{name}.yaml", FOLDER / f"{name}.schema.json")
