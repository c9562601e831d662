"""Shared by the tests of checks: one check function run on one host, as the runner runs it."""

from __future__ import annotations

import pytest

from npudoctor.checks import registry
from npudoctor.checks.runner import FleetRun, members_of, run_checks


@pytest.fixture
def judge():
    """`judge(stack, host)`: the finding of the check whose function is `stack`."""

    def finding(function, host, matrix=None):
        check = next(check for check in registry._checks.values() if check.function is function)
        return run_checks([check], host, matrix)[0]

    return finding


@pytest.fixture
def compare():
    """`compare(tls, host, host)`: the finding of the check of the fleet whose function is `tls`."""

    def finding(function, *hosts, matrix=None):
        check = next(check for check in registry.all_checks() if check.function is function)
        fleet = FleetRun([check])
        for place, host in enumerate(hosts):
            fleet.add(place, members_of([check], host))
        return fleet.findings(matrix)[0]

    return finding
