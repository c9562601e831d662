"""Profiles written by hand, in the layouts of several versions."""

import json
import sqlite3
from pathlib import Path

import pytest

START = 1_790_000_000_000_000  # us
OPERATORS = (
    # name, type, core, start after START (us), duration (us)
    ("MatMulV2_1", "MatMulV2", "AI_CORE", 0.125, 300.0),
    ("RmsNorm_2", "RmsNorm", "AI_VECTOR_CORE", 310.125, 40.0),
    ("FlashAttentionScore_3", "FlashAttentionScore", "MIX_AIC", 360.125, 100.0),
    ("ViewCopy_4", "ViewCopy", "AI_VECTOR_CORE", 470.125, 20.0),
    ("Unique_5", "Unique", "AI_CPU", 500.125, 30.0),
)
HEADERS = {
    "5": "Model Name,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,Task Type,Task Start Time,"
    "Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes",
    "7": "Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes",
    "8": "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes",
    "9": "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes",
    "torch": "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim",
    "torch 7.1": "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
    "Block Dim",
}
SHORT = {
    "Op Name": 0,
    "Name": 0,
    "OP Type": 1,
    "Type": 1,
    "Task Type": 2,
    "Accelerator Core": 2,
    "Task Start Time": 3,
    "Task Start Time(us)": 3,
    "Start Time(us)": 3,
    "Task Duration(us)": 4,
    "Duration(us)": 4,
}


def moment(us):
    """A time of day as text: a float of this size has steps of a quarter of a microsecond."""
    return f"{START + int(us)}.{round(us % 1 * 1000):03}"


def row(header, operator, device):
    words = []
    for column in header.split(","):
        if column == "Device_id":
            words.append(str(device))
        elif column == "Input Shapes":
            words.append('"""4,8;8,16"""')
        elif column in SHORT:
            value = operator[SHORT[column]]
            words.append(f"{moment(value)}\t" if SHORT[column] == 3 else str(value))
        else:
            words.append("7")
    return ",".join(words)


def table(version, operators=OPERATORS, device=0):
    header = HEADERS[version]
    return "\n".join([header, *(row(header, one, device) for one in operators)]) + "\n"


def tasks(rows, device=0):
    lines = ["Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)"]
    for name, core, start, time in rows:
        lines.append(f"{device},{name},{core},3,9,{time:.3f},{moment(start)}\t,{moment(start + time)}\t")
    return "\n".join(lines) + "\n"


def trace(rows, device=0, collectives=()):
    events = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Ascend Hardware"}},
        {"ph": "M", "name": "process_labels", "pid": 1, "args": {"labels": f"NPU {device}"}},
        {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "Communication"}},
        {"ph": "M", "name": "process_labels", "pid": 2, "args": {"labels": f"NPU {device}"}},
        {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "CANN"}},
        {"ph": "X", "name": "launch", "pid": 3, "tid": 1, "ts": "1.000", "dur": 9, "args": {}},
    ]
    for process, several in ((1, rows), (2, collectives)):
        for name, core, start, time in several:
            ts = moment(start)
            events.append(
                {"ph": "X", "name": name, "pid": process, "ts": ts, "dur": time, "args": {"Task Type": core}}
            )
    return json.dumps(events)


def kernels(operators=OPERATORS):
    return [(name, core, start, time) for name, _type, core, start, time in operators]


def write(folder: Path, files):
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def database(file: Path, operators=OPERATORS, copies=(), collectives=(), device=0, rank=-1):
    """As msprof and torch_npu write it, with the tables that are read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    words: dict[str, int] = {}

    def word(text):
        return words.setdefault(text, len(words) + 1)

    base = sqlite3.connect(file)
    base.executescript(
        "create table STRING_IDS (id integer, value text);"
        "create table TASK (startNs, endNs, deviceId, connectionId, globalTaskId, taskType, streamId);"
        "create table COMPUTE_TASK_INFO (name, globalTaskId, taskType, opType);"
        "create table COMMUNICATION_OP (opName, startNs, endNs, connectionId, opType, deviceId);"
        "create table MEMCPY_INFO (globalTaskId, size, memcpyOperation);"
        "create table ENUM_MEMCPY_OPERATION (id, name);"
        "create table RANK_DEVICE_MAP (rankId, deviceId);"
        "insert into ENUM_MEMCPY_OPERATION values (1, 'host to device'), (2, 'device to host');"
    )

    def ns(us):
        return START * 1000 + round(us * 1000)

    at = 0
    for name, type, core, start, time in operators:
        base.execute(
            "insert into TASK values (?,?,?,0,?,?,2)", (ns(start), ns(start + time), device, at, word(core))
        )
        base.execute(
            "insert into COMPUTE_TASK_INFO values (?,?,?,?)", (word(name), at, word(core), word(type))
        )
        at += 1
    for way, start, time in copies:
        base.execute(
            "insert into TASK values (?,?,?,0,?,?,3)",
            (ns(start), ns(start + time), device, at, word("SDMA_SQE")),
        )
        base.execute("insert into MEMCPY_INFO values (?,4096,?)", (at, way))
        at += 1
    for name, start, time in collectives:
        base.execute(
            "insert into COMMUNICATION_OP values (?,?,?,0,?,?)",
            (word(name), ns(start), ns(start + time), word(name.split("__")[0]), device),
        )
    base.execute("insert into RANK_DEVICE_MAP values (?,?)", (rank, device))
    base.executemany(
        "insert into STRING_IDS values (?,?)", [(number, text) for text, number in words.items()]
    )
    base.commit()
    base.close()


@pytest.fixture
def profiles():
    """This module: the writers of profiles."""
    import sys

    return sys.modules[__name__]
