"""Time-outs and other pairs of numbers."""

from __future__ import annotations

import pytest

from tests.envvars import judged


def _severities(text: str) -> list[str]:
    return [one.severity for one in judged(text) if one.topic == "numbers"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HCCL_EVENT_TIMEOUT=1800\nHCCL_EXEC_TIMEOUT=1800", ["warn"]),
        ("HCCL_EVENT_TIMEOUT=1900\nHCCL_EXEC_TIMEOUT=0", ["warn"]),
        ("HCCL_EVENT_TIMEOUT=1900\nHCCL_EXEC_TIMEOUT=1800", []),
        ("HCCL_EVENT_TIMEOUT=0\nHCCL_EXEC_TIMEOUT=0", []),
        ("HCCL_EXEC_TIMEOUT=60000", []),
        ("ASCEND_TRANSFER_TIMEOUT=3000\nHCCL_RDMA_TIMEOUT=20", ["warn"]),
        ("ASCEND_TRANSFER_TIMEOUT=3000\nHCCL_RDMA_TIMEOUT=14\nHCCL_RDMA_RETRY_CNT=7", []),
        ("ASCEND_TRANSFER_TIMEOUT=3000", []),
        ("RANKTABLEFILE=/a.json\nRANK_TABLE_FILE=/b.json", ["warn"]),
        ("RANKTABLEFILE=/a.json\nRANK_TABLE_FILE=/a.json", []),
        ("MS_RETRY_INTERVAL_LOWER=5\nMS_RETRY_INTERVAL_UPPER=3", ["warn"]),
        ("MS_RETRY_INTERVAL_LOWER=3\nMS_RETRY_INTERVAL_UPPER=5", []),
        ("TTP_ACCLINK_CERT_CHECK_AHEAD_DAYS=7\nTTP_ACCLINK_CHECK_PERIOD_HOURS=720", ["fail"]),
        ("TTP_ACCLINK_CERT_CHECK_AHEAD_DAYS=30\nTTP_ACCLINK_CHECK_PERIOD_HOURS=720", []),
    ],
)
def test_two_numbers_that_do_not_fit(text, expected):
    assert _severities(text) == expected


def test_the_fix_names_a_time_that_is_long_enough():
    (one,) = [one for one in judged("ASCEND_TRANSFER_TIMEOUT=3000\nHCCL_RDMA_TIMEOUT=20") if one.topic]

    assert one.fix == ("export ASCEND_TRANSFER_TIMEOUT=30065",)
