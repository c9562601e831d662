"""What `explain NAME` prints for a variable."""

from __future__ import annotations

from npudoctor.envvars import describe


def test_a_variable_says_who_reads_it_what_it_takes_since_when_and_from_which_source():
    text = describe("HCCL_RDMA_TC")

    assert text is not None
    assert text.splitlines()[0] == "HCCL_RDMA_TC"
    assert "read by: HCCL" in text
    assert "takes: 0..255, multiple of 4" in text
    assert "default: 132" in text
    assert "source: " in text


def test_a_removed_one_says_so_and_what_to_use():
    text = describe("VLLM_ASCEND_ENABLE_NZ") or ""

    assert "no longer read: vllm-ascend 0.27.1rc1 (the versions behind it)" in text
    assert "use: additional_config" in text


def test_a_floor_that_a_manual_only_bounds_says_or_earlier():
    assert "since: CANN 8.3.RC1 or earlier" in (describe("HCCL_DEBUG_CONFIG") or "")
    assert "since: torch_npu 7.3.0\n" in (describe("PER_STREAM_QUEUE") or "")


def test_a_misspelt_name_says_what_is_meant():
    assert "ASCEND_RT_VISIBLE_DEVICES is meant" in (describe("ASCEND_RT_VISIBLE_DEVICE") or "")


def test_an_unknown_name_is_none():
    assert describe("HOME_SWEET_HOME") is None
