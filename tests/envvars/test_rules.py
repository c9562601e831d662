"""What may stand in a value."""

from __future__ import annotations

import pytest

from npudoctor.envvars.rules import port_ranges, switched_on, wrong, wrong_pair

PORTS = {"pattern": r"auto|\d+(-\d+)?(,\d+(-\d+)?)*", "port_min": 1, "port_max": 65535, "no_overlap": True}
PAIRS = {
    "keys": {"expandable_segments": {"set": ["True", "False"]}, "size": {"min": 21}, "parts": {"text": True}},
    "pair": ":",
    "sep": ",",
    "blanks": True,
}


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        ({"set": ["0", "1"]}, "1", None),
        ({"set": ["0", "1"]}, "2", "number"),
        ({"set": ["0", "1"]}, "true", "text"),
        ({"set": ["on", "off"]}, "ON", "value"),
        ({"set": ["on", "off"], "ignore_case": True}, "ON", None),
        ({"set": ["0"], "min": 20, "max": 7200}, "0", None),
        ({"set": ["0"], "min": 20, "max": 7200}, "30", None),
        ({"set": ["0"], "min": 20, "max": 7200}, "5", "number"),
        ({"min": 120, "max": 7200}, "120", None),
        ({"min": 120, "max": 7200}, "119", "number"),
        ({"min": 120, "max": 7200}, "7201", "number"),
        ({"min": 120, "max": 7200}, "200s", "text"),
        ({"min": 120, "max": 7200}, "200.5", "text"),
        ({"min": 0, "decimal": True}, "200.5", None),
        ({"min_exclusive": 0, "max": 1, "decimal": True}, "0", "number"),
        ({"min_exclusive": 0, "max_exclusive": 1, "decimal": True}, "1", "number"),
        ({"min": 0, "max": 255, "multiple_of": 4}, "132", None),
        ({"min": 0, "max": 255, "multiple_of": 4}, "133", "number"),
        ({"pattern": "a+"}, "aaa", None),
        ({"pattern": "a+"}, "aab", "value"),
        ({"true_only": "1"}, "1", None),
        ({"true_only": "1"}, "0", None),
        ({"true_only": "1"}, "true", "off"),
        ({"true_any": ["1", "true"]}, "True", "off"),
        ({"true_any": ["1", "true"], "ignore_case": True}, "True", None),
        ({"true_first_letter": "tTyY1"}, "yes", None),
        ({"true_first_letter": "tTyY1"}, "on", "off"),
        ({"false_only": "0"}, "0", None),
        ({"false_only": "0"}, "false", "on"),
        ({"false_only": "0"}, "1", None),
        ({"any_text_is_on": True}, "0", "on"),
        ({"any_text_is_on": True}, "1", None),
        (PORTS, "60000-60031,61000", None),
        (PORTS, "auto", None),
        (PORTS, "60000-60031,60010", "number"),
        (PORTS, "60000-70000", "number"),
        (PORTS, "60031-60000", "number"),
        (PAIRS, "expandable_segments:True, size : 50", None),
        (PAIRS, "expandable_segments:true", "value"),
        (PAIRS, "size:20", "value"),
        (PAIRS, "other:1", "value"),
        (PAIRS, "parts:[256:1,512:2,>:8],size:64", None),
    ],
)
def test_a_rule_tells_what_is_wrong_with_a_value(rule, value, expected):
    assert wrong(rule, value) == expected


def test_a_rule_of_the_chip_takes_the_place_of_the_general_one():
    rule = {"min": 0, "max": 31, "by_chip": {"A2": {"min": 5, "max": 20}}}

    assert wrong(rule, "3") is None
    assert wrong(rule, "3", "A2") == "number"
    assert wrong(rule, "25", "A3") is None


def test_the_first_wrong_pair_is_named():
    assert wrong_pair(PAIRS, "size:64,expandable_segments:true") == "expandable_segments:true"
    assert wrong_pair(PAIRS, "size:64,") == ""


def test_on_is_what_the_reader_sees():
    assert switched_on({"set": ["0", "1"]}, "1")
    assert not switched_on({"true_only": "1"}, "true")
    assert switched_on({"any_text_is_on": True}, "0")
    assert not switched_on({}, "off")


def test_port_ranges_leave_out_what_is_no_port():
    assert port_ranges("60000,60050-60100,x") == [(60000, 60000), (60050, 60100)]
