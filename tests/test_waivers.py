"""Findings that the user accepts."""

import json
from pathlib import Path

import fastjsonschema
import pytest

from npudoctor.errors import UsageError
from npudoctor.finding import Status
from npudoctor.report.report import Waiver
from npudoctor.waivers import FILE, Waivers, read_waivers
from tests.report.findings import failed, finding

TODAY = "2026-11-29"
ASKED = ("limits.stack", "limits.open_files", "pcie.aspm")
SCHEMA = Path(__file__).parent.parent / "docs" / "waivers.schema.json"


def statuses(rows, findings, host="node1"):
    return [(f.status, f.waiver) for f in Waivers(rows, TODAY).apply(host, findings)]


def test_a_waived_finding_keeps_what_was_measured_and_gets_the_reason():
    (waived,) = Waivers([Waiver("limits.stack", "next window")], TODAY).apply(
        "node1", [failed("limits.stack")]
    )
    assert (waived.status, waived.waiver) == (Status.WAIVED, "next window")
    assert waived.actual == "driver 6.0.0 with CANN 7.0.0"
    assert waived.evidence
    assert waived.fix


@pytest.mark.parametrize("glob", ["limits.stack", "limits.*", "limits", "*.stack"])
def test_a_check_is_named_by_its_id_its_area_or_a_glob(glob):
    assert statuses([Waiver(glob, "why")], [failed("limits.stack")]) == [(Status.WAIVED, "why")]


@pytest.mark.parametrize("status", [Status.WARN, Status.UNKNOWN])
def test_warnings_and_unknowns_can_be_waived(status):
    assert statuses([Waiver("limits", "why")], [finding("limits.stack", status)])[0][0] is Status.WAIVED


@pytest.mark.parametrize("status", [Status.PASS, Status.SKIP])
def test_what_is_no_trouble_stays_what_it_is(status):
    assert statuses([Waiver("*", "why")], [finding("limits.stack", status)]) == [(status, None)]


def test_a_waiver_counts_only_on_its_hosts():
    rows = [Waiver("limits.stack", "why", hosts="rack1-*")]
    assert statuses(rows, [failed("limits.stack")], "rack1-7")[0][0] is Status.WAIVED
    assert statuses(rows, [failed("limits.stack")], "rack2-7")[0][0] is Status.FAIL


def test_the_first_waiver_that_counts_gives_the_reason():
    rows = [Waiver("limits", "old", expires="2026-01-01"), Waiver("limits", "first"), Waiver("*", "second")]
    assert statuses(rows, [failed("limits.stack")]) == [(Status.WAIVED, "first")]


@pytest.mark.parametrize(("expires", "state"), [("2026-11-28", "expired"), ("2026-11-29", "used")])
def test_a_waiver_counts_to_the_end_of_its_last_day(expires, state):
    waivers = Waivers([Waiver("limits.stack", "why", expires=expires)], TODAY)
    (judged,) = waivers.apply("node1", [failed("limits.stack")])
    (told,) = waivers.told(ASKED, ASKED)
    assert told.state == state
    assert (judged.status is Status.WAIVED) == (state == "used")


@pytest.mark.parametrize(
    ("id", "state"),
    [("limits.stack", "unmatched"), ("limits.stak", "unmatched"), ("env.log_level", "not-asked")],
)
def test_a_waiver_that_matched_nothing_is_told_from_one_whose_check_was_not_made(id, state):
    waivers = Waivers([Waiver(id, "why")], TODAY)
    waivers.apply("node1", [finding("limits.stack")])
    assert waivers.told(ASKED, (*ASKED, "env.log_level"))[0].state == state


def read(folder, text, today=TODAY):
    file = folder / "w.yaml"
    file.write_text(text, encoding="utf-8")
    return list(read_waivers(file, today).told((), ()))


def test_a_row_has_all_that_the_contract_names(tmp_path):
    text = """
- id: limits.stack
  hosts: node*
  reason: >
    waits for the
    next window
  owner: ops
  expires: 2026-12-31
"""
    (row,) = read(tmp_path, text)
    assert (row.id, row.hosts, row.owner, row.expires) == ("limits.stack", "node*", "ops", "2026-12-31")
    assert row.reason == "waits for the next window"
    assert row.where == f"{tmp_path}/w.yaml:2"


def test_the_rows_may_stand_under_a_key(tmp_path):
    (row,) = read(tmp_path, "waivers:\n  - {id: pcie.aspm, reason: why, expires: '2027-01-01'}\n")
    assert (row.id, row.expires, row.hosts) == ("pcie.aspm", "2027-01-01", "*")
    assert row.where.endswith(":2")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- id: limits.stack\n", r"w\.yaml:1:3: .*reason is missing"),
        ("- id: a\n  reason: b\n  ownr: c\n", r"w\.yaml:3:3: .*there is no key ownr here"),
        ("- id: a\n  reason: ' '\n", r"w\.yaml:2:11: .*reason"),
        ("- id: a\n  reason: b\n  expires: soon\n", r"w\.yaml:3:12: .*date"),
        ("- id: a\n  reason: b\n  expires: 20261231\n", r"w\.yaml:3:12: "),
        ("- id: [a\n", r"w\.yaml:2:1: "),
        ("waivers: 5\n", r"w\.yaml:1:10: .*array"),
        ("ignore: []\n", r"w\.yaml:1:1: .*waivers is missing"),
        ("", r"w\.yaml:1:1: the file is empty"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path, text, told):
    with pytest.raises(UsageError, match=told):
        read(tmp_path, text)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        read_waivers(tmp_path / "none.yaml", TODAY)


def test_the_file_of_the_working_folder_is_read_where_no_other_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_waivers(None, TODAY).told((), ()) == ()
    FILE.write_text("- {id: limits.stack, reason: why}\n")
    (row,) = read_waivers(None, TODAY).told((), ())
    assert (row.id, row.where) == ("limits.stack", ".npudoctor.yaml:1")


def test_the_published_schema_says_what_an_editor_needs():
    check = fastjsonschema.compile(json.loads(SCHEMA.read_text()))
    check([{"id": "limits.stack", "reason": "why", "expires": "2026-12-31"}])
    for wrong in ([{"id": "x"}], {"waivers": [{"id": "x", "reason": "y", "more": 1}]}, "text"):
        with pytest.raises(fastjsonschema.JsonSchemaValueException):
            check(wrong)
