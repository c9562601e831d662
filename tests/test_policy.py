"""What the user asked of a run."""

import pytest

from npudoctor.checks.registry import Check
from npudoctor.errors import Exit, UsageError
from npudoctor.finding import Status
from npudoctor.policy import Policy, parse_fail_on, split_globs
from tests.report.findings import finding, report_of

CHECKS = [
    Check(id, "title", lambda host: None, ("source",), "2026-08", None)
    for id in ("driver.cann_pairing", "driver.firmware_pairing", "torch.cann_pairing", "limits.stack")
]


def chosen(**policy):
    return [check.id for check in Policy(**policy).select(CHECKS)]


@pytest.mark.parametrize(
    ("only", "ids"),
    [
        (("driver",), ["driver.cann_pairing", "driver.firmware_pairing"]),
        (("*.cann_pairing",), ["driver.cann_pairing", "torch.cann_pairing"]),
        (("limits.stack", "torch.*"), ["torch.cann_pairing", "limits.stack"]),
    ],
)
def test_only_takes_ids_areas_and_globs(only, ids):
    assert chosen(only=only) == ids


def test_skip_wins_over_only():
    assert chosen(only=("driver",), skip=("*.firmware_pairing",)) == ["driver.cann_pairing"]


@pytest.mark.parametrize("option", ["only", "skip"])
def test_a_mistyped_check_is_an_error_with_a_suggestion(option):
    with pytest.raises(UsageError, match=r"limits\.stak; did you mean limits\.stack\?"):
        chosen(**{option: ("limits.stak",)})


def test_globs_may_be_repeated_and_joined_with_commas():
    assert split_globs(["driver,torch.*", " limits.stack "]) == ("driver", "torch.*", "limits.stack")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fail", {"fail"}),
        ("unknown", {"fail", "unknown"}),
        ("warn", {"fail", "unknown", "warn"}),
        ("fail,warn", {"fail", "warn"}),
        ("warn,unknown", {"fail", "warn", "unknown"}),
    ],
)
def test_fail_on_one_status_means_it_and_all_above_it(text, words):
    assert parse_fail_on(text) == {Status(word) for word in words}


@pytest.mark.parametrize("text", ["", "pass", "fatal", "fail,skip"])
def test_fail_on_refuses_what_is_no_reason_to_fail(text):
    with pytest.raises(UsageError, match="use fail, unknown, warn"):
        parse_fail_on(text)


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        ("pass", None, Exit.OK),
        ("warn", None, Exit.OK),
        ("fail", None, Exit.FINDINGS),
        ("pass", "cut off", Exit.INCOMPLETE),
        ("fail", "cut off", Exit.FINDINGS),
    ],
)
def test_findings_win_over_gaps_in_the_exit_code(status, error, code):
    report = report_of(finding(status=Status(status)), error=error)
    assert Policy().exit(report) is code


def test_exit_zero_is_for_jobs_that_only_report():
    report = report_of(finding(status=Status.FAIL), error="cut off")
    assert Policy(exit_zero=True).exit(report) is Exit.OK
