"""JUnit XML as Jenkins and GitLab read it."""

from xml.etree import ElementTree

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from npudoctor.finding import Status
from npudoctor.report.junit import to_junit
from npudoctor.report.style import Style
from tests.report.findings import failed, finding, report_of, unread

ATTRIBUTES = {
    # What junit-10.xsd of Jenkins' xUnit plugin knows of each element.
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {
        "name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package",
    },
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
}  # fmt: skip


def xml_of(report):
    return "".join(to_junit(report, Style(), ""))


def suites_of(report):
    return list(JUnitXml.fromstring(xml_of(report).encode()))


def case(*findings, **report):
    ((only,),) = [list(suite) for suite in suites_of(report_of(*findings, **report))]
    return only


def test_a_failure_says_what_was_found_what_proves_it_and_what_to_type():
    failure = case(failed()).result[0]
    assert isinstance(failure, Failure)
    assert failure.message == (
        "Driver and CANN fit together: found: driver 6.0.0 with CANN 7.0.0; expected: driver 6.3 or newer"
    )
    assert failure.text.splitlines() == [
        "/usr/local/Ascend/driver/version.info: Version=6.0.0",
        "Install driver 23.0.3.",
        "$ bash hdk.run --upgrade",
        "$ reboot",
        "source: hiascend.com/document/x",
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (unread("os.clock", "/p"), "unknown: /p: not collected"),
        (finding(status=Status.SKIP, actual="no NPU"), "skip: no NPU"),
        (finding(status=Status.WAIVED, waiver="next window"), "waived: next window"),
    ],
)
def test_what_is_neither_right_nor_wrong_is_skipped_and_says_why(row, message):
    (skipped,) = case(row).result
    assert isinstance(skipped, Skipped)
    assert skipped.message == message


def test_a_pass_is_a_case_without_more():
    assert case(finding()).is_passed


def test_a_warning_passes_and_says_so_in_its_output():
    warned = case(finding(status=Status.WARN))
    assert warned.is_passed
    assert warned.system_out.startswith("WARN Driver and CANN fit together: found: driver 6.0.0")


def test_a_host_that_could_not_be_read_is_an_error():
    broken = case(error="timed out")
    assert isinstance(broken.result[0], Error)
    assert broken.result[0].message == "timed out"


def test_a_suite_is_a_host_and_its_numbers_are_right(of_samples):
    suites = suites_of(of_samples)
    counted = {
        "tests": sum(suite.tests for suite in suites),
        "failures": sum(suite.failures for suite in suites),
        "errors": sum(suite.errors for suite in suites),
    }
    assert len(suites) == len(of_samples.hosts) + 2  # the fleet, and the waivers
    for suite in suites:
        cases = list(suite)
        assert suite.tests == len(cases)
        assert suite.failures == sum(isinstance(r, Failure) for c in cases for r in c.result)
        assert suite.skipped == sum(isinstance(r, Skipped) for c in cases for r in c.result)
    root = ElementTree.fromstring(xml_of(of_samples))
    assert {name: int(root.attrib[name]) for name in counted} == counted


@pytest.mark.parametrize("name", ["of_samples", "of_files", "hostile"])
def test_no_two_cases_have_one_name_since_gitlab_drops_the_second(name, request):
    cases = [c for suite in suites_of(request.getfixturevalue(name)) for c in suite]
    assert len({(c.classname, c.name) for c in cases}) == len(cases)


@pytest.mark.parametrize("name", ["of_samples", "of_files", "hostile"])
def test_there_is_nothing_that_jenkins_schema_does_not_know(name, request):
    for element in ElementTree.fromstring(xml_of(request.getfixturevalue(name))).iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag]
        assert len(element.attrib.get("time", "0.000").partition(".")[2]) == 3


def test_signs_that_xml_forbids_are_left_out():
    row = failed(actual="a\x00b\x1b[1m\ufffec\U0001f600")
    assert case(row).result[0].message.endswith("found: ab[1mc\U0001f600; expected: driver 6.3 or newer")


def test_waivers_that_no_longer_count_are_seen_and_fail_nothing(of_samples):
    suite = suites_of(of_samples)[-1]
    assert suite.name == "waivers"
    assert [c.result[0].message for c in suite] == [
        "The waiver of pcie expired on 2026-01-01 and does not count (w.yaml:3)."
    ]
