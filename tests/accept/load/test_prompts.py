"""The prompts of a load test."""

import pytest

from npudoctor.accept.load.prompts import built_in, read_prompts
from npudoctor.errors import UsageError


def test_the_mix_has_a_tenth_of_short_and_a_third_of_long_prompts():
    words = [len(prompt.split()) * 1.1 for prompt in built_in(1000)]
    assert 0.07 < sum(1 for each in words if each < 128) / 1000 < 0.13
    assert 0.26 < sum(1 for each in words if each > 1024) / 1000 < 0.34


def test_the_mix_is_the_same_each_time_and_no_two_begin_alike():
    prompts = built_in(50)
    assert prompts == built_in(50)
    assert len({prompt[:8] for prompt in prompts}) == 50


@pytest.mark.parametrize(
    "text",
    [
        "one\n\ntwo\n",
        '{"prompt": "one"}\n{"messages": [{"role": "user", "content": "two"}]}\n',
        '["one", {"text": "two"}]',
    ],
)
def test_prompts_are_lines_or_json(tmp_path, text):
    (tmp_path / "p").write_text(text)
    assert read_prompts(tmp_path / "p") == ["one", "two"]


def test_a_mark_of_utf_8_and_one_within_a_prompt_are_no_lines(tmp_path):
    (tmp_path / "p").write_text('\ufeff{"prompt": "one\u2028two"}\n{"prompt": "three"}\n', encoding="utf-8")
    assert read_prompts(tmp_path / "p") == ["one\u2028two", "three"]


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", '{"other": 1}'])
def test_a_file_without_a_prompt_is_refused_by_name(tmp_path, text):
    (tmp_path / "p").write_text(text)
    with pytest.raises(UsageError, match="--prompts"):
        read_prompts(tmp_path / "p")
    with pytest.raises(UsageError, match="--prompts"):
        read_prompts(tmp_path / "gone")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"messages": ["a"]}'])
def test_json_of_another_form_is_refused(tmp_path, text):
    (tmp_path / "prompts").write_text(text)
    with pytest.raises(UsageError, match="--prompts"):
        read_prompts(tmp_path / "prompts")
