"""Debug switches that were left on."""

from __future__ import annotations

import pytest

from npudoctor.envvars import Kind
from tests.envvars import judged, worst


@pytest.mark.parametrize(
    ("line", "topic"),
    [
        ("ASCEND_LAUNCH_BLOCKING=1", "sync"),
        ("ASCEND_GLOBAL_LOG_LEVEL=0", "log"),
        ("ASCEND_GLOBAL_LOG_LEVEL=1", "log"),
        ("ASCEND_MODULE_LOG_LEVEL=HCCL=0:GE=3", "log"),
        ("ACL_LOG_LEVEL=1", "log"),
        ("GE_LOG_LEVEL=0", "log"),
        ("MSPROF_ENABLE=1", "profiling"),
        ("PROFILING_MODE=dynamic", "profiling"),
        ("DUMP_GE_GRAPH=2", "dump"),
        ("ASCEND_DUMP_PATH=/tmp/dump", "dump"),
        ("ATB_STREAM_SYNC_EVERY_KERNEL_ENABLE=1", "sync"),
        ("FLAGS_npu_blocking_run=True", "sync"),
        ("VLLM_TRACE_FUNCTION=1", "log"),
        ("MS_ALLOC_CONF=enable_vmm:true,memory_tracker:True", "debug"),
        ("INDUCTOR_ASCEND_LOG_LEVEL=DEBUG", "log"),
    ],
)
def test_a_switch_that_is_on_is_a_warning(line, topic):
    found = judged(line, Kind.DEBUG)

    assert [(one.severity, one.topic) for one in found] == [("warn", topic)]
    assert found[0].fix == (f"unset {line.partition('=')[0]}",)


@pytest.mark.parametrize(
    "line",
    [
        "ASCEND_LAUNCH_BLOCKING=0",
        "ASCEND_LAUNCH_BLOCKING=true",  # torch_npu reads text as 0
        "ASCEND_GLOBAL_LOG_LEVEL=3",
        "ASCEND_MODULE_LOG_LEVEL=HCCL=2",
        "ACL_LOG_LEVEL=3",
        "MSPROF_ENABLE=0",
        "PROFILING_MODE=false",
        "DUMP_GE_GRAPH=0",
        "ATB_STREAM_SYNC_EVERY_KERNEL_ENABLE=0",
        "FLAGS_npu_blocking_run=false",
        "ASCEND_DUMP_PATH=",
        "EXPERT_MAP_RECORD=false",
        "MS_JIT=1",
        "INDUCTOR_ASCEND_LOG_LEVEL=WARNING",
    ],
)
def test_a_switch_that_is_off_is_none(line):
    assert judged(line, Kind.DEBUG) == []


def test_a_switch_that_makes_results_wrong_fails():
    assert worst("ASCEND_MC2_DEBUG_MODE=1", Kind.DEBUG) == "fail"
    assert worst("MS_KERNEL_LAUNCH_SKIP=all", Kind.DEBUG) == "fail"


def test_a_switch_that_this_version_does_not_read_is_none():
    line = "VLLM_ASCEND_TRACE_RECOMPILES=1"

    assert worst(line, Kind.DEBUG, vllm_ascend="0.11.0rc1") == "warn"
    assert worst(line, Kind.DEBUG, vllm_ascend="0.13.0") == "none"
