"""Misspelt and unknown names."""

from __future__ import annotations

import pytest

from npudoctor.envvars import Kind
from npudoctor.envvars.names import distance, nearest
from npudoctor.envvars.table import misspellings, table
from tests.envvars import judged, worst


@pytest.mark.parametrize("row", misspellings()["seen"], ids=lambda row: row["wrong"])
def test_a_name_that_was_seen_misspelt_is_a_warning_with_the_right_name(row):
    found = judged(f"{row['wrong']}=1", Kind.MISSPELT)

    assert [one.severity for one in found] == ["warn"]
    assert f"unset {row['wrong']}" in found[0].fix
    if "right" in row:
        assert f"export {row['right']}=1" in found[0].fix


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("HCCL_CONECT_TIMEOUT", "HCCL_CONNECT_TIMEOUT"),
        ("HCCL_BUFSIZE", "HCCL_BUFFSIZE"),
        ("HCLL_CONNECT_TIMEOUT", "HCCL_CONNECT_TIMEOUT"),
        ("ACSEND_RT_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"),
        ("ASCEND_LAUNCH_BLOKING", "ASCEND_LAUNCH_BLOCKING"),
        ("PYTORCH_NPU_ALOC_CONF", "PYTORCH_NPU_ALLOC_CONF"),
        ("TASK_QUEUE_ENABEL", "TASK_QUEUE_ENABLE"),
        ("VLLM_ASCEND_ENABLE_MLAP0", "VLLM_ASCEND_ENABLE_MLAPO"),
        ("MINDIE_LOG_LEVLE", "MINDIE_LOG_LEVEL"),
    ],
)
def test_one_or_two_wrong_letters_are_recognised(wrong, right):
    assert nearest(wrong) == right


@pytest.mark.parametrize(
    "name",
    [
        "NCCL_BUFFSIZE",
        "NCCL_SOCKET_FAMILY",
        "UCCL_DEBUG_CONFIG",
        "VLLM_USE_V2",
        "TORCH_NCCL_BLOCKING_WAIT",
        "VLLM_ASCEND_ENABLE_FLASHCOMM3",
        "HCCL_RDMA_XX",
        "ASCEND_DEVICE_NAME",
        "ASCEND_DRIVER_PATH",
        "HOSTNAME",
        "LS_COLORS",
        "NPU_NUM",
        "MASTER_PORTS",
    ],
)
def test_a_name_of_somebody_else_or_in_doubt_is_left_alone(name):
    assert worst(f"{name}=1", Kind.MISSPELT) == "none"


def test_real_names_are_never_corrected_to_each_other():
    names = [
        *table().rows,
        *misspellings()["real"],
        *(n for pair in misspellings()["near_pairs"] for n in pair),
    ]
    seen = {row["wrong"] for row in misspellings()["seen"]}

    assert [name for name in names if name not in seen and judged(f"{name}=1", Kind.MISSPELT)] == []


def test_an_unknown_name_is_mentioned_where_nobody_else_owns_the_names_and_is_no_finding():
    found = judged("VLLM_ASCEND_NEW_THING=1\nHCCL_SOMETHING=1\nASCEND_SITE_SETTING=1")

    assert [(one.name, one.severity) for one in found] == [
        ("VLLM_ASCEND_NEW_THING", "info"),
        ("HCCL_SOMETHING", "info"),
    ]


def test_the_distance_counts_changed_missing_additional_and_swapped_letters():
    assert distance("HCCL", "HCCL", 2) == 0
    assert distance("HCCL", "HCLL", 2) == 1
    assert distance("ASCEND", "ACSEND", 2) == 1
    assert distance("ABCD", "ABCDE", 2) == 1
    assert distance("ABCD", "WXYZ", 2) == 3


def test_the_fix_quotes_a_value_for_the_shell():
    found = judged("HCCL_SOCKET_IFNAM=eth0 eth1")

    assert "export HCCL_SOCKET_IFNAME='eth0 eth1'" in found[0].fix
