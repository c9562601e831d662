"""Processes that read: answers in order, a killed one is told, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from npudoctor.cli.readers import Readers
from npudoctor.errors import UsageError


def work(task: int) -> str:
    if task == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    if task == 99:
        raise UsageError("what", "mend")
    time.sleep(0.01 if task % 3 else 0.03)
    return f"did {task}"


def answers(tasks: list[int]) -> list[str]:
    with Readers(work, lambda task: f"lost {task}", 2) as readers:
        return list(readers.answers(iter(tasks)))


def test_answers_come_in_the_order_of_the_tasks() -> None:
    assert answers(list(range(10))) == [f"did {task}" for task in range(10)]
    assert active_children() == []


def test_a_killed_process_costs_its_task_and_no_other() -> None:
    assert answers([1, 13, 2, 13, 3]) == ["did 1", "lost 13", "did 2", "lost 13", "did 3"]


def test_an_error_for_the_user_comes_through() -> None:
    with pytest.raises(UsageError, match="what; mend"):
        answers([1, 99, 2])
    assert active_children() == []


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_however_triage_ends_its_processes_end_too(tmp_path: Path, sent: int, code: int) -> None:
    line = b"[ERROR] RUNTIME(77,python3):2026-01-02-03:04:05.000.001 [a.cc:5]77 drvRetCode=6 no=%d\n"
    for number in range(8):
        text = b"".join(line % (number * 9_000_000 + at) for at in range(300_000))
        (tmp_path / f"{number}.log").write_bytes(text)
    with subprocess.Popen(
        [sys.executable, "-m", "npudoctor", "triage", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as triage:
        waited = time.monotonic() + 30
        while not (workers := children(triage.pid)) and time.monotonic() < waited:
            time.sleep(0.02)
        time.sleep(0.2)
        triage.send_signal(sent)
        told = triage.communicate(timeout=20)
    assert workers
    assert triage.returncode == code
    assert told == (b"", b"")
    waited = time.monotonic() + 10
    while any(map(alive, workers)) and time.monotonic() < waited:
        time.sleep(0.05)
    assert not any(map(alive, workers))
