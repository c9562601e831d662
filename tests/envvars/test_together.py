"""Every row of combinations.yaml with variables that it is about, and near ones that it is not."""

from __future__ import annotations

import re

import pytest

from npudoctor.envvars import Kind
from npudoctor.envvars.table import combinations, table
from tests.envvars import judged

EXPANDABLE = "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True"
CASES: dict[str, tuple[str, str, dict[str, str]]] = {
    "pcie-and-roce": (
        "HCCL_INTRA_PCIE_ENABLE=1\nHCCL_INTRA_ROCE_ENABLE=1",
        "HCCL_INTRA_PCIE_ENABLE=1\nHCCL_INTRA_ROCE_ENABLE=0",
        {},
    ),
    "pcie-off-alone": (
        "HCCL_INTRA_PCIE_ENABLE=0",
        "HCCL_INTRA_PCIE_ENABLE=0\nHCCL_INTRA_ROCE_ENABLE=1",
        {},
    ),
    "roce-off-alone": (
        "HCCL_INTRA_ROCE_ENABLE=0",
        "HCCL_INTRA_ROCE_ENABLE=0\nHCCL_INTRA_PCIE_ENABLE=1",
        {},
    ),
    "aiv-with-fused-mc2": (
        "HCCL_OP_EXPANSION_MODE=AIV\nVLLM_ASCEND_ENABLE_FUSED_MC2=1",
        "HCCL_OP_EXPANSION_MODE=AIV\nVLLM_ASCEND_ENABLE_FUSED_MC2=0",
        {},
    ),
    "aiv-with-determinism": (
        "HCCL_OP_EXPANSION_MODE=AIV\nHCCL_DETERMINISTIC=true",
        "HCCL_OP_EXPANSION_MODE=AIV\nHCCL_DETERMINISTIC=false",
        {},
    ),
    "strict-without-hccs": (
        "HCCL_DETERMINISTIC=strict\nHCCL_INTER_HCCS_DISABLE=TRUE",
        "HCCL_DETERMINISTIC=true\nHCCL_INTER_HCCS_DISABLE=TRUE",
        {"chip": "A3"},
    ),
    "determinism-only-lccl": (
        "LCCL_DETERMINISTIC=1",
        "LCCL_DETERMINISTIC=1\nHCCL_DETERMINISTIC=true",
        {},
    ),
    "determinism-only-hccl": (
        "HCCL_DETERMINISTIC=true\nLCCL_DETERMINISTIC=0",
        "HCCL_DETERMINISTIC=true\nLCCL_DETERMINISTIC=1",
        {"mindie": "2.1.RC1"},
    ),
    "retry-without-ai-cpu": (
        "HCCL_OP_RETRY_ENABLE=L1:1,L2:1\nHCCL_OP_EXPANSION_MODE=AIV",
        "HCCL_OP_RETRY_ENABLE=L1:1,L2:1\nHCCL_OP_EXPANSION_MODE=AI_CPU",
        {},
    ),
    "retry-parameters-alone": (
        "HCCL_OP_RETRY_PARAMS=MaxCnt:3\nHCCL_OP_RETRY_ENABLE=L1:0,L2:0",
        "HCCL_OP_RETRY_PARAMS=MaxCnt:3\nHCCL_OP_RETRY_ENABLE=L1:1",
        {},
    ),
    "concurrent-without-hccs": (
        "HCCL_CONCURRENT_ENABLE=1\nHCCL_INTER_HCCS_DISABLE=true",
        "HCCL_CONCURRENT_ENABLE=1\nHCCL_INTER_HCCS_DISABLE=FALSE",
        {},
    ),
    "whitelist-without-file": (
        "HCCL_WHITELIST_DISABLE=0",
        "HCCL_WHITELIST_DISABLE=0\nHCCL_WHITELIST_FILE=/w.json",
        {},
    ),
    "rank-table-and-cm": ("RANK_TABLE_FILE=/r.json\nCM_CHIEF_IP=10.0.0.1", "RANK_TABLE_FILE=/r.json", {}),
    "dfs-key-of-8-2": (
        "HCCL_DFS_CONFIG=connection_fault_detction_time:20",
        "HCCL_DFS_CONFIG=connection_fault_detection_time:20",
        {"cann": "8.5.0"},
    ),
    "algorithm-at-level-0": (
        "HCCL_ALGO=level0:fullmesh;level1:ring",
        "HCCL_ALGO=level0:NA;level1:ring",
        {},
    ),
    "buffer-for-fused-mc2": (
        "HCCL_BUFFSIZE=120\nVLLM_ASCEND_ENABLE_FUSED_MC2=1",
        "HCCL_BUFFSIZE=1024\nVLLM_ASCEND_ENABLE_FUSED_MC2=1",
        {},
    ),
    "buffer-for-experts": (
        "HCCL_BUFFSIZE=120",
        "HCCL_BUFFSIZE=512",
        {"arguments": "vllm serve m --enable-expert-parallel"},
    ),
    "expandable-and-split-size": (
        f"{EXPANDABLE},max_split_size_mb:256",
        "PYTORCH_NPU_ALLOC_CONF=expandable_segments:False,max_split_size_mb:256",
        {},
    ),
    "expandable-and-collection": (
        "PYTORCH_NPU_ALLOC_CONF=garbage_collection_threshold:0.9, expandable_segments:True",
        "PYTORCH_NPU_ALLOC_CONF=garbage_collection_threshold:0.9, pin_memory_expandable_segments:True",
        {},
    ),
    "expandable-and-sleep-mode": (
        EXPANDABLE,
        "PYTORCH_NPU_ALLOC_CONF=expandable_segments:False",
        {"arguments": "--enable-sleep-mode"},
    ),
    "page-size-and-others": (
        "PYTORCH_NPU_ALLOC_CONF=page_size:1g,segment_size_mb:64",
        "PYTORCH_NPU_ALLOC_CONF=page_size:1g",
        {},
    ),
    "two-allocator-settings": (
        f"{EXPANDABLE}\nPYTORCH_ALLOC_CONF=expandable_segments:True",
        EXPANDABLE,
        {"torch_npu": "26.2"},
    ),
    "expandable-without-caching": (f"PYTORCH_NO_NPU_MEMORY_CACHING=1\n{EXPANDABLE}", EXPANDABLE, {}),
    "zero-copy-without-expandable": ("TORCH_HCCL_ZERO_COPY=1", f"TORCH_HCCL_ZERO_COPY=1\n{EXPANDABLE}", {}),
    "nz-and-sleep-mode": (
        "HOME=/root",
        "VLLM_ASCEND_ENABLE_NZ=0",
        {"vllm_ascend": "0.13.0", "arguments": "--enable-sleep-mode"},
    ),
    "blocking-with-graphs": (
        "ASCEND_LAUNCH_BLOCKING=1",
        "ASCEND_LAUNCH_BLOCKING=0",
        {"vllm_ascend": "0.13.0", "arguments": "vllm serve m"},
    ),
    "blocking-with-queue": (
        "ASCEND_LAUNCH_BLOCKING=1\nTASK_QUEUE_ENABLE=2",
        "ASCEND_LAUNCH_BLOCKING=1\nTASK_QUEUE_ENABLE=0",
        {},
    ),
    "blocking-with-stream-queue": (
        "ASCEND_LAUNCH_BLOCKING=1\nPER_STREAM_QUEUE=1",
        "ASCEND_LAUNCH_BLOCKING=0\nPER_STREAM_QUEUE=1",
        {},
    ),
    "stream-queue-without-queue": (
        "PER_STREAM_QUEUE=1\nTASK_QUEUE_ENABLE=0",
        "PER_STREAM_QUEUE=1\nTASK_QUEUE_ENABLE=1",
        {},
    ),
    "fusion-without-queue": (
        "TORCH_NPU_LAZY_FUSION=True\nTASK_QUEUE_ENABLE=0",
        "TORCH_NPU_LAZY_FUSION=True",
        {},
    ),
    "saturation-not-forced": (
        "INF_NAN_MODE_ENABLE=0",
        "INF_NAN_MODE_ENABLE=0\nINF_NAN_MODE_FORCE_DISABLE=1",
        {"chip": "910B"},
    ),
    "blocking-wait-and-error-handling": (
        "TORCH_HCCL_BLOCKING_WAIT=1\nTORCH_HCCL_ASYNC_ERROR_HANDLING=1",
        "TORCH_HCCL_BLOCKING_WAIT=1\nTORCH_HCCL_ASYNC_ERROR_HANDLING=0",
        {},
    ),
    "dump-without-monitoring": (
        "TORCH_HCCL_DUMP_ON_TIMEOUT=1",
        "TORCH_HCCL_DUMP_ON_TIMEOUT=1\nTORCH_HCCL_ENABLE_MONITORING=1",
        {},
    ),
    "dump-without-buffer": (
        "TORCH_HCCL_DUMP_ON_TIMEOUT=1",
        "TORCH_HCCL_DUMP_ON_TIMEOUT=1\nTORCH_HCCL_TRACE_BUFFER_SIZE=2000",
        {},
    ),
    "fused-mc2-with-eplb": (
        "VLLM_ASCEND_ENABLE_FUSED_MC2=1\nDYNAMIC_EPLB=true",
        "VLLM_ASCEND_ENABLE_FUSED_MC2=1\nDYNAMIC_EPLB=false",
        {},
    ),
    "openmp-and-vllm-binding": (
        "OMP_PROC_BIND=TRUE",
        "OMP_PROC_BIND=false",
        {"arguments": "--additional-config '{\"enable_cpu_binding\": true}'"},
    ),
    "openmp-and-torch-binding": (
        "OMP_PROC_BIND=close\nCPU_AFFINITY_CONF=1",
        "OMP_PROC_BIND=close\nCPU_AFFINITY_CONF=0",
        {},
    ),
    "openmp-and-mindie-binding": (
        "OMP_PROC_BIND=true",
        "OMP_PROC_BIND=true\nBIND_CPU=0",
        {"mindie": "2.1.RC1"},
    ),
    "two-bindings": ("CPU_AFFINITY_CONF=mode:2\nBIND_CPU=1", "CPU_AFFINITY_CONF=mode:2\nBIND_CPU=0", {}),
    "log-path-without-files": (
        "ASCEND_SLOG_PRINT_TO_STDOUT=1\nASCEND_PROCESS_LOG_PATH=/var/log/ascend",
        "ASCEND_SLOG_PRINT_TO_STDOUT=0\nASCEND_PROCESS_LOG_PATH=/var/log/ascend",
        {},
    ),
    "new-log-path-without-files": (
        "ASCEND_LOG_PRINT_TO_STDOUT=1\nASCEND_PROCESS_LOG_PATH=/var/log/ascend",
        "ASCEND_LOG_PRINT_TO_STDOUT=1",
        {"cann": "9.2.0"},
    ),
    "glog-without-folder": ("GLOG_logtostderr=0", "GLOG_logtostderr=0\nGLOG_log_dir=/tmp", {}),
    "dump-settings-alone": ("DUMP_GRAPH_LEVEL=1", "DUMP_GRAPH_LEVEL=1\nDUMP_GE_GRAPH=2", {}),
    "visible-devices-while-profiling": (
        "ASCEND_RT_VISIBLE_DEVICES=0,1\nPROFILING_MODE=dynamic",
        "ASCEND_RT_VISIBLE_DEVICES=0,1\nPROFILING_MODE=false",
        {},
    ),
    "visible-devices-with-all-mapped": (
        "ASCEND_VISIBLE_DEVICES=0",
        "ASCEND_VISIBLE_DEVICES=",
        {"arguments": "docker run --privileged image"},
    ),
    "virtual-devices-many": (
        "ASCEND_VNPU_SPECS=vir04\nASCEND_VISIBLE_DEVICES=0,1",
        "ASCEND_VNPU_SPECS=vir04\nASCEND_VISIBLE_DEVICES=0",
        {},
    ),
    "virtual-devices-twice": (
        "ASCEND_VNPU_SPECS=vir04\nASCEND_RUNTIME_OPTIONS=VIRTUAL",
        "ASCEND_VNPU_SPECS=vir04\nASCEND_RUNTIME_OPTIONS=NODRV",
        {},
    ),
    "master-ip-alone": ("MASTER_IP=10.0.0.1", "MASTER_IP=10.0.0.1\nMASTER_ADDR=10.0.0.1", {}),
    "batch-invariant-with-nz": (
        "VLLM_BATCH_INVARIANT=1\nVLLM_ASCEND_ENABLE_NZ=1",
        "VLLM_BATCH_INVARIANT=1\nVLLM_ASCEND_ENABLE_NZ=0",
        {},
    ),
    "other-vendors-allocator": (
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        f"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n{EXPANDABLE}",
        {},
    ),
}


def _ids(text: str, context: dict[str, str]) -> dict[str, str]:
    return {one.topic: one.severity for one in judged(text, Kind.COMBINATION, **context)}


@pytest.fixture(autouse=True)
def a_torch_npu_of_the_newest_line(monkeypatch):
    monkeypatch.setitem(table().lines, "26.2", "26.2.0")


@pytest.mark.parametrize("row", combinations(), ids=lambda row: row["id"])
def test_a_row_speaks_of_its_variables_and_not_of_near_ones(row):
    wrong, right, context = CASES[row["id"]]

    assert _ids(wrong, context).get(row["id"]) == row["severity"]
    assert row["id"] not in _ids(right, context)


@pytest.mark.parametrize("row", [row for row in combinations() if "chips" in row or "needs" in row])
def test_a_row_for_a_chip_or_a_component_says_nothing_where_that_is_not_known(row):
    wrong, _right, context = CASES[row["id"]]

    assert row["id"] not in _ids(wrong, {"arguments": context.get("arguments", "")})


@pytest.mark.parametrize(
    "row", [row for row in combinations() if row.keys() & {"arguments", "arguments_not"}]
)
def test_a_row_for_a_command_line_says_nothing_where_none_is_known(row):
    wrong, _right, context = CASES[row["id"]]

    assert row["id"] not in _ids(wrong, {**context, "arguments": ""})


def test_enforced_eager_mode_takes_blocking_launches():
    context = {"vllm_ascend": "0.13.0", "arguments": "vllm serve m --enforce-eager"}

    assert "blocking-with-graphs" not in _ids("ASCEND_LAUNCH_BLOCKING=1", context)


def test_every_row_names_variables_of_the_table_and_has_patterns_that_compile():
    for row in combinations():
        assert set(row["when"]) <= set(table().rows), row["id"]
        assert all(re.compile(pattern) for pattern in row["when"].values())


def test_ids_are_given_once():
    ids = [row["id"] for row in combinations()]

    assert len(ids) == len(set(ids))
