"""The answer file."""

from __future__ import annotations

from pathlib import Path

import pytest

from npudoctor.errors import UsageError
from npudoctor.provision.plan.answers import Answer, read_answers


def answers(folder, text):
    file = folder / "answers.yaml"
    file.write_text(text)
    return read_answers(file)


def test_a_key_and_a_word_or_with_hosts_and_a_reason(tmp_path):
    text = 'npu-in-use: proceed\nkernel-headers: {answer: proceed, hosts: ["a*", b], reason: prebuilt}\n'
    assert answers(tmp_path, text).lines == (
        Answer("npu-in-use", "*", ""),
        Answer("kernel-headers", "a*", "prebuilt"),
        Answer("kernel-headers", "b", "prebuilt"),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("npu-in-used: proceed\n", "there is no blocker npu-in-used; one of npu-in-use"),
        ("no-space: proceed\n", "no-space cannot be answered; mend what blocks, and take the line out"),
        ("npu-in-use: yes\n", "answers.yaml:1:13: npu-in-use: True may not stand here"),
        ("npu-in-use: {answer: proceed, host: a}\n", "answers.yaml:1"),
        ("- npu-in-use\n", "answers.yaml:1:1"),
        (
            "npu-in-use: proceed\nnpu-in-use: {answer: proceed, hosts: a}\n",
            "answers.yaml:2:1: the key npu-in-use is there twice; leave one of them out",
        ),
        ("npu-in-use: {hosts: a, answer: proceed, hosts: b}\n", "answers.yaml:1:41: the key hosts is there"),
        ("npu-in-use: &a [*a]\n", "answers.yaml:1:13"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, told):
    with pytest.raises(UsageError) as raised:
        answers(tmp_path, text)
    assert told in str(raised.value)


def test_an_empty_file_answers_nothing(tmp_path):
    with pytest.raises(UsageError):
        answers(tmp_path, "")
    assert answers(tmp_path, "{}\n").lines == ()


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        read_answers(tmp_path / "none.yaml")


def test_a_file_without_an_end_is_refused():
    with pytest.raises(UsageError, match="/dev/zero: more than 32 MiB"):
        read_answers(Path("/dev/zero"))
