#!/usr/bin/env python3
"""How long `npudoctor accept profile` takes, and side by side with msprof-analyze whether it is right.

    python benchmarks/profile.py [--rows 1000000]
    python benchmarks/profile.py --profiles FOLDER [--runs 3] [--peer PATH]

The first reads large profiles: a made-up op_summary of CANN 8 with 46 columns, and a database of CANN 9.
The second reads each folder in FOLDER with both tools in turn, so that a busy machine slows both alike, and
prints the median of the seconds. Where a `want.json` lies in it (`bottleneck`, `span_us`, `cube_share`, …, of
each rank under `per_rank`; numbers within its `tolerance`), it says what is not so. `--peer` is a
msprof-analyze that is installed already; without it version 26.2.0 is put into an environment of its own
(340 MB) that is removed afterwards, and left out where it cannot be had.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PEER = "msprof-analyze==26.2.0"
HEAD = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID"
)
TAIL = ',20,0,NO,"""8,1024;1024,4096""",FLOAT16;FLOAT16,ND;ND,"""8,4096""",FLOAT16,ND,N/A' + ",12.500" * 25
TYPES = ("MatMulV2", "RmsNorm", "SwiGlu", "FlashAttentionScore", "Add", "Cast")
CORES = ("AI_CORE", "AI_VECTOR_CORE", "AI_VECTOR_CORE", "MIX_AIC", "AI_VECTOR_CORE", "AI_VECTOR_CORE")
START_US = 1_790_000_000_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--profiles", type=Path, help="a folder of profiles")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peer", type=Path, help="a msprof-analyze that is installed already")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.profiles:
            peer = options.peer or _install(Path(folder))
            _side_by_side(options.profiles, peer, options.runs, Path(folder, "peer.out"))
        else:
            _large(Path(folder), options.rows)


def _install(folder: Path) -> Path | None:
    subprocess.run([sys.executable, "-m", "venv", folder / "peer"], check=True)
    pip = [str(folder / "peer/bin/pip"), "install", "--quiet", "--disable-pip-version-check", PEER]
    if subprocess.run(pip, check=False).returncode:
        print(f"{PEER} cannot be had here: without it")
        return None
    return folder / "peer/bin/msprof-analyze"


def _side_by_side(profiles: Path, peer: Path | None, runs: int, out: Path) -> None:
    """A line for each profile: the seconds of both, how many findings the peer has, and what is not right."""
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print(
        f"{'profile':<40}{'npudoctor':>10}{'peer':>8}{'ratio':>7}{'finds':>6}  bottleneck, and what is wrong"
    )
    ratios, wrong = [], 0
    for folder in sorted(path for path in profiles.iterdir() if path.is_dir()):
        ours, theirs = [], []
        for _run in range(runs):
            seconds, document = _ours(folder)
            ours.append(seconds)
            theirs.append(_theirs(folder, peer, out) if peer else (0.0, 0))
        taken, peers = statistics.median(ours), statistics.median(seconds for seconds, _finds in theirs)
        differences = _differences(folder / "want.json", document)
        ratios.append(peers / taken)
        wrong += bool(differences)
        said = ", ".join([document["bottleneck"], *differences])
        print(f"{folder.name:<40}{taken:>8.2f} s{peers:>6.2f} s{ratios[-1]:>7.1f}{theirs[0][1]:>6}  {said}")
    print(f"\n{wrong} of {len(ratios)} not right")
    print(f"the peer's time by ours: least {min(ratios):.1f}, median {statistics.median(ratios):.1f}")


def _ours(folder: Path) -> tuple[float, dict[str, Any]]:
    command = (sys.executable, "-m", "npudoctor", "accept", "profile", str(folder), "--format", "json")
    start = time.perf_counter()
    ended = subprocess.run(command, check=False, stdout=subprocess.PIPE)
    return time.perf_counter() - start, json.loads(ended.stdout)


def _theirs(folder: Path, peer: Path, out: Path) -> tuple[float, int]:
    """Seconds, and the rows of the table of its findings. It writes into the folder it runs in, too."""
    out.mkdir(exist_ok=True)
    command = (
        str(peer.absolute()),
        "advisor",
        "all",
        "-d",
        str(folder.resolve()),
        "-o",
        str(out),
        "-l",
        "en",
    )
    start = time.perf_counter()
    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=out)
    taken = time.perf_counter() - start
    cells = [line.split("|")[1].strip() for line in ended.stdout.splitlines() if line.startswith("| ")]
    return taken, sum(cell.isdigit() for cell in cells)


def _differences(file: Path, document: dict[str, Any]) -> list[str]:
    """What is other than the file says, by the keys that both have; numbers may differ by its tolerance."""
    if not file.exists():
        return []
    want = json.loads(file.read_text())
    tolerance = want.pop("tolerance", 0.01)
    pairs = list(_pairs(want, document))
    ranks = {str(rank["name"]): rank for rank in document.get("ranks", [])}
    for name, of_rank in {**want.get("per_rank", {}), **want.get("per_device", {})}.items():
        pairs += [(f"{name}: {key}", *both) for key, *both in _pairs(of_rank, ranks[name])]
    return [f"{key} {got}, not {right}" for key, right, got in pairs if not _alike(right, got, tolerance)]


def _pairs(want: dict[str, Any], document: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What must be alike: name, as it should be, as it is."""
    yield from ((key, want[key], document[key]) for key in want.keys() & document.keys())
    for one, other in zip(want.get("top5", []), document["operators"], strict=False):
        yield from ((one["name"], one[key], other[key]) for key in ("name", "share"))


def _alike(right: Any, got: Any, tolerance: float) -> bool:
    if not isinstance(right, float) or not isinstance(got, float | int):
        return bool(right == got)
    return abs(right - got) <= tolerance * max(1.0, abs(right))


def _large(folder: Path, rows: int) -> None:
    """Write both, read both with the command, print seconds and the largest memory of all."""
    table, database = folder / "op_summary_20260101000000.csv", folder / "msprof_20260101000000.db"
    write_table(table, rows)
    write_database(database, rows)
    for file in (table, database):
        start, busy = time.perf_counter(), cpu()
        command = (sys.executable, "-m", "npudoctor", "accept", "profile", str(file), "--format", "json")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print(
            f"{file.suffix[1:]:>4} {rows:>9,} rows {file.stat().st_size / 1e6:7.0f} MB"
            f" {time.perf_counter() - start:6.2f} s, of the CPU {cpu() - busy:.2f} s"
        )
    print(f"peak {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


def cpu() -> float:
    """Seconds of the CPU that the commands took so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_table(file: Path, rows: int) -> None:
    """An operator table sorted by start, one device."""
    with file.open("w", encoding="utf-8") as stream:
        stream.write(HEAD + "".join(f",metric{number}" for number in range(25)) + "\n")
        for number in range(rows):
            kind = number % len(TYPES)
            stream.write(
                f"0,4294967295,{number % 65536},2,{TYPES[kind]}_{number},{TYPES[kind]},static,{CORES[kind]},"
                f"{START_US + 20 * number}.{number % 1000:03}\t,17.250,1.100{TAIL}\n"
            )


def write_database(file: Path, rows: int) -> None:
    """The same tasks as a database."""
    names = dict(enumerate((*TYPES, *CORES)))
    database = sqlite3.connect(file)
    database.execute("create table STRING_IDS (id integer primary key, value text)")
    database.execute(
        "create table TASK (startNs integer, endNs integer, deviceId integer, connectionId integer,"
        " globalTaskId integer, taskType integer, streamId integer)"
    )
    database.execute(
        "create table COMPUTE_TASK_INFO (name integer, globalTaskId integer, taskType integer,"
        " opType integer)"
    )
    database.executemany("insert into STRING_IDS values (?, ?)", names.items())
    database.executemany(
        "insert into TASK values (?, ?, 0, ?, ?, ?, 2)",
        (
            (START_US * 1000 + 20_000 * at, START_US * 1000 + 20_000 * at + 17_250, at, at, at % 6 + 6)
            for at in range(rows)
        ),
    )
    database.executemany(
        "insert into COMPUTE_TASK_INFO values (?, ?, ?, ?)",
        ((at % 6, at, at % 6 + 6, at % 6) for at in range(rows)),
    )
    database.commit()
    database.close()


if __name__ == "__main__":
    main()
