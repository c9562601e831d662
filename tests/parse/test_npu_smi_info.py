"""A damaged table is never read as more than it is."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from npudoctor.parse.npu_smi_info import NpuTable, TableChip, parse_npu_smi_info
from npudoctor.text import clean

CASES = Path(__file__).parent / "cases" / "npu-smi-info"
WHOLE = (
    "910b-with-processes",
    "a3-two-dies",
    "310p-duo",
    "950-without-chip-column",
    "26-with-container-pids",
)
TABLES = [(CASES / f"{name}.txt").read_text(encoding="utf-8") for name in WHOLE]


def is_part_of(chip: TableChip, whole: NpuTable) -> bool:
    """Whether every value of the chip is that of one and the same chip of the undamaged table."""
    values = {name: value for name, value in asdict(chip).items() if value is not None}
    return any(values.items() <= asdict(other).items() for other in whole.chips)


@st.composite
def tables_cut_at_one_end(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(st.sampled_from(TABLES))
    return text, text[: draw(st.integers(0, len(text)))]


@st.composite
def tables_with_dropped_lines(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(st.sampled_from(TABLES))
    lines = text.splitlines()
    gone = draw(st.integers(0, len(lines) - 1))
    return text, "\n".join(lines[:gone] + lines[gone + 1 :])


@st.composite
def tables_cut_on_the_right(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(st.sampled_from(TABLES))
    width = draw(st.integers(1, 120))
    return text, "\n".join(line[:width] for line in text.splitlines())


@st.composite
def tables_with_changed_characters(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(TABLES))
    for _ in range(draw(st.integers(1, 12))):
        place = draw(st.integers(0, len(text) - 1))
        text = text[:place] + draw(st.text(max_size=3)) + text[place + 1 :]
    return clean(text)


@settings(max_examples=150, deadline=None)
@given(st.one_of(tables_cut_at_one_end(), tables_with_dropped_lines(), tables_cut_on_the_right()))
def test_a_cut_table_gives_only_what_it_holds(pair: tuple[str, str]):
    whole, damaged = pair

    read = parse_npu_smi_info(damaged)

    assert all(is_part_of(chip, parse_npu_smi_info(whole)) for chip in read.chips)


@settings(max_examples=100, deadline=None)
@given(tables_cut_at_one_end())
def test_a_table_that_is_cut_inside_a_row_is_incomplete(pair: tuple[str, str]):
    _whole, damaged = pair
    last = damaged.splitlines()[-1] if damaged.splitlines() else ""

    read = parse_npu_smi_info(damaged)

    if not last.rstrip().endswith(("|", "+")):
        assert not read.complete


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=400), tables_with_changed_characters()))
def test_any_text_is_answered_without_an_exception(text: str):
    read = parse_npu_smi_info(text)

    assert read.complete or read.errors


def test_a_row_that_lost_its_closing_bar_gives_up_its_last_value():
    lines = TABLES[0].splitlines()
    lines[10] = lines[10][: lines[10].index("65536") + 2]
    table = "\n".join(lines)

    second = parse_npu_smi_info(table).chips[1]

    assert (second.hbm_used_mb, second.hbm_total_mb, second.bus_id) == (None, None, "0000:C2:00.0")


def test_rows_of_two_chips_around_a_border_are_not_taken_for_one_chip():
    lines = TABLES[0].splitlines()
    upper, border, lower = lines[6], lines[8], lines[10]
    table = "\n".join([*lines[:6], upper, border, lower, border])

    read = parse_npu_smi_info(table)

    assert [chip.bus_id for chip in read.chips] == [None]
    assert not read.complete


def test_the_same_row_twice_is_one_chip_and_an_error():
    lines = TABLES[0].splitlines()
    table = "\n".join([*lines[:9], *lines[6:9]])

    read = parse_npu_smi_info(table)

    assert len(read.chips) == 1
    assert not read.complete


def test_the_keys_are_those_of_the_contract():
    assert [field.name for field in fields(NpuTable)] == [
        "npu_smi_version", "driver_version", "chips", "processes", "complete", "errors",
    ]  # fmt: skip


def test_a_very_long_number_is_no_id():
    read = parse_npu_smi_info("| " + "9" * 6000 + " 910B3 | OK | 1.0 2 0 / 0 |")

    assert read.chips == ()


def test_borders_of_a_markdown_table_and_blank_rows_are_passed_over():
    lines = ["| --- | --- | --- |" if line.startswith("+") else line for line in TABLES[0].splitlines()[:12]]
    table = "\n".join([*lines[:9], "|     |     |     |", *lines[9:]])

    assert parse_npu_smi_info(table).chips == parse_npu_smi_info(TABLES[0]).chips


def test_noise_between_the_rows_is_no_part_of_the_table():
    lines = TABLES[0].splitlines()
    noisy = "\n".join([*lines[:7], "DrvMngGetConsoleLogLevel failed. (ret=4)", *lines[7:]])

    assert parse_npu_smi_info(noisy) == parse_npu_smi_info(TABLES[0])
