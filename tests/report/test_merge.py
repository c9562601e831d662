"""Several reports as one."""

from dataclasses import replace

from npudoctor.finding import Status
from npudoctor.report.merge import Named, merge
from npudoctor.report.report import HostReport, Report
from tests.report.findings import failed, finding


def report(when, *hosts, fleet=()):
    rows = tuple(HostReport(name, "bundle", (found,)) for name, found in hosts)
    return Report(rows, tuple(fleet), "2026-11-29", "ab" * 32, when=when)


OLD = Named("old.json", report("2026-11-01T00:00:00Z", ("a", failed()), ("b", failed())))
NEW = Named("new.json", report("2026-11-02T00:00:00Z", ("b", finding()), ("c", finding())))


def test_one_report_stays_what_it_is():
    assert merge([OLD]) == (OLD.report, [])


def test_hosts_of_all_reports_stand_in_the_order_of_the_command_line():
    merged, _notes = merge([OLD, NEW])
    assert [host.name for host in merged.hosts] == ["a", "b", "c"]
    assert merged.counts[Status.FAIL] == 1


def test_of_a_host_in_two_reports_the_newer_counts_in_any_order_and_it_is_said():
    for order in ([OLD, NEW], [NEW, OLD]):
        merged, notes = merge(order)
        (host,) = (host for host in merged.hosts if host.name == "b")
        assert host.status is Status.PASS
        assert len(notes) == 1
        assert notes[0].startswith("b is in ")
        assert notes[0].endswith(": new.json counts")
        assert merged.when == "2026-11-02T00:00:00Z"


def test_where_no_report_says_when_the_last_one_counts():
    first, last = (Named(named.name, replace(named.report, when="")) for named in (OLD, NEW))
    merged, _notes = merge([first, last])
    assert next(host for host in merged.hosts if host.name == "b").status is Status.PASS


def test_two_bundles_of_one_host_in_one_report_both_stay():
    twice = Named("t.json", report("", ("a", failed()), ("a", finding())))
    merged, notes = merge([twice, NEW])
    assert [host.name for host in merged.hosts] == ["a", "a", "b", "c"]
    assert not notes


def test_findings_of_the_fleets_are_put_together_by_id_and_the_worst_counts():
    fine = finding("fleet.version_drift", actual="all the same")
    drift = finding("fleet.version_drift", Status.WARN, actual="driver 24.1.0: a; driver 25.0: b")
    one = Named("one.json", report("1", ("a", finding()), fleet=[fine]))
    two = Named("two.json", report("2", ("b", finding()), fleet=[drift]))
    merged, notes = merge([one, two])
    (together,) = merged.fleet
    assert together.status is Status.WARN
    assert together.actual == "two.json: driver 24.1.0: a; driver 25.0: b"
    assert notes == ["hosts of different reports were not compared with each other"]
