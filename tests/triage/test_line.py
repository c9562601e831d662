from __future__ import annotations

import pytest

from npudoctor.triage.line import read_line

PLOG = "[ERROR] HCCL(15689,all_reduce_test):2025-06-15-11:51:32.570.490 [agent.cc:946] [94774] text"


@pytest.mark.parametrize(
    ("raw", "text", "process"),
    [
        ("[rank11]: EI9999: x", "EI9999: x", "rank 11"),
        ("[1,3]<stderr>: x failed", "x failed", "rank 1"),
        ("(EngineCore_DP0 pid=265) ERROR 09-18 12:15:25 [core.py:571] x", "x", "EngineCore_DP0 pid=265"),
        ("vllm-ascend  | (Worker_TP0 pid=7) x", "x", "Worker_TP0 pid=7"),
        ("(RayWorkerWrapper pid=9, ip=192.0.2.1) x", "x", "RayWorkerWrapper pid=9, ip=192.0.2.1"),
        ("(VllmWorker rank=7 pid=14) ERROR 01-02 03:04:05 [x.py:1] x", "x", "VllmWorker rank=7 pid=14"),
        ("(VllmWorker TP0 pid=35) x", "x", "VllmWorker TP0 pid=35"),
        ("(Server pid=7) (Worker_TP3 pid=78) ERROR 01-02 03:04:05 [x.py:1] x", "x", "Worker_TP3 pid=78"),
        ("ERROR 06-03 14:54:23 engine.py:400] x", "x", ""),
        ("[Stage-0] ERROR 01-16 10:20:16 [gpu_worker.py:226] x", "x", ""),
        (
            "[pod/engine-0/engine] [rank0]:[E731 07:58:03.605457886 compiler_depend.ts:429] x failed!",
            "[E731 07:58:03.605457886 compiler_depend.ts:429] x failed!",
            "rank 0",
        ),
        ("[pod/engine-0/engine] x", "x", "engine-0/engine"),
        ("(function npuSynchronizeDevice)", "(function npuSynchronizeDevice)", ""),
        ("2026-01-02T03:04:05.123456789Z stdout F x", "x", ""),
        ("2026-01-02T03:04:05.123456789+08:00 x", "x", ""),
        ('{"log":"[rank2]: \\"x\\"\\n","stream":"stderr","time":"2026-01-02T03:04:05.1Z"}', '"x"', "rank 2"),
        ('{"log":"x is cut of', "x is cut of", ""),
        ("\x1b[31mERROR\x1b[0m x", "ERROR x", ""),
        (">     E19010: x", "E19010: x", ""),
        (PLOG, PLOG, "pid 15689"),
    ],
)
def test_what_launchers_and_containers_put_before_a_line_is_taken_off(
    raw: str, text: str, process: str
) -> None:
    line = read_line(raw.encode(), "a.log", 1)
    assert (line.text, line.process) == (text, process)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (PLOG, "2025-06-15 11:51:32.570490"),
        ("[PID: 1] 2025-06-15-11:51:32.570.490 x", "2025-06-15 11:51:32.570490"),
        ("[2025-06-05 15:19:22.681+08:00] x", "2025-06-05 15:19:22.681000"),
        ("2025-06-05 15:19:22,681 x", "2025-06-05 15:19:22.681000"),
        ("ERROR 09-18 12:15:25 [core.py:571] x", "0000-09-18 12:15:25.000000"),
        ("[E313 06:55:06.502205450 compiler_depend.ts:8594] x", "0000-03-13 06:55:06.502205"),
        ("no time 12:15:25", ""),
    ],
)
def test_times_of_all_layouts_sort_as_text(text: str, time: str) -> None:
    assert read_line(text.encode(), "a.log", 1).time == time


def test_chinese_is_read_in_both_encodings() -> None:
    for encoding in ("utf-8", "gb18030"):
        assert read_line("错误码 507018".encode(encoding), "a.log", 1).text == "错误码 507018"


def test_a_line_without_end_is_cut() -> None:
    assert len(read_line(b"x" * 10_000_000, "a.log", 1).text) < 10_000


def test_what_ray_guesses_of_a_dead_worker_is_left_out() -> None:
    raw = b"Worker exit type: SYSTEM_ERROR. There are some potential root causes. (1) SIGKILL (2) SIGSEGV"
    assert read_line(raw, "a.log", 1).text == "Worker exit type: SYSTEM_ERROR."
