from npudoctor.parse.npu_smi_lists import parse_npu_smi_list, parse_npu_smi_mapping


def test_an_npu_whose_id_is_no_number_is_left_out_and_the_list_incomplete():
    listing = parse_npu_smi_list("Total Count : 2\nNPU ID : 0\nChip Count : 1\nNPU ID : K\nChip Count : 2\n")

    assert [(npu.npu_id, npu.chip_count) for npu in listing.npus] == [(0, 1)]
    assert not listing.complete


def test_a_mapping_whose_columns_changed_places_is_read_by_its_labels():
    mapping = parse_npu_smi_mapping(
        "Chip ID   NPU ID   Chip Logic ID   Chip Name\n0   4   1   Ascend 910B4\n1   x   -   Mcu\n"
    )

    assert [(chip.npu_id, chip.chip_id, chip.logic_id) for chip in mapping.chips] == [(4, 0, 1)]
    assert not mapping.complete
