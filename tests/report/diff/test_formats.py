"""A difference as text, JSON and Markdown."""

import json
from pathlib import Path

import jsonschema
import pytest

from npudoctor.finding import Status
from npudoctor.report.diff.compare import compare
from npudoctor.report.diff.difference import FactChange, Side
from npudoctor.report.diff.formats import FORMATS, load_format
from npudoctor.report.report import HostReport, Report
from npudoctor.report.style import Style
from tests.report.findings import failed, finding


def written(format, before, after, facts=None, **style):
    sides = [
        (Side(f"{name}.json", "report", tuple(host.name for host in one.hosts)), one)
        for name, one in (("before", before), ("after", after))
    ]
    return "".join(load_format(format)(compare(*sides, facts), Style(**style)))


def fleet(status, names=("node1", "node2", "node3")):
    hosts = (
        HostReport(name, "ssh", (finding("npu.health", status, title="Every chip is well"),))
        for name in names
    )
    return Report(tuple(hosts))


def one(*findings):
    return Report((HostReport("node1", "bundle", findings),))


def test_text_shows_both_sides_and_both_statuses_and_what_was_found():
    text = written("text", one(finding(actual="driver 24.1")), one(failed(actual="driver 6.0.0")))
    assert text.splitlines() == [
        "- before.json (report, node1)",
        "+ after.json (report, node1)",
        "  Only findings were compared: a report holds no facts, and facts are those of one host.",
        "",
        "Worse",
        "PASS → FAIL  driver.cann_pairing  Driver and CANN fit together",
        "        - driver 24.1",
        "        + driver 6.0.0",
        "",
        "1 worse.",
    ]


def test_text_names_the_hosts_that_share_a_change_once():
    text = written("text", fleet(Status.PASS), fleet(Status.FAIL))
    assert text.count("npu.health") == 1
    assert "on node[1-3]" in text


def test_text_folds_facts_that_are_the_same_of_many_npus():
    facts = tuple(FactChange(f"npus.boards.{n}.firmware_version", "7.1", "7.5") for n in range(8))
    facts += (FactChange("environment.variables.PATH", "/a:/b:/c", "/a:/b:/d:/e"),)
    text = written("text", one(), one(), facts)
    assert "npus.boards.*.firmware_version (8 ×)  7.1 → 7.5" in text
    assert "environment.variables.PATH  /c → /d:/e" in text
    assert text.endswith("facts that differ: 9.\n")


def test_nothing_that_differs_is_said_so():
    assert written("text", one(finding()), one(finding()), ()).endswith("nothing differs.\n")


def test_a_side_that_could_not_be_read_is_not_said_to_be_the_same():
    unread = Side("b", "ssh", ("b",), error="connection refused")
    difference = compare((Side("a", "ssh", ("a",)), one(finding())), (unread, Report(())))
    text = "".join(load_format("text")(difference, Style()))
    assert "b: connection refused" in text
    assert "nothing differs" not in text


def test_json_has_every_change_with_both_sides():
    facts = (FactChange("driver.version", "24.1", None),)
    document = json.loads(written("json", one(finding()), one(failed(actual="x")), facts))
    assert document["schema"] == "npudoctor.diff/1"
    assert document["summary"] == {
        "same": False,
        "worse": 1,
        "better": 0,
        "other": 0,
        "facts": 1,
        "one_sided": 0,
        "unread": 0,
    }
    (change,) = document["findings"]
    assert (change["id"], change["host"], change["direction"]) == ("driver.cann_pairing", "node1", "worse")
    assert change["before"]["status"] == "pass"
    assert change["after"] == {"status": "fail", "actual": "x", "action": "upgrade"}
    assert document["facts"] == [{"name": "driver.version", "before": "24.1", "after": None}]


@pytest.mark.parametrize("facts", [None, (FactChange("driver.version", "24.1", None),)])
def test_json_keeps_its_published_schema(facts):
    schema = json.loads((Path(__file__).parents[3] / "docs" / "diff.schema.json").read_text())
    for before, after in ((one(finding()), one(failed())), (fleet(Status.PASS), Report(()))):
        jsonschema.validate(json.loads(written("json", before, after, facts)), schema)


def test_markdown_has_a_table_of_each_kind_and_no_sign_breaks_it():
    facts = (FactChange("environment.variables.A", "a|b", "c"),)
    text = written("markdown", one(finding()), one(failed()), facts)
    assert text.startswith("## npudoctor diff: 1 worse, facts that differ: 1\n")
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    assert [line.count(" | ") for line in tables] == [3, 3, 3, 2, 2, 2]
    assert "a|b" not in text


def test_every_format_writes_something_of_two_empty_reports():
    for format in FORMATS:
        assert written(format, Report(()), Report(()))
