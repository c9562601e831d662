"""`npudoctor render` from end to end."""

import json

import pytest


@pytest.fixture
def report(npudoctor, tmp_path):
    npudoctor("check", "--sample", "founding-story", "--format", "json", "--output", "r.json")
    return tmp_path / "r.json"


def test_the_text_of_an_earlier_report_is_that_of_the_run(npudoctor, report):
    shown = npudoctor("render", report)
    assert shown.stdout == npudoctor("check", "--sample", "founding-story").stdout
    assert shown.returncode == 1


def test_exit_codes_are_those_of_the_check(npudoctor, report):
    assert npudoctor("render", report, "--exit-zero").returncode == 0
    document = json.loads(report.read_text())
    document["hosts"] = [{**document["hosts"][0], "findings": [], "error": "cut off"}]
    report.write_text(json.dumps(document))
    assert npudoctor("render", report).returncode == 3


def test_a_dash_is_standard_input(npudoctor, report):
    done = npudoctor("render", "-", "--format", "json", input=report.read_text())
    assert json.loads(done.stdout) == json.loads(report.read_text())


def test_several_reports_are_one_and_a_host_that_is_in_both_is_named(npudoctor, report, tmp_path):
    npudoctor("check", "--sample", "a2-healthy", "--format", "json", "--output", "other.json")
    done = npudoctor("render", report, "other.json", report, "--format", "json")
    assert json.loads(done.stdout)["summary"]["hosts"] == 2
    assert "is in" in done.stderr


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "No such file"), (b"", "is empty"), (b"\xff\xfe{}", "is no text"), (b"{", "is cut off")],
)
def test_what_cannot_be_read_is_one_line_and_exit_2(npudoctor, tmp_path, content, told):
    if content is not None:
        (tmp_path / "bad.json").write_bytes(content)
    done = npudoctor("render", "bad.json")
    assert done.returncode == 2
    assert done.stderr.startswith("npudoctor: bad.json: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
