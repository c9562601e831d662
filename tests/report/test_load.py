"""A JSON report is read back whole, and what is no report is told as such."""

import json
from dataclasses import replace

import pytest

from npudoctor.errors import UsageError
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Edit, Fix, Status
from npudoctor.report.json import to_json
from npudoctor.report.load import read_report
from npudoctor.report.report import HostReport, Report, Waiver
from npudoctor.report.style import Style
from tests.report.findings import failed, finding, report_of, unread

EVERYTHING = Report(
    hosts=(
        HostReport(
            "node1", "bundle", (failed(), unread("os.clock", "/p")), None, {"npu": "8 × 910B3"}, "n.tgz"
        ),
        HostReport("node2", "ssh", error="timed out"),
        HostReport(
            "Dockerfile",
            "files",
            (
                finding(
                    "torch.torch_npu_pairing",
                    Status.WAIVED,
                    action=Action.UPGRADE,
                    evidence=(Evidence("Dockerfile", "RUN pip install torch==2.1.0", 3),),
                    fix=Fix(Action.UPGRADE, "Pin.", edits=(Edit("Dockerfile", 3, "a", "b"),)),
                    waiver="the image is rebuilt on Monday",
                ),
            ),
        ),
    ),
    fleet=(finding("fleet.version_drift", Status.WARN),),
    matrix_updated="2026-11-29",
    matrix_sha256="ab" * 32,
    when="2026-11-29T10:00:00Z",
    waivers=(Waiver("torch", "why", "*", "ops", "2026-12-31", "w.yaml:1", "used"),),
)


def json_of(report):
    return "".join(to_json(report, Style(), ""))


def read(text):
    """The report, its hosts in memory."""
    report = read_report(text, "r.json")
    return replace(report, hosts=tuple(report.hosts))


def test_what_was_written_is_read_back_whole():
    assert read(json_of(EVERYTHING)) == EVERYTHING


def test_keys_of_later_versions_are_passed_over_and_those_of_earlier_ones_may_be_missing():
    document = json.loads(json_of(report_of(failed())))
    del document["when"], document["waivers"], document["hosts"][0]["about"], document["hosts"][0]["path"]
    document["more"] = document["hosts"][0]["more"] = document["hosts"][0]["findings"][0]["more"] = 1
    assert read(json.dumps(document)) == report_of(failed())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "r.json: is empty"),
        ("node1 (bundle)\nFAIL", r"r.json: is no JSON \(line 1\)"),
        ("[]", "r.json: is not a report of npudoctor; give a report of --format json"),
        ('{"schema": "npudoctor.facts/1"}', "r.json: is npudoctor.facts/1, not a report"),
        ('{"schema": "npudoctor.report/2"}', "r.json: is of another version, npudoctor.report/2"),
        ('{"schema": 5}', "r.json: is not a report of npudoctor"),
        ('{"schema": "npudoctor.report/1"}', "r.json: tool is missing"),
        ("[" * 100_000, "r.json: is nested too deep"),
    ],
)
def test_what_is_no_report_is_told_in_a_line(text, told):
    with pytest.raises(UsageError, match=told) as error:
        read_report(text, "r.json")
    assert error.value.exit == 2


def test_a_report_that_was_cut_off_is_told_wherever_it_was_cut():
    text = json_of(report_of(failed()))
    for length in range(1, len(text.rstrip()) - 1, 97):
        with pytest.raises(UsageError, match=r"r\.json: is cut off in line"):
            read_report(text[:length], "r.json")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda row: row.update(status="broken"), r"hosts\[0\]\.findings\[0\]\.there is no word broken"),
        (lambda row: row.pop("title"), r"hosts\[0\]\.findings\[0\]\.title is missing"),
        (lambda row: row.update(actual=5), r"hosts\[0\]\.findings\[0\]\.actual is missing or not"),
        (lambda row: row.update(evidence=[7]), r"findings\[0\]\.evidence\[0\]\.source is missing"),
        (lambda row: row["evidence"][0].update(line=0), r"evidence\[0\]\.line is missing or not"),
        (lambda row: row.update(fix=[]), r"findings\[0\]\.fix is missing or not"),
    ],
)
def test_a_finding_that_is_not_whole_is_told_with_its_place(spoil, told):
    document = json.loads(json_of(report_of(failed())))
    spoil(document["hosts"][0]["findings"][0])
    with pytest.raises(UsageError, match=told):
        read(json.dumps(document))


@pytest.mark.parametrize("indent", [None, 0, 1])
def test_any_layout_and_any_order_of_the_json_is_read(indent):
    document = dict(reversed(json.loads(json_of(EVERYTHING)).items()))
    assert read(json.dumps(document, indent=indent)) == EVERYTHING
    assert read(" \n" + json.dumps(document) + "\n") == EVERYTHING


@pytest.mark.parametrize(
    "text", ["{}}", '{"a" 1}', '{"a": 1,}', "{1: 2}", '{"hosts": [1,]}', '{"hosts": [1 2]}', '{"a": 1} x }']
)
def test_what_is_no_json_is_told(text):
    with pytest.raises(UsageError, match=r"r\.json: is (no JSON|cut off)"):
        read(text)


def test_a_report_without_hosts_has_none():
    assert read(json_of(Report(()))).hosts == ()


@pytest.mark.parametrize("seconds", ["NaN", "Infinity", "-1", "null", '"x"'])
def test_a_time_that_is_none_counts_as_0(seconds):
    text = json_of(report_of(finding())).replace('"seconds": 0.001', f'"seconds": {seconds}')
    assert next(read(text).findings).seconds == 0


def test_half_a_character_does_not_end_up_in_a_file():
    text = json_of(report_of(finding(actual="X"))).replace('"X"', '"a\\ud800b"')
    assert next(read_report(text, "r.json").findings).actual == "a?b"
