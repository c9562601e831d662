"""Every layout gives the same figures for the same work."""

import json
import sqlite3

import pytest

from npudoctor.accept.profile.profile import profile_of
from npudoctor.accept.profile.read import read
from npudoctor.errors import UsageError


def judged(path):
    return profile_of(read(path))


def holds_the_work(profile, profiles):
    figures = profile.lead.figures
    assert figures.span_us == pytest.approx(530)
    assert figures.op_time_us == pytest.approx(490.0)
    assert [(one.name, one.time_us) for one in figures.operators[:2]] == [
        ("MatMulV2", 300.0),
        ("FlashAttentionScore", 100.0),
    ]
    assert figures.cube_share == pytest.approx(400 / 530)
    assert figures.vector_share == pytest.approx(40 / 530)
    assert figures.copy_share == pytest.approx(20 / 530)
    assert figures.aicpu_share == pytest.approx(30 / 530)
    assert figures.free_share == pytest.approx(40 / 530)
    assert profile.lead.word == "compute-matmul"
    assert profile.problems == ()


LAYOUTS = {
    "5": "JOBAAAA/summary/op_summary_0_1.csv",
    "7": "PROF_000001_20240101000000000_AAAA/device_0/summary/op_summary_0_1_20240101000000.csv",
    "8": "PROF_000001_20250101000000000_AAAA/mindstudio_profiler_output/op_summary_20250101000000.csv",
    "9": "PROF_000001_20260101000000000_AAAA/mindstudio_profiler_output/op_summary_20260101000000.csv",
    "torch": "node_1_20240101000000_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
    "torch 7.1": "node_1_20250901000000_ascend_ms/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
}


@pytest.mark.parametrize("version", LAYOUTS)
def test_a_table_of_any_version_gives_the_same_figures(version, tmp_path, profiles):
    profiles.write(tmp_path, {LAYOUTS[version]: profiles.table(version)})
    holds_the_work(judged(tmp_path), profiles)
    holds_the_work(judged(tmp_path / LAYOUTS[version]), profiles)


def test_a_trace_alone_gives_the_same_figures(tmp_path, profiles):
    profiles.write(tmp_path, {"x/msprof_20260101000000.json": profiles.trace(profiles.kernels())})
    holds_the_work(judged(tmp_path), profiles)


def test_tracks_of_a_trace_may_be_named_at_its_end_and_in_an_object(tmp_path, profiles):
    events = json.loads(profiles.trace(profiles.kernels()))
    text = json.dumps({"schemaVersion": 1, "traceEvents": events[6:] + events[:6]}, indent=1)
    profiles.write(tmp_path, {"trace_view.json": text})
    holds_the_work(judged(tmp_path), profiles)


def test_a_task_table_alone_gives_the_same_figures(tmp_path, profiles):
    profiles.write(tmp_path, {"task_time_20260101000000.csv": profiles.tasks(profiles.kernels())})
    holds_the_work(judged(tmp_path), profiles)


@pytest.mark.parametrize("name", ["msprof_20260101000000.db", "ascend_pytorch_profiler_0.db"])
def test_a_database_gives_the_same_figures(name, tmp_path, profiles):
    profiles.database(tmp_path / name)
    holds_the_work(judged(tmp_path), profiles)


def test_a_light_database_is_judged_by_names_and_by_what_tasks_run_on(tmp_path, profiles):
    """With task_time=l0 the profiler writes N/A for the type, and for what an operator runs on."""
    file = tmp_path / "msprof_20260101000000.db"
    profiles.database(file)
    with sqlite3.connect(file) as base:
        base.execute("insert into STRING_IDS values (0, 'N/A')")
        base.execute("update COMPUTE_TASK_INFO set opType = 0, taskType = 0")
    base.close()
    holds_the_work(judged(tmp_path), profiles)


def test_a_database_without_a_table_of_operators_is_judged_by_its_tasks(tmp_path, profiles):
    file = tmp_path / "msprof_20260101000000.db"
    profiles.database(file)
    with sqlite3.connect(file) as base:
        base.execute("drop table COMPUTE_TASK_INFO")
    base.close()
    profile = judged(tmp_path)
    assert profile.lead.figures.op_time_us == pytest.approx(490)
    assert profile.lead.figures.free_share == pytest.approx(40 / 530)
    assert profile.problems == ()


def test_collectives_of_two_devices_are_told_apart_by_their_tasks(tmp_path, profiles):
    """Early tables of collectives have no column for the device."""
    file = tmp_path / "msprof_20250101000000.db"
    profiles.database(file)
    with sqlite3.connect(file) as base:
        base.executescript(
            "insert into TASK select startNs, endNs, 1, connectionId, globalTaskId + 100, taskType, streamId"
            " from TASK;"
            "insert into COMPUTE_TASK_INFO select name, globalTaskId + 100, taskType, opType"
            " from COMPUTE_TASK_INFO;"
            "insert into STRING_IDS values (900, 'hcom_allReduce_'), (901, 'NOTIFY_WAIT_SQE');"
            "drop table COMMUNICATION_OP;"
            "create table COMMUNICATION_OP (opName, startNs, endNs, opId, opType);"
            "create table COMMUNICATION_TASK_INFO (globalTaskId, opId);"
            "insert into COMMUNICATION_OP select 900, max(endNs), max(endNs) + 2000000, 7, 900 from TASK;"
            "insert into TASK select max(endNs), max(endNs) + 2000000, 1, 0, 300, 901, 5 from TASK;"
            "insert into COMMUNICATION_TASK_INFO values (300, 7);"
        )
    base.close()
    devices = judged(tmp_path).devices
    assert [device.device for device in devices] == [0, 1]
    assert [device.figures.communication_share for device in devices] == [0, pytest.approx(2000 / 2530)]


def test_text_and_database_of_one_run_are_not_counted_twice(tmp_path, profiles):
    profiles.write(
        tmp_path, {"a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv": profiles.table("torch")}
    )
    profiles.database(tmp_path / "a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db")
    profiles.database(tmp_path / "a_ascend_pt/PROF_000001_20260101000000000_AA/msprof_20260101000000.db")
    profile = judged(tmp_path)
    assert len(profile.devices) == 1
    holds_the_work(profile, profiles)


def test_of_two_exports_the_newer_counts_with_all_its_slices(tmp_path, profiles):
    folder = "PROF_000001_20250101000000000_AAAA/mindstudio_profiler_output/"
    profiles.write(
        tmp_path,
        {
            f"{folder}op_summary_20250101000000.csv": profiles.table("8"),
            f"{folder}op_summary_slice_0_20250202000000.csv": profiles.table("8", profiles.OPERATORS[:2]),
            f"{folder}op_summary_slice_1_20250202000000.csv": profiles.table("8", profiles.OPERATORS[2:]),
        },
    )
    holds_the_work(judged(tmp_path), profiles)


def test_a_spreadsheet_and_files_put_together_change_nothing(tmp_path, profiles):
    text = profiles.table("8", profiles.OPERATORS[:3]) + profiles.table("8", profiles.OPERATORS[3:])
    file = tmp_path / "op_summary_20250101000000.csv"
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    holds_the_work(judged(tmp_path), profiles)


def test_a_light_profile_without_types_is_judged_by_the_names(tmp_path, profiles):
    operators = [
        (name, "N/A", "N/A", start, time) for name, _type, _core, start, time in profiles.OPERATORS[:4]
    ]
    operators.append(collective("hcom_allReduce", 460.125, 5.0))
    profiles.write(tmp_path, {"op_summary_20250101000000.csv": profiles.table("8", operators)})
    figures = judged(tmp_path).lead.figures
    assert figures.cube_share == pytest.approx(400 / 490)
    assert figures.vector_share == pytest.approx(40 / 490)
    assert figures.aicpu_share is None  # nothing tells what runs on the AI CPU
    assert figures.operators[0].name == "MatMulV2"


@pytest.mark.parametrize("core", ["SDMA_SQE", "MEMCPY_ASYNC", "PCIE_DMA_SQE"])
@pytest.mark.parametrize("source", ["tasks", "trace"])
def test_copies_are_found_where_no_operator_table_has_them(core, source, tmp_path, profiles):
    rows = [*profiles.kernels(), (core, core, 600.0, 1000.0)]
    beside = {"tasks": ("task_time_20250101000000.csv", profiles.tasks(rows))}
    beside["trace"] = ("msprof_20250101000000.json", profiles.trace(rows))
    name, text = beside[source]
    profiles.write(tmp_path, {"op_summary_20250101000000.csv": profiles.table("8"), name: text})
    profile = judged(tmp_path)
    figures = profile.lead.figures
    assert profile.lead.word == "copy"
    assert figures.copy_share == pytest.approx(1020 / 1599.875)
    assert figures.op_time_us == pytest.approx(490)
    assert "copies" in profile.flags


def test_copies_of_a_database_have_a_direction(tmp_path, profiles):
    copies = [(1, 600.0, 1000.0), (2, 1600.0, 50.0)]
    profiles.database(tmp_path / "msprof_20260101000000.db", copies=copies)
    profile = judged(tmp_path)
    assert profile.lead.word == "copy"
    assert profile.lead.figures.directions == {"host to device": 1000.0, "device to host": 50.0}


def test_copies_that_only_the_database_has_are_found_beside_a_table(tmp_path, profiles):
    folder = tmp_path / "a_ascend_pt/ASCEND_PROFILER_OUTPUT"
    profiles.write(folder, {"kernel_details.csv": profiles.table("torch")})
    profiles.database(folder / "ascend_pytorch_profiler_3.db", copies=[(1, 600.0, 1000.0)], rank=3)
    profile = judged(tmp_path)
    assert profile.lead.word == "copy"
    assert profile.lead.rank == 3
    assert profile.lead.figures.op_time_us == pytest.approx(490)


def test_the_waits_of_an_analysis_database_count(tmp_path, profiles):
    folder = tmp_path / "a_ascend_pt/ASCEND_PROFILER_OUTPUT"
    profiles.database(
        folder / "ascend_pytorch_profiler_0.db", collectives=[("hcom_allReduce__1_0", 600.0, 2000.0)]
    )
    assert judged(tmp_path).lead.word == "communication"
    with sqlite3.connect(folder / "analysis.db") as base:
        base.execute("create table CommAnalyzerTime (hccl_op_name, elapse_time, transit_time, wait_time)")
        base.execute("insert into CommAnalyzerTime values ('hcom_allReduce__1_0', 2.0, 0.2, 1.8)")
        base.execute("insert into CommAnalyzerTime values ('Total Op Info', 2.0, 2.0, 0)")
    base.close()
    profile = judged(tmp_path)
    assert profile.lead.word == "wait"
    assert profile.lead.wait_ratio == pytest.approx(0.9)


def collective(name, start, time):
    return (f"{name}__1_0@9", f"{name}_", "COMMUNICATION", start, time)


def test_communication_is_exposed_only_where_nothing_else_runs(tmp_path, profiles):
    operators = [*profiles.OPERATORS, collective("hcom_allReduce", 500.125, 2000.0)]
    profiles.write(tmp_path, {"op_summary_20250101000000.csv": profiles.table("8", operators)})
    profile = judged(tmp_path)
    figures = profile.lead.figures
    assert profile.lead.word == "communication"
    assert figures.communication_share == pytest.approx(2000 / 2500)
    assert figures.communication_exposed_share == pytest.approx(1970 / 2500)
    assert figures.op_time_us == pytest.approx(490)


def test_the_kernel_that_drives_a_collective_from_the_ai_cpu_is_no_operator(tmp_path, profiles):
    """Atlas A3: the collective and its kernel are the same work, written down twice."""
    kernel = ("allreduceAicpuKernel_9", "allreduceAicpuKernel", "AI_CPU", 541.0, 1990.0)
    operators = [*profiles.OPERATORS, collective("hcom_allReduce", 540.0, 2000.0), kernel]
    profiles.write(tmp_path, {"op_summary_20260101000000.csv": profiles.table("9", operators)})
    profile = judged(tmp_path)
    assert profile.lead.word == "communication"
    assert profile.lead.figures.op_time_us == pytest.approx(490)
    assert profile.lead.figures.aicpu_share == pytest.approx(30 / 2540, abs=1e-4)
    assert "allreduceAicpuKernel" not in [one.name for one in profile.lead.figures.operators]


def test_collectives_that_only_the_trace_has_are_taken_from_there(tmp_path, profiles):
    collectives = [("hcom_allReduce__1_0", "N/A", 600.0, 2000.0)]
    profiles.write(
        tmp_path,
        {
            "op_summary_0_1_20240101000000.csv": profiles.table("7"),
            "msprof_20240101000000.json": profiles.trace(profiles.kernels(), collectives=collectives),
        },
    )
    assert judged(tmp_path).lead.word == "communication"


def waits_of(wait, moving):
    times = {"Wait Time(ms)": wait, "Transit Time(ms)": moving, "Elapse Time(ms)": wait + moving}
    one = {"Communication Time Info": times}
    return json.dumps(
        {"step1": {"p2p": {}, "collective": {"hcom_allReduce__1@9": one, "Total Op Info": one}}}
    )


def test_communication_that_is_mostly_waiting_is_called_wait(tmp_path, profiles):
    operators = [*profiles.OPERATORS, collective("hcom_allReduce", 600.0, 2000.0)]
    folder = "a_ascend_pt/ASCEND_PROFILER_OUTPUT/"
    files = {f"{folder}kernel_details.csv": profiles.table("torch", operators)}
    profiles.write(tmp_path, {**files, f"{folder}communication.json": waits_of(0.4, 1.6)})
    assert judged(tmp_path).lead.word == "communication"
    profiles.write(tmp_path, {f"{folder}communication.json": waits_of(1.6, 0.4)})
    profile = judged(tmp_path)
    assert profile.lead.word == "wait"
    assert profile.lead.wait_ratio == pytest.approx(0.8)


def test_waits_that_msprof_itself_wrote_are_read_too(tmp_path, profiles):
    """It has neither steps nor kinds: operations by their names, and a total of its own."""
    times = {"Wait Time(ms)": 1.6, "Transit Time(ms)": 0.4, "Elapse Time(ms)": 2.0}
    one, total = ({"Communication Time Info": {**times, "Wait Time(ms)": wait}} for wait in (1.6, 99.0))
    operators = [*profiles.OPERATORS, collective("hcom_allReduce", 600.0, 2000.0)]
    folder = "PROF_000001_20260101000000000_AA/"
    files = {
        f"{folder}mindstudio_profiler_output/op_summary_20260101000000.csv": profiles.table("9", operators),
        f"{folder}analyze/communication.json": json.dumps(
            {"hcom_allReduce__1@9": one, "Total HCCL Operators": total}
        ),
    }
    profiles.write(tmp_path, files)
    profile = judged(tmp_path)
    assert profile.problems == ()
    assert (profile.lead.word, profile.lead.wait_ratio) == ("wait", pytest.approx(0.8))


def test_receives_of_a_pipeline_are_waiting(tmp_path, profiles):
    operators = [*profiles.OPERATORS, collective("hcom_receive", 600.0, 2000.0)]
    profiles.write(tmp_path, {"op_summary_20250101000000.csv": profiles.table("8", operators)})
    assert judged(tmp_path).lead.word == "wait"


def test_the_rank_that_the_rest_wait_for_is_named(tmp_path, profiles):
    slow = [(*one[:3], one[3] * 4, one[4] * 4) for one in profiles.OPERATORS]
    for rank, operators, start, time in ((0, profiles.OPERATORS, 540.0, 1600.0), (1, slow, 2130.0, 10.0)):
        folder = f"n_{rank}_20250101000000_ascend_pt/ASCEND_PROFILER_OUTPUT/"
        rows = [*operators, collective("hcom_allReduce", start, time)]
        profiles.write(
            tmp_path,
            {
                f"{folder}kernel_details.csv": profiles.table("torch 7.1", rows, rank),
                f"n_{rank}_20250101000000_ascend_pt/profiler_info_{rank}.json": "{}",
            },
        )
    profile = judged(tmp_path)
    assert [device.name for device in profile.devices] == [0, 1]
    assert (profile.lead.name, profile.lead.word, profile.slow) == (0, "wait", 1)
    assert profile.devices[1].word == "compute-matmul"


def test_a_device_that_takes_no_part_in_a_collective_is_not_waited_for(tmp_path, profiles):
    waits = [*profiles.OPERATORS, collective("hcom_receive", 540.0, 1600.0)]
    tables = [profiles.table("9", rows, device) for device, rows in ((0, profiles.OPERATORS), (1, waits))]
    text = tables[0] + tables[1].partition("\n")[2]
    profiles.write(tmp_path, {"op_summary_20260101000000.csv": text})
    profile = judged(tmp_path)
    assert (profile.lead.name, profile.lead.word, profile.slow) == (1, "wait", None)


def test_without_measured_waits_the_other_ranks_show_them(tmp_path, profiles):
    """A collective takes as long as its transfer on the last rank that comes to it."""
    slow = [(*one[:3], one[3] * 4, one[4] * 4) for one in profiles.OPERATORS]
    several = (
        (0, [*profiles.OPERATORS, collective("hcom_allReduce", 540.125, 1600.0)]),
        (1, [*slow, collective("hcom_allReduce", 2130.0, 10.0)]),
        (2, profiles.OPERATORS),  # takes no part
    )
    tables = [profiles.table("9", rows, device) for device, rows in several]
    text = tables[0] + "".join(table.partition("\n")[2] for table in tables[1:])
    profiles.write(tmp_path, {"op_summary_20260101000000.csv": text})
    profile = judged(tmp_path)
    assert (profile.lead.name, profile.lead.word) == (0, "wait")
    alike = text.replace(",1600.0,", ",10.0,")
    profiles.write(tmp_path, {"op_summary_20260101000000.csv": alike})
    assert judged(tmp_path).lead.word == "compute-matmul"


def test_two_devices_in_one_table_are_two(tmp_path, profiles):
    text = profiles.table("9") + profiles.table("9", device=1).partition("\n")[2]
    profiles.write(tmp_path, {"op_summary_20250101000000.csv": text})
    profile = judged(tmp_path)
    assert [device.device for device in profile.devices] == [0, 1]
    assert profile.slow is None
    holds_the_work(profile, profiles)


def test_gaps_between_launches_are_the_host_s(tmp_path, profiles):
    apart = [(*one[:3], 100 * one[3], one[4]) for one in profiles.OPERATORS]
    profiles.write(tmp_path, {"op_summary_20250101000000.csv": profiles.table("8", apart)})
    profile = judged(tmp_path)
    assert profile.lead.word == "host-bound"
    assert profile.flags.count("stream-waits") == 1
    assert profile.lead.figures.long_waits == 2


STATISTIC = """OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)
MatMul,AI Core,26000,3450000,1,132.7,1,52.3
Softmax,AI Core,26000,780000,1,30,1,11.8
LayerNorm,AI Core,52000,650000,1,12.5,1,9.9
MHA,AI Core,26000,520000,1,20,1,7.9
RMSNorm,AI Core,26000,420000,1,16.2,1,6.4
"""


def test_sums_alone_leave_unknown_what_needs_times_of_day(tmp_path, profiles):
    """The table of founding report B: the first five operators of a profile, with their shares."""
    profiles.write(tmp_path, {"op_statistic_0_1.csv": STATISTIC})
    profile = judged(tmp_path)
    figures = profile.lead.figures
    assert [round(100 * one.share, 1) for one in figures.operators] == [52.3, 11.8, 9.9, 7.9, 6.4]
    assert figures.operators[0].count == 26000
    assert (figures.span_us, figures.free_share, figures.communication_share) == (None, None, None)
    assert profile.lead.word == "compute-matmul"
    assert profile.next_step == "fuse"
    assert "many-small" in profile.flags


def test_the_lines_of_an_early_export_are_read(tmp_path):
    """The example of founding report A."""
    (tmp_path / "prof.txt").write_text(
        "profiling result\n"
        "OP_NAME: FusedAttention, EXEC_TIME: 2.87ms, COUNT: 1, PERCENT: 42.1%\n"
        "OP_NAME: MatMulV2, EXEC_TIME: 1.23ms, COUNT: 4, PERCENT: 18.2%\n"
        "OP_NAME: TopK, EXEC_TIME: 0.45ms, COUNT: 1, PERCENT: 6.7%\n"
        "HOST_TO_DEVICE: 0.18ms, DEVICE_TO_HOST: 0.21ms\n"
    )
    profile = judged(tmp_path)
    figures = profile.lead.figures
    assert [(one.name, one.count, round(one.share, 3)) for one in figures.operators] == [
        ("FusedAttention", 1, 0.421),
        ("MatMulV2", 4, 0.182),
        ("TopK", 1, 0.067),
    ]
    assert figures.directions == {"host to device": 180.0, "device to host": 210.0}
    assert figures.copy_share == pytest.approx(390 / (4550 / 0.67))
    assert "copies" in profile.flags
    assert profile.lead.word == "compute-matmul"


def test_what_was_not_exported_says_so(tmp_path):
    (tmp_path / "PROF_000001_20260101000000000_AA/device_0/data").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"not exported yet; msprof --export=on"):
        read(tmp_path)


def test_a_run_of_torch_that_was_not_analysed_says_how(tmp_path):
    (tmp_path / "n_1_20260101000000_ascend_pt/PROF_000001_20260101000000000_AA/device_0/data").mkdir(
        parents=True
    )
    with pytest.raises(UsageError, match=r"torch_npu.profiler.profiler import analyse"):
        read(tmp_path)


def test_what_msprof_op_wrote_of_one_operator_is_no_profile_of_a_run(tmp_path, profiles):
    head = "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,"
    file = profiles.write(tmp_path, {"OpBasicInfo.csv": f"{head}\nadd,vector,5.7,8,0,0,9,1800,1800,\n"})
    with pytest.raises(UsageError, match="of msprof op, which looks into one operator"):
        read(file / "OpBasicInfo.csv")


def test_files_with_other_names_are_known_by_what_they_hold(tmp_path, profiles):
    profiles.write(
        tmp_path, {"x/before.csv": profiles.table("8"), "x/package.json": '{"a": [1]}', "x/notes": "-"}
    )
    holds_the_work(judged(tmp_path), profiles)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("op_summary_20250101000000.csv", ""),
        ("op_summary_20250101000000.csv", "Device_id,Op Name\n0,x\n"),
        ("msprof_20250101000000.db", "no database"),
        ("msprof_20250101000000.json", "[{"),
        ("msprof_20250101000000.json", "nothing"),
        ("notes.txt", "hello"),
    ],
)
def test_what_is_no_profile_is_refused_in_one_line(name, text, tmp_path, profiles):
    profiles.write(tmp_path, {name: text})
    with pytest.raises(
        UsageError, match=name.partition("_")[0] if "notes" not in name else "no output"
    ) as said:
        read(tmp_path)
    assert "\n" not in str(said.value)


def test_a_table_that_is_cut_off_gives_what_it_has_and_says_so(tmp_path, profiles):
    text = profiles.table("8")
    profiles.write(tmp_path, {"op_summary_20250101000000.csv": text[: text.rindex(',"""')]})
    reading = read(tmp_path)
    assert len(reading.problems) == 1
    assert "cut off" in reading.problems[0]
    assert profile_of(reading).lead.figures.operators[0].name == "MatMulV2"


@pytest.mark.parametrize("number", ["9" * 40, "-1e400", "1e999999999", "nan", "0x10"])
def test_a_number_that_is_none_is_damage_and_no_crash(number, tmp_path, profiles):
    text = profiles.table("8").replace(",20.0,", f",{number},")
    profiles.write(tmp_path, {"op_summary_20250101000000.csv": text})
    assert read(tmp_path).problems == () or "damaged" in read(tmp_path).problems[0]
    assert profile_of(read(tmp_path)).lead.word == "compute-matmul"
