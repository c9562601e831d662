"""`npudoctor accept profile`: the contract of its output and its exit codes."""

import json
from pathlib import Path

import pytest

HEAD = "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Block Num,Input Shapes\n"
MATMUL = '0,MatMulV3_1,MatMulV3,AI_CORE,1790000000000000.100\t,{time},20,"""4,8"""\n'
COPY = '0,TensorMove_2,TensorMove,AI_VECTOR_CORE,1790000000001000.100\t,90.000,20,"""4,8"""\n'
UNKNOWN = "communication_share", "communication_exposed_share", "free_share"


def table(folder: Path, name: str, time: str, *more: str) -> str:
    (folder / f"op_summary_{name}.csv").write_text(HEAD + MATMUL.format(time=time) + "".join(more))
    return f"op_summary_{name}.csv"


def test_the_json_is_the_contract(npudoctor, tmp_path):
    ended = npudoctor("accept", "profile", table(tmp_path, "1", "910.000", COPY), "--format", "json")
    document = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert document["schema"] == "npudoctor.profile/1"
    assert document["bottleneck"] == "compute-matmul"
    assert (document["span_us"], document["op_time_us"], document["total_device_time_us"]) == (
        1090,
        1000,
        1090,
    )
    assert {key: document["operators"][0][key] for key in ("name", "time_us", "share")} == {
        "name": "MatMulV3",
        "time_us": 910,
        "share": 0.91,
    }
    assert [document[f"{kind}_share"] for kind in ("cube", "vector", "aicpu", "copy", "free")] == [
        round(910 / 1090, 4),
        0,
        0,
        round(90 / 1090, 4),
        round(90 / 1090, 4),
    ]
    assert (document["communication_share"], document["communication_exposed_share"]) == (0, 0)
    assert document["flags"] == ["copies"]
    assert all(isinstance(line, str) for line in document["advice"])
    assert "ranks" not in document


def test_what_cannot_be_known_is_null(npudoctor, tmp_path):
    (tmp_path / "op_statistic_1.csv").write_text(
        "OP Type,Core Type,Count,Total Time(us),Ratio(%)\nRelu,AI_CORE,1,5.0,100\n"
    )
    document = json.loads(npudoctor("accept", "profile", ".", "--format", "json").stdout)
    assert document["bottleneck"] == "compute-vector"
    assert document["span_us"] is None
    assert [document[name] for name in UNKNOWN] == [None, None, None]


@pytest.mark.parametrize(
    ("before", "after", "options", "code"),
    [
        ("900.000", "500.000", (), 0),
        ("500.000", "900.000", (), 1),
        ("500.000", "900.000", ("--exit-zero",), 0),
        ("900.000", "910.000", (), 0),
    ],
)
def test_a_second_profile_that_is_slower_fails(npudoctor, tmp_path, before, after, options, code):
    files = [table(tmp_path, "1", before), table(tmp_path, "2", after)]
    ended = npudoctor("accept", "profile", *files, "--format", "json", *options)
    assert ended.returncode == code
    change = json.loads(ended.stdout)["change"]
    assert change["total_time_ratio"] == round(float(after) / float(before), 4)
    assert change["operators"][0] == {
        "name": "MatMulV3",
        "before_us": float(before),
        "after_us": float(after),
    }


def test_what_stands_out_fails_where_asked_for(npudoctor, tmp_path):
    file = table(tmp_path, "1", "910.000", COPY)
    assert npudoctor("accept", "profile", file, "--fail-on", "warn").returncode == 1
    assert npudoctor("accept", "profile", file).returncode == 0


def test_a_person_reads_the_word_and_the_next_step_first(npudoctor, tmp_path):
    text = npudoctor("accept", "profile", table(tmp_path, "1", "910.000")).stdout
    assert text.startswith("bottleneck: compute-matmul\n  → Next: fuse")
    assert "MatMulV3" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give one profile"),
        (("a", "b", "c"), "give one profile"),
        (("nowhere",), "no such file"),
        ((".",), "no output of a profiler"),
        ((".", "--fail-on", "taste"), "no such status"),
        ((".", "--format", "html"), "no format html"),
    ],
)
def test_wrong_usage_is_one_line(npudoctor, arguments, said):
    ended = npudoctor("accept", "profile", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_table_that_is_cut_off_is_incomplete(npudoctor, tmp_path):
    ended = npudoctor("accept", "profile", table(tmp_path, "1", "910.000", COPY[:30]))
    assert ended.returncode == 3
    assert "cut off" in ended.stderr
    assert "MatMulV3" in ended.stdout
