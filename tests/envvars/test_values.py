"""Values that readers do not take, and what they do then."""

from __future__ import annotations

import pytest

from npudoctor.envvars import Kind
from tests.envvars import judged, worst


@pytest.mark.parametrize(
    ("line", "severity", "says"),
    [
        ("HCCL_CONNECT_TIMEOUT=60", "fail", "EI0001"),
        ("HCCL_DETERMINISTIC=1", "fail", "EI0001"),
        ("HCCL_RDMA_TC=133", "fail", "multiple of 4"),
        ("HCCL_OP_RETRY_ENABLE=L1:2", "fail", "L1:2"),
        ("HCCL_INTER_HCCS_DISABLE=1", "fail", "TRUE"),
        ("HCCL_HOST_SOCKET_PORT_RANGE=60000-60031,60010", "fail", "port"),
        ("PYTORCH_NPU_ALLOC_CONF=expandable_segments:true", "fail", "expandable_segments:true"),
        ("PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:20", "fail", "max_split_size_mb:20"),
        ("VLLM_ASCEND_ENABLE_NZ=true", "fail", "ValueError"),
        ("TASK_QUEUE_ENABLE=3", "fail", "an error in torch_npu"),
        ("TASK_QUEUE_ENABLE=on", "warn", "text counts as 0"),
        ("ASCEND_GLOBAL_LOG_LEVEL=ERROR", "warn", "debug"),
        ("ASCEND_SLOG_PRINT_TO_STDOUT=3", "warn", "off"),
        ("INF_NAN_MODE_ENABLE=true", "warn", "text counts as 0"),
        ("BIND_CPU=true", "warn", "does not switch it on"),
        ("IGNORE_INFER_ERROR=0", "warn", "does not switch it off"),
        ("RUNTIME_PARAM_CHECK_ENABLED=false", "warn", "does not switch it off"),
        ("OMP_PROC_BIND=1", "warn", "true,false"),
        ("ASCEND_VISIBLE_DEVICES=all", "fail", "the container is not created"),
        ("ASCEND_VISIBLE_DEVICES=0,npu-1", "fail", "void"),
        ("NPU_MEMORY_FRACTION=1.2", "fail", "ValueError"),
        ("HCCL_SOCKET_IFNAME=eth0 eth1", "fail", "EI0001"),
    ],
)
def test_a_value_that_the_reader_does_not_take(line, severity, says):
    found = judged(line, Kind.VALUE)

    assert [one.severity for one in found] == [severity]
    assert says in found[0].message
    assert line.partition("=")[0] in found[0].text


@pytest.mark.parametrize(
    "line",
    [
        "HCCL_CONNECT_TIMEOUT=120",
        "HCCL_CONNECT_TIMEOUT=",
        "HCCL_DETERMINISTIC=STRICT",
        "HCCL_EXEC_TIMEOUT=0",
        "HCCL_EXEC_TIMEOUT=1800.25",
        "HCCL_OP_RETRY_ENABLE=L0:0, L1:1, L2:1",
        "HCCL_ALGO=level0:NA;level1:H-D_R",
        "HCCL_ALGO=allreduce=level0:NA;level1:ring/allgather=level0:NA;level1:NHR",
        "HCCL_SOCKET_IFNAME==eth0,enp1s0",
        "HCCL_SOCKET_IFNAME=^docker",
        "HCCL_DFS_CONFIG=cluster_heartbeat:ON, connection_fault_detection_time:0",
        "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True",
        "PYTORCH_NPU_ALLOC_CONF=roundup_power2_divisions:[256:1,512:2,>:8],max_split_size_mb:256",
        "CPU_AFFINITY_CONF=mode:1,npu0:0-23,force:1",
        "ASCEND_VISIBLE_DEVICES=0,4,2,1",
        "ASCEND_VISIBLE_DEVICES=npu-0,npu-1",
        "ASCEND_VISIBLE_DEVICES=void",
        "ASCEND_MODULE_LOG_LEVEL=HCCL=3:GE=3",
        "BIND_CPU=0",
        "MINDIE_LOG_LEVEL=llm:info; server:error",
        "MINDIE_LOG_ROTATE=-fs 20 -r 10",
        "OMP_PROC_BIND=close,spread",
        "LOCAL_RANK={0,1,2,3}",
    ],
)
def test_a_value_that_may_stand(line):
    assert judged(line, Kind.VALUE) == []


def test_quotes_that_reached_the_value_are_named_and_taken_off_by_the_fix():
    found = judged('TASK_QUEUE_ENABLE="1"', Kind.VALUE)

    assert "quotes are part of the value" in found[0].message
    assert found[0].fix == ("export TASK_QUEUE_ENABLE=1",)


def test_a_range_depends_on_the_chip():
    assert worst("HCCL_RDMA_TIMEOUT=22", Kind.VALUE) == "none"
    assert worst("HCCL_RDMA_TIMEOUT=22", Kind.VALUE, chip="910B") == "fail"
    assert worst("HCCL_RDMA_TIMEOUT=22", Kind.VALUE, chip="910") == "none"
    assert worst("HCCL_EXEC_TIMEOUT=20000", Kind.VALUE, chip="910") == "fail"
    assert worst("HCCL_OP_EXPANSION_MODE=HOST", Kind.VALUE, chip="A3") == "warn"
    assert worst("HCCL_OP_EXPANSION_MODE=HOST", Kind.VALUE, chip="910B") == "none"


def test_nothing_is_said_of_a_value_that_this_version_does_not_read():
    assert worst("VLLM_ASCEND_ENABLE_DBO=true", Kind.VALUE, vllm_ascend="0.13.0") == "none"
