"""Shared by the tests of checks: one check function run on one host, as the runner runs it."""

from __future__ import annotations

import pytest

from npudoctor.checks import registry
from npudoctor.checks.runner import run_checks


@pytest.fixture
def judge():
    """`judge(stack, host)`: the finding of the check whose function is `stack`."""

    def finding(function, host, matrix=None):
        check = next(check for check in registry._checks.values() if check.function is function)
        return run_checks([check], host, matrix)[0]

    return finding
