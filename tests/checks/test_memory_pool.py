"""The memory pool of the field report."""

from __future__ import annotations

import pytest

from npudoctor.checks import memory_pool

GIB = 1024**3
ROW = """\
| {npu}     910B3           | OK            | 92.8        38                0    / 0             |
| 0                     | 0000:C{npu}:00.0  | 0           0    / 0          3161 / {hbm}         |
+=======================+===============+====================================================+
"""
HEAD = """\
+--------------------------------------------------------------------------------------------+
| npu-smi 25.0.rc1                 Version: 25.0.rc1                                         |
+-----------------------+---------------+----------------------------------------------------+
| NPU   Name            | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                  | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+=======================+===============+====================================================+
"""


def _table(*sizes: int) -> str:
    return HEAD + "".join(ROW.format(npu=npu, hbm=hbm) for npu, hbm in enumerate(sizes))


def _machine(host, size: object, *hbm: int, ahead: str = "ASCEND_MEMORY_PRE_ALLOCATE=1\n"):
    return host(
        environment=f"ASCEND_MEMORY_POOL_SIZE={size}\n{ahead}",
        commands={"npu-smi info": _table(*hbm)} if hbm else {},
    )


@pytest.mark.parametrize(
    ("size", "hbm", "status"),
    [
        (80 * GIB, 131072, "pass"),  # the field report: 80 GiB of 128
        (108 * GIB, 131072, "pass"),
        (109 * GIB, 131072, "warn"),
        (128 * GIB, 131072, "fail"),  # nothing is left
        (129 * GIB, 131072, "fail"),
        (54 * GIB, 65536, "pass"),
        (60 * GIB, 65536, "warn"),
        (80 * GIB, 65536, "fail"),
        (0, 65536, "pass"),
    ],
)
def test_the_pool_leaves_20_of_128_to_the_system_in_proportion(host, judge, size, hbm, status):
    assert judge(memory_pool.pool_size, _machine(host, size, hbm)).status == status


def test_the_smallest_chip_decides_and_its_line_proves_it(host, judge):
    finding = judge(memory_pool.pool_size, _machine(host, 54 * GIB, 65536, 32768))

    assert finding.status == "fail"
    assert finding.actual == "54 GiB of 32 GiB"
    assert finding.expected == "at most 27 GiB"
    assert "32768" in finding.evidence[1].text
    assert finding.fix.commands == (f"export ASCEND_MEMORY_POOL_SIZE={27 * GIB}",)


def test_a_pool_with_no_table_of_chips_is_unknown_and_no_pool_is_skipped(host, judge):
    assert judge(memory_pool.pool_size, _machine(host, 80 * GIB)).status == "unknown"
    assert judge(memory_pool.pool_size, host(environment="A=1\n")).status == "skip"


@pytest.mark.parametrize("check", [memory_pool.pool_without_preallocation, memory_pool.pool_not_a_number])
def test_without_a_pool_there_is_nothing_to_judge(host, judge, check):
    assert judge(check, host(environment="A=1\n")).status == "skip"
    assert judge(check, host()).status == "unknown"


def test_a_pool_without_preallocation_is_a_warning(host, judge):
    check = memory_pool.pool_without_preallocation

    assert judge(check, _machine(host, GIB)).status == "pass"
    assert judge(check, _machine(host, GIB, ahead="ASCEND_MEMORY_PRE_ALLOCATE=0\n")).status == "warn"
    missing = judge(check, _machine(host, GIB, ahead=""))
    assert (missing.status, missing.actual) == ("warn", "not set")
    assert missing.fix.commands == ("export ASCEND_MEMORY_PRE_ALLOCATE=1",)


@pytest.mark.parametrize(
    ("size", "commands"),
    [
        ("80G", (f"export ASCEND_MEMORY_POOL_SIZE={80 * GIB}",)),
        ("80 GiB", (f"export ASCEND_MEMORY_POOL_SIZE={80 * GIB}",)),
        ("81920M", (f"export ASCEND_MEMORY_POOL_SIZE={80 * GIB}",)),
        ("0x10", ()),
        ("-5", ()),
        ("all", ()),
        ("", ()),
    ],
)
def test_a_size_that_is_no_number_fails_with_what_was_meant(host, judge, size, commands):
    finding = judge(memory_pool.pool_not_a_number, _machine(host, size))

    assert finding.status == "fail"
    assert finding.fix.commands == commands


def test_a_number_of_bytes_passes(host, judge):
    finding = judge(memory_pool.pool_not_a_number, _machine(host, 85899345920))

    assert (finding.status, finding.actual) == ("pass", "80 GiB")
