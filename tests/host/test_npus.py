from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "parse" / "cases"
DEVICE = "c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:{}] (rev 20)\n"


def case(kind, name):
    return (CASES / kind / f"{name}.txt").read_text(encoding="utf-8")


def table(name):
    return {"npu-smi info": case("npu-smi-info", name)}


@pytest.mark.parametrize(
    ("name", "chip", "family", "npus", "dies"),
    [
        ("910b-with-processes", "910B3", "910B", 2, 2),
        ("310p-duo", "310P3", "310P", 1, 2),
        ("310b-without-bus", "310B4", "310B", 1, 1),
        ("310-without-hugepages", "310", "310", 1, 2),
        ("910-first-generation", "910A", "910", 1, 1),
        ("950-without-chip-column", "950PR", "950", 2, 2),
    ],
)
def test_the_table_names_chip_and_family_and_counts(host, name, chip, family, npus, dies):
    read = host(commands=table(name)).npus

    assert (read.chip.value, read.family.value) == (chip, family)
    assert (read.count.value, read.dies.value) == (npus, dies)


def test_910b_without_a_digit_is_the_first_generation(host):
    old = {"npu-smi info": case("npu-smi-info", "910-first-generation").replace("910A", "910B")}

    assert host(commands=old).npus.family.value == "910"


def test_the_variant_of_an_a3_comes_from_the_board_of_a_chip(host):
    board = {"npu-smi info -t board -i 0 -c 0": case("npu-smi-board", "a3-chip")}

    read = host(commands={**table("a3-two-dies"), **board}).npus

    assert read.chip.value == "Ascend910_9392"
    assert read.chip.evidence[0].source == "npu-smi info -t board -i 0 -c 0"
    assert read.family.value == "A3"


def test_an_a3_without_its_board_has_a_family_and_no_name(host):
    read = host(commands=table("a3-two-dies")).npus

    assert read.family.value == "A3"
    assert not read.chip.known
    assert "-t board -i 0 -c 0" in str(read.chip.content)


@pytest.mark.parametrize(
    ("device", "family"), [("d100", "310"), ("d107", "310B"), ("d803", "A3"), ("d806", "950")]
)
def test_pci_tells_the_family_where_the_driver_is_silent(host, device, family):
    read = host(commands={"lspci -nn": DEVICE.format(device)}).npus

    assert read.family.value == family
    assert read.present.value is True
    assert not read.count.known


def test_other_huawei_devices_are_no_npus(host):
    bridge = "00:00.0 PCI bridge [0604]: Huawei Technologies Co., Ltd. Root Port [19e5:a120] (rev 21)\n"

    assert host(commands={"lspci -nn": bridge}).npus.pci.value == ()


def test_the_evidence_of_the_chip_is_its_row_and_not_the_table(host):
    evidence = host(commands=table("910b-with-processes")).npus.chip.evidence[0]

    assert evidence.text.startswith("| 0     910B3 ")
    assert "\n" not in evidence.text


def test_a_machine_without_npus_counts_zero_and_says_where_it_looked(host):
    read = host(
        commands={"lspci -nn": "00:00.0 Host bridge [0600]: Intel [8086:09a2]\n", "ls -l /dev": "total 0\n"}
    ).npus

    assert read.count.value == 0
    assert [proof.source for proof in read.present.evidence] == ["lspci -nn", "ls -l /dev"]


def test_an_empty_bundle_counts_nothing(host):
    read = host().npus

    assert not read.count.known
    assert not read.present.known


def test_an_error_in_the_tables_place_is_the_reason_why_there_is_no_table(host):
    read = host(commands={"npu-smi info": "dcmi module initialize failed. ret is -8005\n"}).npus

    assert str(read.table.content) == "npu-smi info: dcmi module initialize failed. ret is -8005"
    assert [error.code for error in read.errors.value] == ["-8005"]


def test_answers_by_npu_are_found_under_their_ids(host):
    card = {"npu-smi info -t board -i 2944": case("npu-smi-board", "310p-duo-with-a-faulty-chip")}

    assert host(commands=card).npus.boards[2944].value.faulty_chips == 1


def test_a_listing_counts_where_there_is_no_table(host):
    assert host(commands={"npu-smi info -l": case("npu-smi-list", "910b")}).npus.count.value == 2
