"""Lists of visible devices."""

from __future__ import annotations

import pytest

from npudoctor.envvars import Judgement
from npudoctor.envvars.devices import read_list
from tests.envvars import judged


def _found(text: str, **versions: str) -> list[Judgement]:
    return [one for one in judged(text, **versions) if one.topic == "visible-devices"]


@pytest.mark.parametrize(
    ("value", "numbers", "stop"),
    [
        ("0,1,2", [0, 1, 2], None),
        ("0, 1", [0], " 1"),
        ("0-3", [], "0-3"),
        ("0,x,2", [0], "x"),
        ("0,,2", [0], ""),
        ("", [], ""),
    ],
)
def test_the_runtime_stops_at_the_first_item_that_it_does_not_understand(value, numbers, stop):
    assert read_list(value) == (numbers, stop)


@pytest.mark.parametrize(
    ("value", "severity", "fix"),
    [
        ("4,0,1,2", "fail", "0,1,2,4"),
        ("1,2,2", "fail", "1,2"),
        ("0, 1", "fail", "0,1"),
        ("0-3", "fail", "0,1,2,3"),
        ("0,1,", "warn", "0,1"),
    ],
)
def test_a_list_that_is_not_read_as_meant(value, severity, fix):
    found = _found(f"ASCEND_RT_VISIBLE_DEVICES={value}")

    assert [one.severity for one in found] == [severity]
    assert found[0].fix == (f"export ASCEND_RT_VISIBLE_DEVICES={fix}",)


@pytest.mark.parametrize("value", ["0", "0,1,2,3", "4,5,6,7", "1,3,8"])
def test_rising_numbers_are_fine_with_gaps_too(value):
    assert _found(f"ASCEND_RT_VISIBLE_DEVICES={value}") == []


def test_an_empty_list_hides_all_devices():
    assert [one.severity for one in _found("ASCEND_RT_VISIBLE_DEVICES=")] == ["warn"]


def test_before_8_0_rc3_any_order_was_allowed():
    assert _found("ASCEND_RT_VISIBLE_DEVICES=3,2,1", cann="6.3.RC2") == []
    assert [one.severity for one in _found("ASCEND_RT_VISIBLE_DEVICES=3,2,1", cann="8.1.RC1")] == ["fail"]


def test_the_numbers_of_the_host_inside_a_container_are_a_warning():
    found = _found("ASCEND_VISIBLE_DEVICES=4,5\nASCEND_RT_VISIBLE_DEVICES=4,5")

    assert [one.fix for one in found] == [("export ASCEND_RT_VISIBLE_DEVICES=0,1",)]
    assert _found("ASCEND_VISIBLE_DEVICES=4,5\nASCEND_RT_VISIBLE_DEVICES=0,1") == []


def test_ray_with_physical_numbers_and_a_list_that_does_not_start_at_0_is_a_warning():
    ray = "RAY_EXPERIMENTAL_NOSET_ASCEND_RT_VISIBLE_DEVICES=1"

    assert [one.severity for one in _found(f"{ray}\nASCEND_RT_VISIBLE_DEVICES=2,3")] == ["warn"]
    assert _found(f"{ray}\nASCEND_RT_VISIBLE_DEVICES=0,1") == []


def test_a_device_id_is_an_index_into_the_list():
    found = _found("ASCEND_RT_VISIBLE_DEVICES=4,5\nASCEND_DEVICE_ID=4")

    assert [one.severity for one in found] == ["fail"]
    assert _found("ASCEND_RT_VISIBLE_DEVICES=4,5\nASCEND_DEVICE_ID=1") == []
