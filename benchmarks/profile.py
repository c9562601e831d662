#!/usr/bin/env python3
"""How long a large profile takes: a made-up op_summary of CANN 8 with 46 columns, and a database of CANN 9.

usage: .venv/bin/python benchmarks/profile.py [ROWS]    (1,000,000 where not given)
"""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
    """Write both, read both with the command, print seconds and the largest memory of all."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        table, database = (
            Path(folder, "op_summary_20260101000000.csv"),
            Path(folder, "msprof_20260101000000.db"),
        )
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
