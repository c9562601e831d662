"""Which drivers NPUs refuse, by the rules of the driver's own installer."""

from __future__ import annotations

import pytest

from npudoctor.fact import known, unavailable
from npudoctor.parse.npu_flash import BaseVersion
from npudoctor.provision.plan.flash import Flash, Memory
from npudoctor.provision.plan.rollback import refusals, unknown_because

NO_BASE = unavailable("not asked")
NO_CDR = unavailable("not asked")


def flash(base=NO_BASE, cdr=NO_CDR, memory=()):
    return Flash(base, {}, cdr, memory)


def least(driver, family, found):
    return [refusal.least for refusal in refusals(driver, family, found)]


@pytest.mark.parametrize(
    ("driver", "expected"),
    [
        ("23.0.6", ["23.0.7"]),
        ("23.0.7", []),
        ("24.1.rc2", ["24.1.rc2.2"]),
        ("24.1.rc2.2", []),
        ("24.1.rc1", ["24.1.rc2.2"]),
        ("25.5.0", []),
    ],
)
def test_a_new_clock_part_has_a_least_driver_in_each_line(driver, expected):
    found = flash(cdr=known(frozenset({"Huawei", "HUYANG024"}), "hccn_tool"))
    assert least(driver, "910B", found) == expected
    assert least(driver, "A3", found) == []


@pytest.mark.parametrize(
    ("memory", "driver", "expected"),
    [
        (Memory("0x31", "0x56", 1600), "23.0.2", ["23.0.3"]),
        (Memory("0x31", "0x56", 1600), "23.0.3", []),
        (Memory("0x31", "0x56", 1600), "23.0.rc3", ["24.0.rc1"]),
        (Memory("0x31", "0x56", 1200), "23.0.2", []),
        (Memory("0x33", "0x56", 1600), "23.0.2", []),
    ],
)
def test_one_kind_of_memory_on_one_board_has_a_least_driver(memory, driver, expected):
    assert least(driver, "910B", flash(memory=(memory,))) == expected


def test_only_newer_families_have_a_base_version_in_flash():
    found = flash(base=known(BaseVersion(236, 0, False), "upgrade-tool"))
    assert [least("24.1.rc2", family, found) for family in ("910B", "A3", "310P", "910")] == [
        ["24.1.rc3"],
        ["24.1.rc3"],
        [],
        [],
    ]


def test_what_is_not_known_is_said():
    assert unknown_because("A3", flash()) == "not asked"
    assert unknown_because("310P", flash()) == ""
    assert unknown_because("A3", flash(base=known(BaseVersion(236, 0, False), "x"))) == ""
    assert "999" in unknown_because("A3", flash(base=known(BaseVersion(999, 0, False), "x")))
