"""What proves a finding may be printed: without passwords, with names and addresses."""

from __future__ import annotations

from npudoctor.checks.registry import Check
from npudoctor.checks.runner import run_checks
from npudoctor.fact import known
from npudoctor.finding import Action, Fix, fail
from npudoctor.matrix import load_matrix


def test_a_password_in_a_line_that_proves_something_is_not_printed(host) -> None:
    fact = known("x", "/etc/docker/daemon.json", '"http-proxy": "http://carol:pl01proxy@10.0.0.1:3128"')

    def judge(_host, _matrix):
        fix = Fix(Action.CONFIGURE, "Set it.", ("export API_KEY=pl02key",))
        return fail(fact, actual="HF_TOKEN=pl03token", expected="--password pl04word", fix=fix)

    check = Check("env.example", "title", judge, ("source",), "2026-11", None)
    (found,) = run_checks([check], host(), load_matrix())
    assert found.actual == "HF_TOKEN=<redacted:token>"
    assert found.expected == "--password <redacted:token>"
    assert found.fix.commands == ("export API_KEY=<redacted:token>",)
    assert found.evidence[0].text == '"http-proxy": "http://<redacted:token>@10.0.0.1:3128"'
