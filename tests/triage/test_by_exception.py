from __future__ import annotations

from typing import Any

import pytest

from npudoctor.data import load
from npudoctor.triage.by_exception import FILE, signature
from npudoctor.triage.diagnose import diagnose
from npudoctor.triage.signatures import signatures

SPOKEN_OF = [
    ("MemoryError", "out-of-memory"),
    ("pkg_resources.DistributionNotFound: The 'abc' distribution was not found", "environment"),
    ("ImportError: cannot import name 'Abc' from 'abc'", "version-mismatch"),
    ("ImportError: libabc.so.3: cannot open shared object file: No such file or directory", "environment"),
    ("TypeError: forward() got an unexpected keyword argument 'abc'", "version-mismatch"),
    ("requests.exceptions.ConnectionError: Max retries exceeded with url: /abc", "environment"),
    ("FileNotFoundError: [Errno 2] No such file or directory: '/models/a/config.json'", "environment"),
    ("E       ValueError: heads of 7 must be divisible by 2", "parameter"),
    ("AssertionError: data parallel size of 3 is not supported", "parameter"),
    ("AssertionError: --use-abc can go with --def-ghi only", "parameter"),
    ("AssertionError: swap of memory is not compatible with the other schedule", "parameter"),
    ("RuntimeError: abc_def is unavailable in this build of abc", "version-mismatch"),
    ("RuntimeError: HCCL demo timeout (9s) at b", "hccl"),
    ("IndexError: list index", "application"),
    ("RuntimeError: Unexpected answer of the peer", "application"),
    ("RuntimeError: AllReduce over 8 ranks gave up", "application"),
    ("RuntimeError: Expected all tensors to be on one device", "parameter"),
    ("SyntaxError: invalid syntax", "version-mismatch"),
    ("AssertionError: Current configuration is not set", "application"),
    ("RuntimeError: ABC_HOME is not set", "environment"),
    ("httpcore.ConnectError: All connection attempts failed", "environment"),
    ("RuntimeError: Failed to allocate KV cache", "out-of-memory"),
    ("RuntimeError: HCCL timeout", "hccl"),
    ("RuntimeError: HCCL error: 7", "hccl"),
    ("RuntimeError: sizes of graphs is valid only when graphs are on", "parameter"),
    ("RuntimeError: setting up HCCL communicator, no answer", "hccl"),
    ("Exception: loss scale is at its least", "application"),
    ("RuntimeError: [enforce fail at inline_container.cc:7] . unexpected pos 9 vs 8", "storage-full"),
    ("RuntimeError: Worker failed with error 'ImportError: cannot import name 'abc'", "version-mismatch"),
    ("demo - ERROR - check.py:7 - ModuleNotFoundError: No module named 'abc'", "environment"),
    ("[ERROR] [demo.cpp:7] Failed with exception: NotImplementedError: depth of 3", "parameter"),
    ("[ERROR] DRV(7,python):2026-01-01-00:00:00.000.001 [demo.c:7] demo_tool calloc failed", "out-of-memory"),
    ("[ERROR] HCCL(7,python):2026-01-01-00:00:00.000.001 [demo.cc:7] [Demo]wait accept timeout", "hccl"),
    ("[ERROR] HCCL(7,python):2026-01-01-00:00:00.000.001 [demo.cc:7] HCCL_DEMO[x] is invalid", "environment"),
    ("RuntimeError: Building networking for demo failed.", "hccl"),
    (
        "[ERROR] RUNTIME(7,python):2026-01-01-00:00:00.000.001 [a.cc:7] tsch version is too low",
        "driver-cann-mismatch",
    ),
    ("RuntimeError: demo: SOC Version[9] is not support.", "missing-kernels"),
    ("[ERROR] DRV(7,python):2026-01-01-00:00:00.000.001 [demo.c:7] Dev is busy, cannot close", "device-busy"),
    (
        "[ERROR] RUNTIME(7,python):2026-01-01-00:00:00.000.001 [a.cc:7] Stream synchronize timeout",
        "aicore-exception",
    ),
    ("AssertionError: layer hook 7 does not belong to layer 7", "application"),
    ("RuntimeError: tracer create_proxy failed!", "application"),
]


@pytest.mark.parametrize(("line", "category"), SPOKEN_OF)
def test_an_exception_speaks_of_a_kind_of_cause(line: str, category: str) -> None:
    known = signature(line)
    assert known
    assert known.category == category


def test_one_that_says_nothing_of_a_cause_stands_behind_one_that_does(sights: Any) -> None:
    first, second = diagnose(sights("IndexError: list index\nMemoryError"), signatures(), {})
    assert (first.signature.category, second.signature.category) == ("out-of-memory", "application")


def test_an_exception_that_nothing_else_explains_is_a_candidate(sights: Any) -> None:
    (cause,) = diagnose(sights("IndexError: list index"), signatures(), {})
    assert (cause.signature.id, cause.signature.grade) == ("exception-program", "exception")
    assert cause.confidence < 0.5


@pytest.mark.parametrize(
    "line",
    [
        "KeyboardInterrupt",
        "RuntimeError: Engine core initialization failed. See root cause above.",
        "subprocess.CalledProcessError: Command 'abc' returned non-zero exit status 1.",
        "WARNING abc was not imported: ModuleNotFoundError(\"No module named 'abc'\")",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "The function raises ValueError: where abc must be positive.",
        "[ERROR] 2026-01-01-00:00:00 (PID:1, Device:0, RankID:-1) ERR99999 UNKNOWN application exception",
    ],
)
def test_what_others_see_and_what_is_only_told_of_are_no_candidates(line: str, sights: Any) -> None:
    assert diagnose(sights(line), [], {}) == []


@pytest.mark.parametrize(
    ("line", "category"),
    [
        ("[ERROR] the widths 3 and 4 do not match", "parameter"),
        ("ERROR: listen on 10.0.0.1:8666: Address already in use", "hccl"),
    ],
)
def test_an_error_line_speaks_by_its_words(line: str, category: str, sights: Any) -> None:
    (cause,) = diagnose(sights(line), [], {})
    assert (cause.signature.category, cause.signature.grade) == (category, "exception")


@pytest.mark.parametrize(
    "line",
    [
        "demo.c:3:9: error: expected ';' before 'return'",
        "/usr/bin/ld: error: sections must be aligned",
        "make[2]: *** [all] Error 1",
        "CMake Error at CMakeLists.txt:3: the target must be a library",
    ],
)
def test_what_a_compiler_says_is_no_candidate(line: str, sights: Any) -> None:
    assert diagnose(sights(line), [], {}) == []


def test_an_exception_counts_beside_what_only_follows_from_another_failure(sights: Any) -> None:
    text = "ValueError: abc must be 2\nRuntimeError: Engine core initialization failed.\n"
    first, second = diagnose(sights(text), signatures(), {})
    assert (first.signature.id, second.signature.id) == ("exception-refused", "engine-did-not-start")


def test_the_first_exception_of_a_chain_leads(sights: Any) -> None:
    text = "ValueError: abc must be 2\nIndexError: list index\n"
    first, second = diagnose(sights(text), signatures(), {})
    assert [first.signature.category, second.signature.category] == ["parameter", "application"]


def test_exceptions_are_left_out_where_more_is_known(sights: Any) -> None:
    text = "ValueError: abc must be 2\nRuntimeError: NPU out of memory. Tried to allocate 2.00 GiB\n"
    assert {cause.signature.category for cause in diagnose(sights(text), signatures(), {})} == {
        "out-of-memory"
    }


def test_each_kind_of_the_table_is_used() -> None:
    content = load(FILE).content
    assert {row["id"] for row in content["exceptions"] if "id" in row} == set(content["kinds"])
