"""What many hosts share."""

from npudoctor.finding import Status
from npudoctor.report.group import Groups
from npudoctor.report.report import HostReport
from tests.report.findings import failed, finding, unread


def hosts(number, *findings, start=1, **changes):
    return [HostReport(f"node{n}", "ssh", findings, **changes) for n in range(start, start + number)]


def told(groups):
    return [(group.finding.id, len(group.hosts)) for group in groups.findings]


def test_the_same_finding_of_many_hosts_is_one_group():
    (group,) = Groups(hosts(37, failed())).findings
    assert group.hosts == [f"node{n}" for n in range(1, 38)]
    assert group.words == {"driver 6.0.0 with CANN 7.0.0": group.hosts}


def test_findings_that_differ_in_a_number_are_one_group_that_keeps_what_was_found_where():
    one, other = failed("npu.health", actual="NPU 3: Alarm"), failed("npu.health", actual="NPU 5: Alarm")
    (group,) = Groups([*hosts(2, one), *hosts(1, other, start=9)]).findings
    assert group.words == {"NPU 3: Alarm": ["node1", "node2"], "NPU 5: Alarm": ["node9"]}


def test_findings_of_other_versions_are_told_apart():
    groups = Groups([*hosts(2, failed(actual="driver 6.0.0")), *hosts(3, failed(actual="driver 6.1.0"))])
    assert told(groups) == [("driver.cann_pairing", 3), ("driver.cann_pairing", 2)]


def test_another_fix_is_another_group():
    changed = finding(status=Status.FAIL)
    assert len(Groups([*hosts(1, failed()), *hosts(1, changed)]).findings) == 2


def test_the_worst_comes_first_and_among_those_what_most_hosts_have():
    warned = finding("os.clock", Status.WARN)
    groups = Groups([*hosts(5, warned), *hosts(1, failed("npu.health")), *hosts(2, failed("users.x"))])
    assert told(groups) == [("users.x", 2), ("npu.health", 1), ("os.clock", 5)]


def test_a_check_with_something_else_on_every_host_stays_a_few_groups():
    names = "abcdefghijklmnopqrstuvwxyz"
    groups = Groups(row for letter in names for row in hosts(1, failed(actual=f"disk {letter}"), start=1))
    assert len(groups.findings) < 10
    assert sum(len(group.hosts) for group in groups.findings) == len(names)


def test_passes_and_skips_are_left_out():
    assert Groups(hosts(2, finding(), finding("npu.x", Status.SKIP))).findings == []


def test_what_is_unknown_for_one_reason_is_one_gap_over_checks_and_hosts():
    rows = unread("os.a", "/proc/1"), unread("os.b", "/proc/2")
    (gap,) = Groups(hosts(3, *rows)).gaps
    assert (gap.reason, list(gap.checks), len(gap.hosts)) == ("not collected", ["os.a", "os.b"], 3)
    assert not gap.one_place


def test_hosts_that_could_not_be_read_are_grouped_by_the_reason_without_their_names():
    rows = [HostReport(f"node{n}", "ssh", error=f"node{n}:22: connection refused") for n in range(4)]
    rows.append(HostReport("node9", "ssh", error="no answer in time"))
    refused, silent = Groups(rows).unread
    assert (refused.names, refused.words) == (
        ["node0", "node1", "node2", "node3"],
        "node0:22: connection refused",
    )
    assert silent.names == ["node9"]
    assert Groups(rows).kinds == []


def test_hosts_of_one_kind_are_told_together_most_hosts_first():
    rows = [*hosts(1, about={"driver": "24.1"}), *hosts(3, about={"driver": "25.2"}, start=5)]
    kinds = Groups(rows).kinds
    assert [(kind.words, len(kind.names)) for kind in kinds] == [
        ("ssh · driver 25.2", 3),
        ("ssh · driver 24.1", 1),
    ]
