"""`npudoctor parse`: one tool's output to JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npudoctor.cli.parse import parse
from npudoctor.errors import UsageError

CASES = Path(__file__).parents[1] / "parse" / "cases"


def test_a_table_is_printed_with_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]):
    parse("npu-smi-info", str(CASES / "npu-smi-info" / "a3-two-dies.txt"))

    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == [
        "npu_smi_version", "driver_version", "chips", "processes", "complete", "errors",
    ]  # fmt: skip
    assert list(printed["chips"][0]) == [
        "npu_id", "chip_id", "phy_id", "device_id", "name", "health", "power_w", "temperature_c",
        "hugepages_used", "hugepages_total", "bus_id", "aicore_percent", "memory_used_mb",
        "memory_total_mb", "hbm_used_mb", "hbm_total_mb",
    ]  # fmt: skip


def test_an_incomplete_table_is_printed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "npu-smi_info"
    file.write_bytes(b"dcmi module initialize failed. ret is -8005\n")

    parse("npu-smi-info", str(file))

    printed = json.loads(capsys.readouterr().out)
    assert printed["complete"] is False
    assert "dcmi module initialize failed. ret is -8005" in printed["errors"]


def test_the_kinds_are_listed_with_the_commands_that_print_them(capsys: pytest.CaptureFixture[str]):
    parse(list_kinds=True)

    assert "npu-smi-board" in capsys.readouterr().out


def test_a_misspelt_kind_is_answered_with_those_that_are_near():
    with pytest.raises(UsageError, match="no parser for npu-smi-infos; did you mean npu-smi-info"):
        parse("npu-smi-infos")


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(UsageError, match="/no/such/file: No such file or directory"):
        parse("npu-smi-info", "/no/such/file")


def test_text_of_another_tool_is_refused_with_the_command_that_was_expected(tmp_path: Path):
    file = tmp_path / "board"
    file.write_text("hello\n")

    with pytest.raises(UsageError, match="npu-smi info -t board"):
        parse("npu-smi-board", str(file))


def test_a_missing_kind_is_wrong_usage():
    with pytest.raises(UsageError, match="--list"):
        parse()


def test_a_file_larger_than_any_output_is_refused_before_it_fills_the_memory(tmp_path: Path):
    file = tmp_path / "huge"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 30)

    with pytest.raises(UsageError, match="larger than 16 MiB"):
        parse("npu-smi-info", str(file))
