"""Where text may be broken on a terminal."""

import pytest

from npudoctor.report.width import clip, columns, wrap


@pytest.mark.parametrize(
    ("text", "wide"), [("driver", 6), ("驱动版本", 8), ("CANN 不匹配", 11), ("é", 1), ("e\u0301", 1), ("", 0)]
)
def test_a_chinese_character_takes_two_columns(text, wide):
    assert columns(text) == wide


def test_no_line_is_wider_than_the_terminal():
    text = "the driver 24.1.rc1 与 CANN 9.1.0 不匹配,请升级驱动到 25.2 或更高版本 before the next start"
    for width in (20, 30, 40, 80):
        lines = wrap(text, width, "first ", "  ")
        assert max(map(columns, lines)) <= width
        assert "".join("".join(lines).split()) == "first" + "".join(text.split())


def test_a_word_wider_than_the_terminal_stays_whole_for_copying():
    path = "/usr/local/Ascend/ascend-toolkit/latest/aarch64-linux/ascend_toolkit_install.info"
    assert any(path in line for line in wrap(f"see {path} there", 20))


def test_a_line_that_fits_is_one_line():
    assert wrap("three short words", 80, "- ", "  ") == ["- three short words"]


def test_no_line_begins_with_a_mark_that_closes_the_one_before():
    lines = wrap("驱动版本不匹配,请升级。", 14)
    assert lines == ["驱动版本不匹", "配,请升级。"]


def test_a_full_width_mark_stays_with_the_word_that_it_closes_or_opens():
    assert wrap("升级 driver，再重启", 11) == ["升级", "driver，再", "重启"]
    assert wrap("驱动的版本（25.2）", 12) == ["驱动的版本", "（25.2）"]


def test_clipped_text_says_that_it_was_clipped():
    assert clip("驱动版本", 5) == "驱动…"
    assert clip("abc", 3) == "abc"
