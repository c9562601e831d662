"""`npudoctor matrix`: the contract of its output and its exit codes."""

import json

import pytest

PAIR = ("driver=25.0.rc1.1", "cann=9.1.0", "chip=910B3")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("driver=25.2.0", "cann=9.1.0"), 0),
        (("driver=24.1.rc2.2", "cann=8.2.RC2"), 0),
        (PAIR, 1),
        (("driver=26.9.0", "cann=9.1.0"), 3),
        (("cuda=12.4",), 2),
        (("cann=abc",), 2),
        (("cann",), 2),
        (("cann=8.5.0", "cann=9.0.0"), 2),
    ],
)
def test_the_exit_code_says_the_verdict(npudoctor, given, code):
    ended = npudoctor("matrix", "query", *given)

    assert ended.returncode == code
    assert len(ended.stderr.splitlines()) == (1 if code == 2 else 0)


def test_a_query_as_json_is_the_contract(npudoctor):
    answer = json.loads(npudoctor("matrix", "query", *PAIR, "--format", "json").stdout)

    (pair,) = answer["pairs"]
    assert answer["verdict"] == "unsupported"
    assert pair["right"] == {"component": "cann", "version": "9.1.0"}
    assert pair["fix"] == ["driver>=25.2", "cann 9.0.X"]
    assert pair["grade"] == "vendor"


def test_a_query_as_text_shows_the_note_the_fix_and_the_sources(npudoctor):
    text = npudoctor("matrix", "query", *PAIR).stdout

    assert "unsupported  driver 25.0.rc1.1 + cann 9.1.0 (vendor)" in text
    assert "take: driver>=25.2 or cann 9.0.X" in text
    assert "source: https://www.hiascend.com/" in text


@pytest.mark.parametrize("words", [("show", "stacks"), ("solve", "chip=910B3", "vllm_ascend=0.13.0")])
def test_what_is_listed_fits_100_columns(npudoctor, words):
    lines = npudoctor("matrix", *words).stdout.splitlines()

    assert any("quay.io" in line or "vllm_ascend 0.13.0" in line for line in lines)
    assert max(map(len, lines)) <= 100


def test_show_lists_sections_and_the_rows_that_hold_the_words(npudoctor):
    assert "driver_cann_lists" in npudoctor("matrix", "show").stdout
    assert "firmware 7.8.0.5.216" in npudoctor("matrix", "show", "driver_firmware", "25.5.0").stdout
    assert npudoctor("matrix", "show", "no-such-word").returncode == 2


def test_validate_says_where_a_file_is_wrong(npudoctor, tmp_path):
    (tmp_path / "mine.yaml").write_text('updated: "2026-11-29"\nsources: {}\nnaming:\n- {id: one}\n')

    ended = npudoctor("matrix", "validate", "mine.yaml")

    assert ended.returncode == 2
    assert "mine.yaml:4:3" in ended.stderr
    assert npudoctor("matrix", "validate").returncode == 0


def test_solve_gives_complete_sets_and_says_so_where_there_is_none(npudoctor):
    found = npudoctor("matrix", "solve", "chip=910B3", "vllm_ascend=0.13.0", "--format", "json")

    assert json.loads(found.stdout)["sets"][0]["versions"]["cann"] == "8.5.0"
    assert npudoctor("matrix", "solve", "vllm_ascend=0.99.0").returncode == 1
