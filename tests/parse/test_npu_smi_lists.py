from npudoctor.parse.npu_smi_lists import parse_npu_smi_list


def test_an_npu_whose_id_is_no_number_is_left_out_and_the_list_incomplete():
    listing = parse_npu_smi_list("Total Count : 2\nNPU ID : 0\nChip Count : 1\nNPU ID : K\nChip Count : 2\n")

    assert [(npu.npu_id, npu.chip_count) for npu in listing.npus] == [(0, 1)]
    assert not listing.complete
