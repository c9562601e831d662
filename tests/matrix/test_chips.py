"""What a chip is called where."""

import pytest

from npudoctor.matrix.chips import (
    FAMILIES,
    chip_of_name,
    chips,
    family_of_name,
    family_of_package,
    family_of_pci,
)
from npudoctor.matrix.source import matrix_data


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("910B3", "910B"), ("910B2C", "910B"), ("910B4-1", "910B"), ("Ascend910B3", "910B"),
        ("ascend910b1", "910B"),
        ("A2G3", "910B"), ("910B", "910"), ("Ascend910B", "910"), ("910A", "910"), ("910ProB", "910"),
        ("910PremiumA", "910"), ("910", "910"), ("Ascend910_9392", "A3"), ("910_9391", "A3"), ("A3", "A3"),
        ("310P3", "310P"), ("Ascend310P", "310P"), ("310B4", "310B"), ("310", "310"), ("Ascend310", "310"),
        ("950DT", "950"), ("950PR", "950"), ("Ascend950DT_9582", "950"), ("Snt9B", "910B"), ("Snt9B23", "A3"),
    ],
)  # fmt: skip
def test_a_name_tells_the_family(name, family):
    assert family_of_name(name) == family


@pytest.mark.parametrize("name", ["Ascend910", "ascend910", "mcu", "", "H100", "910X", "91"])
def test_a_name_that_two_families_share_or_that_nobody_knows_tells_nothing(name):
    assert family_of_name(name) is None


@pytest.mark.parametrize(
    ("device", "family"),
    [("d802", "910B"), ("0xd803", "A3"), ("19e5:D500", "310P"), ("d107", "310B"), ("a222", None)],
)
def test_a_pci_id_tells_the_family(device, family):
    assert family_of_pci(device) == family


def test_a_package_name_is_read_as_packages_are_named():
    assert family_of_package("910b") == "910B"
    assert family_of_package("910") == "910"
    assert family_of_package("310p") == "310P"
    assert family_of_package("a3") == "A3"


def test_every_chip_of_the_matrix_agrees_with_the_rules():
    assert len(chips()) > 25
    for chip in chips():
        assert chip.family in FAMILIES
        assert family_of_name(chip.name.rstrip("*")) == chip.family, chip
        assert family_of_name(chip.soc_version.rstrip("*")) == chip.family, chip
        assert family_of_package(chip.package) == chip.family, chip
        if chip.pci:
            assert family_of_pci(chip.pci) == chip.family, chip


def test_every_pci_row_agrees_with_the_rules():
    for row in matrix_data().content["pci_ids"]:
        assert family_of_pci(row["device"]) == row["family"]


def test_a_chip_knows_its_memory_and_its_package():
    chip = chip_of_name("Ascend910B3")

    assert chip is not None
    assert chip.hbm_mb == (65536,)
    assert chip.package == "910b"
    assert chip_of_name("H100") is None
