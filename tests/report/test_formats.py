"""What all formats have in common: they agree, and each is a function of the JSON report alone."""

import json
import re
from pathlib import Path

import fastjsonschema
import pytest
from prometheus_client.parser import text_string_to_metric_families

from npudoctor.finding import Status
from npudoctor.report.formats import FORMATS, load_format
from npudoctor.report.load import read_report
from npudoctor.report.style import Style
from npudoctor.words import use_language

SCHEMA = Path(__file__).parents[2] / "docs" / "report.schema.json"
REPORTS = ("of_samples", "of_files", "hostile")


def written(report, format, language="en"):
    use_language(language)
    try:
        return "".join(load_format(format)(report, Style(), "Exit code 1."))
    finally:
        use_language("en")


def failures_of_prometheus(text):
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name in ("npudoctor_findings", "npudoctor_fleet_findings")
        and sample.labels["status"] == "fail"
    )


FAILURES = {
    "text": lambda text: int(re.search(r"(\d+) fail", text.splitlines()[-2] + text.splitlines()[-3])[1]),
    "json": lambda text: json.loads(text)["summary"]["fail"],
    "junit": lambda text: text.count("<failure"),
    "sarif": lambda text: sum(row["level"] == "error" for row in json.loads(text)["runs"][0]["results"]),
    "html": lambda text: int(re.search(r"<b>(\d+)</b> fail<", text)[1]),
    "markdown": lambda text: int(re.search(r"## npudoctor: .*?(\d+) fail", text)[1]),
    "prometheus": failures_of_prometheus,
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
def test_every_format_says_the_same_number_of_failures(name, format, request):
    report = request.getfixturevalue(name)
    assert FAILURES[format](written(report, format)) == report.counts[Status.FAIL] > 0


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_format_of_the_json_report_is_that_of_the_run(name, format, language, request):
    report = request.getfixturevalue(name)
    again = read_report(written(report, "json"), "r.json")
    assert written(again, format, language) == written(report, format, language)


@pytest.mark.parametrize("name", ["of_samples", "of_files"])
def test_the_json_is_what_the_published_schema_says(name, request):
    check = fastjsonschema.compile(json.loads(SCHEMA.read_text(encoding="utf-8")))
    check(json.loads(written(request.getfixturevalue(name), "json")))


def spoilt(document, path, key):
    for step in path:
        document = document[step]
    document[key] = 1


@pytest.mark.parametrize(
    "path",
    [
        (), ("tool",), ("matrix",), ("summary",), ("hosts", 0), ("waivers", 0), ("fleet", 0),
        ("hosts", 0, "findings", 0), ("hosts", 0, "findings", 0, "evidence", 0), ("fleet", 1, "fix"),
    ],
)  # fmt: skip
def test_the_schema_refuses_a_key_that_it_does_not_name(path, of_samples):
    check = fastjsonschema.compile(json.loads(SCHEMA.read_text(encoding="utf-8")))
    document = json.loads(written(of_samples, "json"))
    document["hosts"][0]["findings"] = [row for row in document["hosts"][0]["findings"] if row["evidence"]]
    check(document)
    spoilt(document, path, "more")
    with pytest.raises(fastjsonschema.JsonSchemaValueException, match="more"):
        check(document)
