"""How fast logs are redacted, side by side with tools that only read, search or pack the same file.

    python benchmarks/redact.py [--megabytes 1024] [--runs 3]

The log is made here: lines of plog and of a serving engine as CANN and vLLM write them, with invented values.
One in a hundred holds an address, one in two hundred a name, one in five hundred a secret, one in four a word
that looks like one (`max_tokens=`). The file is read as `collect` reads logs, in pieces of at most 16 MB,
each redacted as one entry of a bundle; every planted secret and name must be gone. All runs are in turns.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from npudoctor.collect.redact.engine import engine  # noqa: E402 (the checkout must be on the path first)
from npudoctor.collect.redact.redactor import Run  # noqa: E402
from npudoctor.collect.snapshot import Entry, snapshot_of  # noqa: E402

PIECE = 16 << 20
BLOCK = 64 << 20
"""Bytes that are made; a larger log repeats them."""
PLANTED = (b"pl01secret", b"pl02secret", b"pl03secret", b"10.66.7.", b"rack7-node12", b"carolcurie")
HOST = {
    "/etc/hosts": "10.66.7.1 rack7-node12.example rack7-node12\n",
    "/etc/passwd": "carolcurie:x:1001:1001::/home/carolcurie:/bin/sh\n",
}
TEXTS = (
    "rtStreamSynchronize: report error module_type=3, ErrCode=507014, streamId={n}, taskId={m}",
    "[TaskExecStage][Timeout] opType[AllReduce] tag[hcom_allReduce_{n}], waited {m} ms, algo at::native::{n}",
    "kernel_name=MatMulV2_{n}_high_performance, args size={m}, error code is 0x{n:x}, tiling key {m}",
    "Avg prompt throughput: {n}.5 tokens/s, Running: {m} reqs, GPU KV cache usage: 12.5%, max_tokens=4096",
)


def main() -> None:
    """Measure and print."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "plog.log"
        _make(log, options.megabytes << 20)
        size = log.stat().st_size / 1e6
        print(f"{size:.0f} MB, median of {options.runs}, patterns in {engine().__name__}:")
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in _measured(log)}
        for _round in range(options.runs):
            for name, run in _measured(log).items():
                runs[name].append(_timed(run))
        for name, times in runs.items():
            wall, processor = (statistics.median(column) for column in zip(*times, strict=True))
            rate = size / max(processor, 0.01)
            print(f"  {name:<20} {wall:6.2f} s, processor {processor:6.2f} s: {rate:6.0f} MB/s of it")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


def _measured(log: Path) -> dict[str, Callable[[], object]]:
    return {
        "npudoctor redact": lambda: _redact(log),
        "cat": lambda: _tool("cat", log),
        "grep -F -c token": lambda: _tool("grep", "-F", "-c", "token", log),
        "sed s/10.66.7/x/g": lambda: _tool("sed", "s/10\\.66\\.7\\.[0-9]*/x/g", log),
        "gzip -1": lambda: _tool("gzip", "-1", "-c", log),
    }


def _timed(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall, and of the processor with those of children."""
    before, begin = os.times(), time.monotonic()
    run()
    wall, after = time.monotonic() - begin, os.times()
    return wall, sum(after[:4]) - sum(before[:4])


def _tool(*command: object) -> None:
    into = (
        subprocess.PIPE if command[0] == "grep" else subprocess.DEVNULL
    )  # into nothing, grep looks no further
    subprocess.run([str(word) for word in command], stdout=into, check=True)


def _redact(log: Path) -> None:
    redactor = Run().host(snapshot_of(HOST, name="rack7-node12"))
    with log.open("rb") as file, Path("/dev/null").open("wb") as out:
        for number, piece in enumerate(_pieces(file)):
            entry = redactor.entry(Entry(f"logs/plog-{number}.log", f"plog-{number}.log", piece))
            left = [word for word in PLANTED if word in entry.stdout]
            if left:
                raise SystemExit(f"left in piece {number}: {left}")
            out.write(entry.stdout)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while data := file.read(PIECE):
        whole, newline, after = (rest + data).rpartition(b"\n")
        rest = after
        yield whole + newline
    if rest:
        yield rest


def _make(log: Path, size: int) -> None:
    lines = _lines(random.Random(1))  # noqa: S311 - the same log every time
    block = bytearray()
    while len(block) < min(size, BLOCK):
        block += next(lines).encode()
    with log.open("wb") as file:
        while (left := size - file.tell()) > 0:
            file.write(block[: block.rfind(b"\n", 0, left) + 1] if left < len(block) else block)
            if left < len(block):
                return


def _lines(dice: random.Random) -> Iterator[str]:
    while True:
        n, m = dice.randrange(1, 99999), dice.randrange(1, 999)
        stamp = f"2026-11-29-10:{m % 60:02}:{n % 60:02}.{m:03}.{n % 1000:03}"
        level = dice.choice(("ERROR", "INFO", "EVENT"))
        text = dice.choice(TEXTS).format(n=n, m=m)
        module = dice.choice(("RUNTIME", "HCCL", "GE", "FE"))
        yield f"[{level}] {module}({n},python3):{stamp} [stream.cc:{m}]{n} {text}{_more(dice, n)}\n"


def _more(dice: random.Random, number: int) -> str:
    chance = dice.random()
    if chance < 0.002:
        forms = ("HF_TOKEN=pl01secret{n}", "http://me:pl02secret{n}@repo/", "--api-key pl03secret{n}")
        return " " + dice.choice(forms).format(n=number)
    if chance < 0.007:
        return dice.choice((" on rack7-node12", " in /home/carolcurie/models"))
    return f" peer 10.66.7.{number % 250 + 1}:16666" if chance < 0.017 else ""


if __name__ == "__main__":
    main()
