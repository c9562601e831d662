"""Variables that this stack does not read."""

from __future__ import annotations

import pytest

from npudoctor.envvars import Kind, Versions
from npudoctor.envvars.reading import at_least
from tests.envvars import judged, worst


@pytest.mark.parametrize(
    ("line", "versions", "severity"),
    [
        ("VLLM_ASCEND_ENABLE_DBO=1", {"vllm_ascend": "0.12.0rc1"}, "warn"),
        ("VLLM_ASCEND_ENABLE_DBO=1", {"vllm_ascend": "0.11.0rc1"}, "none"),
        ("VLLM_ASCEND_ENABLE_DBO=1", {}, "none"),
        ("VLLM_ASCEND_ENABLE_NZ=1", {"vllm_ascend": "0.27.1rc1"}, "none"),
        ("VLLM_ASCEND_ENABLE_NZ=1", {"vllm_ascend": "0.28.0"}, "warn"),
        ("VLLM_USE_V1=1", {"vllm_ascend": "0.14.0rc1"}, "warn"),
        ("VLLM_USE_V1=1", {"vllm_ascend": "0.9.1"}, "none"),
        ("DYNAMIC_OP=ADD#MUL", {"torch_npu": "2.1.0"}, "warn"),
        ("NPU_ASD_ENABLE=1", {"torch_npu": "2.5.1.post1"}, "warn"),
        ("NPU_ASD_ENABLE=1", {"torch_npu": "2.5.1"}, "none"),
        ("ASDOPS_LOG_LEVEL=INFO", {"cann": "8.3.RC1"}, "warn"),
        ("ASDOPS_LOG_LEVEL=INFO", {"cann": "8.2.RC1"}, "none"),
        ("HCCL_CONCURRENT_ENABLE=1", {"cann": "8.5.0"}, "none"),
        ("MINDIE_LLM_LOG_LEVEL=INFO", {"mindie": "2.1.RC1"}, "none"),
    ],
)
def test_a_variable_that_was_removed(line, versions, severity):
    assert worst(line, Kind.REMOVED, **versions) == severity


@pytest.mark.parametrize(
    ("line", "versions", "severity"),
    [
        ("PER_STREAM_QUEUE=1", {"torch_npu": "2.7.1"}, "warn"),
        ("PER_STREAM_QUEUE=1", {"torch_npu": "2.9.0"}, "none"),
        ("PER_STREAM_QUEUE=1", {"torch_npu": "2.7.1.dev20250724"}, "none"),
        ("VLLM_ASCEND_ENABLE_NZ=1", {"vllm_ascend": "0.9.1"}, "warn"),
        ("HCCL_OP_RETRY_ENABLE=L1:1", {"cann": "8.0.0"}, "warn"),
        ("HCCL_OP_RETRY_ENABLE=L1:1", {"cann": "8.1.RC1"}, "none"),
        ("HCCL_DFS_CONFIG=cluster_heartbeat:on", {"cann": "8.0.0"}, "none"),
        ("PYTORCH_NPU_ALLOC_CONF=page_size:1g", {"driver": "24.1.0"}, "warn"),
        ("PYTORCH_NPU_ALLOC_CONF=expandable_segments:True", {"driver": "24.1.0"}, "none"),
        ("ASCEND_LOG_PRINT_TO_STDOUT=0", {"cann": "9.1.0"}, "warn"),
        ("ASCEND_LOG_PRINT_TO_STDOUT=0", {"cann": "9.2.0-beta.1"}, "none"),
    ],
)
def test_a_variable_that_is_not_read_yet(line, versions, severity):
    assert worst(line, Kind.NOT_YET, **versions) == severity


@pytest.mark.parametrize(
    ("line", "chip", "severity"),
    [
        ("HCCL_OP_RETRY_ENABLE=L1:1", "910B", "warn"),
        ("HCCL_OP_RETRY_ENABLE=L1:1", "A3", "none"),
        ("HCCL_DETERMINISTIC=true", "310P", "none"),
        ("HCCL_OP_RETRY_ENABLE=L1:1", "310B", "none"),
    ],
)
def test_a_variable_of_another_chip(line, chip, severity):
    assert worst(line, Kind.CHIP, chip=chip) == severity


def test_what_is_only_on_its_way_out_is_mentioned_with_what_to_use():
    found = judged("VLLM_ASCEND_ENABLE_NZ=1", Kind.DEPRECATED, vllm_ascend="0.25.1rc1")

    assert [one.severity for one in found] == ["info"]
    assert "additional_config" in found[0].message


def test_a_value_that_this_stack_is_too_old_for_says_what_it_needs():
    (found,) = judged("PYTORCH_NPU_ALLOC_CONF=page_size:1g", Kind.NOT_YET, driver="24.1.0")

    assert found.message == "this value needs driver 25.0.RC1, and 24.1.0 is here"


def test_a_part_that_is_too_new_does_not_hide_a_wrong_value_beside_it():
    line = "PYTORCH_NPU_ALLOC_CONF=page_size:1g,expandable_segments:true"

    assert worst(line, Kind.VALUE, driver="24.1.0") == "fail"


def test_versions_compare_within_their_series_and_unknown_ones_never():
    assert at_least("cann", "8.1.RC1", Versions(cann="8.1.RC1")) is True
    assert at_least("cann", "8.1.RC1", Versions(cann="8.0.0")) is False
    assert at_least("cann", "8.1.RC1", Versions()) is None
    assert at_least("cann", "8.1.RC1", Versions(cann="what")) is None
    assert at_least("cann", "8.3.RC1", Versions(cann="8.3.RC1.alpha002")) is None
