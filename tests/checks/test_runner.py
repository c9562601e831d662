"""Running checks: the one place where missing facts and crashes become `unknown`."""

from npudoctor.checks.registry import Check
from npudoctor.checks.runner import FleetRun, members_of, run_checks
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.fact import known, unavailable
from npudoctor.finding import Action, Fix, Status, fail, ok
from npudoctor.host import Host


def check_of(function, id="os.example"):
    return Check(id, "An example holds", function, ("a source",), "2026-08", None)


def finding_of(function, host=None):
    (finding,) = run_checks([check_of(function)], host, matrix=None)
    return finding


def test_touching_a_fact_that_could_not_be_read_makes_the_check_unknown_with_the_reason():
    finding = finding_of(lambda _host: ok(actual=unavailable("/etc/x: not collected", "/etc/x").value))
    assert finding.status is Status.UNKNOWN
    assert finding.actual == "/etc/x: not collected"
    assert finding.evidence[0].source == "/etc/x"


def test_a_crash_costs_its_own_check_only():
    def crash(_host):
        raise ZeroDivisionError("a bug")

    first, second = run_checks([check_of(crash), check_of(lambda _host: ok())], None, None)
    assert first.status is Status.UNKNOWN
    assert "the check itself failed: ZeroDivisionError: a bug" in first.actual
    assert second.status is Status.PASS


def test_the_action_is_that_of_the_fix_and_the_references_those_of_the_check():
    finding = finding_of(lambda _host: fail(actual="x", fix=Fix(Action.REBOOT, "Restart it.")))
    assert finding.action is Action.REBOOT
    assert finding.references == ("a source",)
    assert finding_of(lambda _host: ok()).action is Action.NONE


def test_a_check_that_asks_the_matrix_is_given_it():
    (finding,) = run_checks([check_of(lambda _host, matrix: ok(actual=matrix))], None, "the matrix")
    assert finding.actual == "the matrix"


def fleet_finding(function, reads, hosts):
    check = Check("fleet.example", "An example", function, ("a source",), "2026-08", None, reads)
    assert run_checks([check], hosts[0], None) == []
    fleet = FleetRun([check])
    for place, host in enumerate(hosts):
        fleet.add(place, members_of([check], host))
    (finding,) = fleet.findings(None)
    return finding


def named(name):
    return Host(snapshot_of(name=name))


def test_a_check_of_the_fleet_sees_what_it_reads_of_every_host_that_has_a_part_in_it():
    def reads(host):
        return {"name": known(host.name, "/x")} if host.name != "storage" else {}

    finding = fleet_finding(
        lambda hosts: ok(actual=" ".join(member.fact("name").value for member in hosts)),
        reads,
        [named("a"), named("storage"), named("b")],
    )
    assert finding.actual == "a b"


def test_one_host_has_nobody_to_be_compared_with():
    finding = fleet_finding(lambda hosts: ok(), lambda host: {"": known(1, "/x")}, [named("a")])
    assert finding.status is Status.SKIP


def test_where_too_few_hosts_have_a_part_in_it_the_reasons_of_the_others_are_told():
    hosts = [named(name) for name in ("a", "b", "c", "d")]
    reads = {"a": {"": known(1, "/x")}, "b": "no ports", "c": "no ports", "d": "a container"}
    finding = fleet_finding(lambda hosts: ok(), lambda host: reads[host.name], hosts)
    assert finding.status is Status.SKIP
    assert finding.actual == "fewer than two hosts to compare: 2 × no ports; 1 × a container"


def test_a_host_that_is_left_out_for_a_reason_is_no_member():
    reads = {"a": {"": known(1, "/x")}, "b": "no ports", "c": {"": known(1, "/x")}}
    finding = fleet_finding(
        lambda hosts: ok(actual=" ".join(member.name for member in hosts)),
        lambda host: reads[host.name],
        [named(name) for name in "abc"],
    )
    assert finding.actual == "a c"


def test_a_host_that_cannot_be_read_for_the_fleet_is_a_member_whose_facts_are_missing():
    def reads(host):
        raise ZeroDivisionError("a bug")

    finding = fleet_finding(
        lambda hosts: ok(actual=str([member.fact("x").value for member in hosts])),
        reads,
        [named("a"), named("b")],
    )
    assert finding.status is Status.UNKNOWN
    assert "ZeroDivisionError: a bug" in finding.actual
