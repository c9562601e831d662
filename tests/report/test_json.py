"""The JSON report keeps the keys that other programs rely on."""

import json

import pytest

from npudoctor import __version__
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Edit, Fix, Status
from npudoctor.report.json import to_json
from npudoctor.report.report import HostReport, Report
from npudoctor.report.style import Style
from tests.report.findings import failed, finding, report_of


def document_of(report):
    return json.loads("".join(to_json(report, Style(), "")))


def test_the_document_has_the_keys_of_the_contract():
    document = document_of(report_of(failed(), finding("os.clock")))
    assert document["schema"] == "npudoctor.report/1"
    assert document["tool"] == {"name": "npudoctor", "version": __version__}
    assert document["matrix"] == {"updated": "2026-11-29", "sha256": "ab" * 32}
    assert document["summary"] == {
        "hosts": 1, "pass": 1, "warn": 0, "fail": 1, "unknown": 0, "skip": 0, "waived": 0,
    }  # fmt: skip
    assert document["fleet"] == []


def test_a_finding_has_the_keys_of_the_contract():
    (row,) = document_of(report_of(failed()))["hosts"][0]["findings"]
    assert row == {
        "id": "driver.cann_pairing",
        "status": "fail",
        "title": "Driver and CANN fit together",
        "actual": "driver 6.0.0 with CANN 7.0.0",
        "expected": "driver 6.3 or newer",
        "action": "upgrade",
        "seconds": 0.001,
        "evidence": [{"source": "/usr/local/Ascend/driver/version.info", "text": "Version=6.0.0"}],
        "fix": {
            "summary": "Install driver 23.0.3.",
            "commands": ["bash hdk.run --upgrade", "reboot"],
            "role": "driver",
        },
        "references": ["hiascend.com/document/x"],
    }


def test_a_finding_without_a_fix_says_null():
    (row,) = document_of(report_of(finding()))["hosts"][0]["findings"]
    assert row["fix"] is None


def test_a_line_of_a_file_has_its_number_and_an_edit_what_changes():
    edit = Edit("Dockerfile", 3, "RUN pip install torch==2.1.0", "RUN pip install torch==2.5.1")
    fix = Fix(Action.UPGRADE, "Pin another version.", edits=(edit,))
    seen = Evidence("Dockerfile", "RUN pip install torch==2.1.0", 3)
    (row,) = document_of(report_of(finding(evidence=(seen,), fix=fix)))["hosts"][0]["findings"]
    assert row["evidence"] == [{"source": "Dockerfile", "text": "RUN pip install torch==2.1.0", "line": 3}]
    assert row["fix"]["edits"] == [
        {
            "path": "Dockerfile",
            "line": 3,
            "before": "RUN pip install torch==2.1.0",
            "after": "RUN pip install torch==2.5.1",
        }
    ]


def test_a_host_says_its_source_its_status_and_why_it_could_not_be_read():
    host = document_of(report_of(error="bundle.tgz: cut off"))["hosts"][0]
    assert (host["name"], host["source"], host["error"]) == ("node1", "bundle", "bundle.tgz: cut off")
    assert host["status"] == "unknown"


def test_findings_of_the_fleet_are_counted_and_listed():
    drift = finding("fleet.version_drift", Status.WARN)
    document = document_of(report_of(finding(), fleet=(drift,)))
    assert [row["id"] for row in document["fleet"]] == ["fleet.version_drift"]
    assert document["summary"]["warn"] == 1


@pytest.mark.parametrize("number", [0, 1, 3])
def test_the_text_comes_host_by_host_and_reads_as_if_it_were_written_at_once(number):
    hosts = tuple(HostReport(f"node{n}", "ssh", (failed(actual="two\nlines"),)) for n in range(number))
    pieces = list(to_json(Report(hosts, (finding("fleet.version_drift"),)), Style(), ""))
    assert len(pieces) == number + 2
    text = "".join(pieces)
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
