"""Triage of a large tree of logs beside `rg --fixed-strings` with the same literals on the same files.

    python benchmarks/triage.py [--size MB] [--runs N]

Writes a tree of plogs as a job of many ranks leaves it (mostly INFO and EVENT lines, one error in some
thousand), once; then runs both by turns and prints the medians, MB/s, processor seconds, the peak memory and
the ratios. On a machine that does other work too, the processor seconds say more than the clock.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from npudoctor.triage.scan import literals

RANKS = 64
MODULES = ("GE", "RUNTIME", "HCCL", "ASCENDCL", "FE", "DRV", "TEFUSION", "AICPU", "PROFILING")
WORDS = ("graph", "node", "stream", "task", "tensor", "memory", "kernel", "tiling", "shape", "queue", "link")
FAULTS = (
    "wait socket establish timeout, role[0] rank[{n}] timeout[120 s]",
    "synchronize stream failed, runtime result = 507015[FUNC:ReportCallError][FILE:log_inner.cpp][LINE:161]",
    "[drv api] halMemAlloc failed: device_id={n}, size=209715200, drvRetCode=6",
    "Getting socket times out. ErrorCode=EI0006.",
)


def main() -> int:
    """Make the tree, time both tools on it, print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--size", type=int, default=1000, metavar="MB")
    options.add_argument("--runs", type=int, default=3)
    wanted = options.parse_args()
    if not shutil.which("rg"):
        print("ripgrep is not installed: apt-get install ripgrep", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "log")
        size = write_tree(tree, wanted.size << 20)
        patterns = Path(folder, "literals")
        one_line = [text for text in literals() if "\n" not in text]  # ripgrep cannot look for a line end
        patterns.write_text("\n".join(one_line) + "\n")
        show(size, *measure(tree, patterns, wanted.runs))
    return 0


def write_tree(tree: Path, size: int) -> int:
    """Logs of all ranks, `size` bytes in all; what was written."""
    chance = random.Random(7)  # noqa: S311 (a log, not a secret)
    lines = [line(chance) for _ in range(40_000)]
    written = 0
    for rank in range(RANKS):
        folder = tree / f"node{rank // 8}" / "debug" / "plog"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"plog-{1000 + rank}_20260102030405000.log").open("w") as file:
            while file.tell() < size // RANKS:
                file.writelines(chance.choices(lines, k=2000))
            written += file.tell()
    return written


def line(chance: random.Random) -> str:
    """One line of a plog; one in four thousand is an error."""
    module, number = chance.choice(MODULES), chance.randrange(9999)
    stamp = f"2026-01-02-03:04:{number % 60:02}.{number % 1000:03}.{number % 997:03}"
    head = f"{module}({1000 + number % RANKS},python3):{stamp} [stream.cc:{number}]{number}"
    if number % 4000 == 1:
        return f"[ERROR] {head} {chance.choice(FAULTS).format(n=number % 8)}\n"
    text = " ".join(chance.choices(WORDS, k=chance.randrange(6, 18)))
    return f"[{chance.choice(('INFO', 'EVENT'))}] {head} {text} no={number} size={number * 64}\n"


Times = list[tuple[float, float]]
"""Seconds by the clock and of processors, for each run."""


def measure(tree: Path, patterns: Path, runs: int) -> tuple[Times, Times]:
    """The times of triage and of ripgrep, by turns."""
    triage = [sys.executable, "-m", "npudoctor", "triage", str(tree), "--format", "json"]
    ripgrep = ["rg", "--fixed-strings", "--ignore-case", "--no-ignore", "--file", str(patterns), str(tree)]
    times: tuple[Times, Times] = ([], [])
    for _run in range(runs + 1):
        for kept, command in zip(times, (triage, ripgrep), strict=True):
            kept.append(timed(command))
    return times[0][1:], times[1][1:]  # the first round warms the file cache


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds that a command takes, by the clock and of processors."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begun, used = time.perf_counter(), processor_seconds()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env=environment)
    return time.perf_counter() - begun, processor_seconds() - used


def processor_seconds() -> float:
    """What the commands so far took of all processors."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def medians(times: Times) -> tuple[float, float]:
    """Of the clock, and of the processors."""
    return statistics.median(clock for clock, _used in times), statistics.median(
        used for _clock, used in times
    )


def show(size: int, triage: Times, ripgrep: Times) -> None:
    """The table."""
    for name, times in (("npudoctor triage", triage), ("rg -F -i -f", ripgrep)):
        middle, used = medians(times)
        each = ", ".join(f"{clock:.2f}" for clock, _used in times)
        speed = size / middle / 1e6
        print(f"{name:<18} {middle:7.2f} s  {speed:8.0f} MB/s  {used:6.2f} s of processors  ({each})")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    ours, theirs = medians(triage), medians(ripgrep)
    print(f"ripgrep takes {theirs[0] / ours[0]:.2f} times as long, {theirs[1] / ours[1]:.2f} of processors")
    print(
        f"largest process: {peak:.0f} MB; files: {size / 1e6:.0f} MB in {RANKS}, {os.cpu_count()} processors"
    )


if __name__ == "__main__":
    sys.exit(main())
