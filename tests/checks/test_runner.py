"""Running checks: the one place where missing facts and crashes become `unknown`."""

from npudoctor.checks.registry import Check
from npudoctor.checks.runner import run_checks, run_fleet_checks
from npudoctor.fact import unavailable
from npudoctor.finding import Action, Fix, Status, fail, ok


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


def test_checks_of_the_fleet_see_all_hosts_and_need_two():
    check = check_of(lambda hosts: ok(actual=f"{len(hosts)} hosts"), "fleet.example")
    assert run_checks([check], "one", None) == []
    assert run_fleet_checks([check], ["one"], None) == []
    assert run_fleet_checks([check], ["one", "two"], None)[0].actual == "2 hosts"
