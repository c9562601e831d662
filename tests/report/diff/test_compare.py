"""What counts as a difference between the findings of two reports."""

import pytest

from npudoctor.finding import Status
from npudoctor.report.diff.compare import compare
from npudoctor.report.diff.difference import Direction, FactChange, Side
from npudoctor.report.report import HostReport, Report
from tests.report.findings import failed, finding


def report(*findings, fleet=(), name="node1"):
    return Report((HostReport(name, "bundle", tuple(findings)),), tuple(fleet))


def difference(before, after, **options):
    sides = [(Side("a", "report", tuple(host.name for host in one.hosts)), one) for one in (before, after)]
    return compare(*sides, **options)


def changes(before, after, **options):
    found = difference(before, after, **options).findings
    return [(change.id, change.direction.value) for change in found]


def test_a_report_does_not_differ_from_itself():
    one = report(failed(), finding("npu.health"))
    assert difference(one, one).same


@pytest.mark.parametrize(
    ("before", "after", "direction"),
    [
        (Status.PASS, Status.FAIL, "worse"),
        (Status.SKIP, Status.WARN, "worse"),
        (Status.PASS, Status.UNKNOWN, "worse"),
        (Status.FAIL, Status.WAIVED, "better"),
        (Status.UNKNOWN, Status.WARN, "better"),
        (Status.FAIL, Status.PASS, "better"),
    ],
)
def test_a_new_status_is_worse_or_better(before, after, direction):
    found = changes(report(finding("npu.health", before)), report(finding("npu.health", after)))
    assert found == [("npu.health", direction)]


def test_the_same_status_with_something_else_found_is_told_as_other():
    before, after = failed(actual="driver 6.0.0"), failed(actual="driver 6.0.1")
    assert changes(report(before), report(after)) == [("driver.cann_pairing", "other")]


def test_a_pass_that_found_something_else_is_told_only_when_asked_for():
    before, after = report(finding(actual="a")), report(finding(actual="b"))
    assert changes(before, after) == []
    assert changes(before, after, verbose=True) == [("driver.cann_pairing", "other")]


def test_a_new_measurement_alone_is_no_difference():
    hot = [finding("npu.temperature", Status.WARN, actual=f"chip 3: {degrees} °C") for degrees in (91, 93)]
    assert changes(report(hot[0]), report(hot[1])) == []
    assert changes(report(finding("npu.temperature")), report(hot[1])) == [("npu.temperature", "worse")]


def test_trouble_of_a_check_that_one_side_did_not_make_is_neither_worse_nor_better():
    found = difference(report(finding("npu.ecc")), report(finding("npu.ecc"), failed(), finding("os.glibc")))
    (change,) = found.findings
    assert (change.id, change.before, change.direction) == ("driver.cann_pairing", None, Direction.OTHER)
    assert found.one_sided == 1


def test_two_hosts_are_compared_whatever_their_names():
    assert changes(report(finding(), name="a"), report(failed(), name="b"))


def test_the_hosts_of_two_fleets_are_matched_by_name_and_the_rest_is_told():
    def hosts(*names):
        return tuple(HostReport(name, "ssh", (failed(),) if name == "c" else (finding(),)) for name in names)

    found = difference(Report(hosts("a", "b", "c")), Report(hosts("b", "c", "d")))
    assert (found.gone, found.come, found.findings) == (("a",), ("d",), ())
    assert not found.same


def test_a_host_that_could_not_be_read_on_one_side_is_not_compared():
    unread = Report((HostReport("node1", "ssh", error="connection refused"),))
    assert difference(report(failed()), unread).findings == ()


def test_findings_about_the_hosts_together_are_compared_too():
    before = report(fleet=[finding("fleet.version_drift")])
    after = report(fleet=[finding("fleet.version_drift", Status.WARN)])
    (change,) = difference(before, after).findings
    assert (change.host, change.direction) == ("", Direction.WORSE)


def test_the_most_important_comes_first():
    before = report(
        finding("npu.health", Status.FAIL), finding("os.glibc"), finding("torch.x"), finding("npu.ecc")
    )
    after = report(
        finding("npu.health"),
        finding("os.glibc", Status.WARN),
        finding("torch.x", Status.FAIL),
        finding("npu.ecc", Status.FAIL),
    )
    assert changes(before, after) == [
        ("npu.ecc", "worse"),
        ("torch.x", "worse"),
        ("os.glibc", "worse"),
        ("npu.health", "better"),
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_what_a_side_was_cut_off_before_is_counted_and_not_told(turned):
    read = report(finding("npu.health"), finding("os.glibc"), finding("npu.ecc", Status.WARN))
    findings = (
        finding("npu.health", Status.UNKNOWN),
        finding("os.glibc", Status.FAIL),
        finding("npu.ecc", Status.UNKNOWN),
    )
    cut = Report((HostReport("other", "bundle", findings, error="the bundle is cut off"),))
    sides = (cut, read) if turned else (read, cut)
    found = difference(*sides)
    assert [change.id for change in found.findings] == ["os.glibc"]
    assert found.unread == 2


def test_facts_that_a_side_was_cut_off_before_are_counted_and_not_told():
    one = report(finding("npu.health"))
    sides = (
        (Side("a", "bundle", ("node1",)), one),
        (Side("b", "bundle", ("node1",), error="cut off"), one),
    )
    facts = (
        FactChange("driver.version", "1", None),
        FactChange("cann.version", None, "2"),
        FactChange("os.x", "1", "2"),
    )
    found = compare(*sides, facts)
    assert [fact.name for fact in found.facts] == ["cann.version", "os.x"]
    assert found.unread == 1


def test_what_a_whole_side_does_not_know_is_told():
    before, after = report(finding("npu.health", Status.UNKNOWN)), report(finding("npu.health"))
    assert changes(before, after) == [("npu.health", "better")]
