"""What the findings of a host add up to."""

import pytest

from npudoctor.finding import Status
from npudoctor.report.report import HostReport
from tests.report.findings import finding, report_of


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [
        ("pass skip", "pass"),
        ("pass warn", "warn"),
        ("warn unknown pass", "unknown"),
        ("unknown fail warn", "fail"),
        ("pass waived", "pass"),
        ("skip", "skip"),
        ("", "unknown"),
    ],
)
def test_a_host_is_as_bad_as_the_worst_of_its_findings(statuses, worst):
    rows = tuple(finding(f"os.check{n}", Status(word)) for n, word in enumerate(statuses.split()))
    assert HostReport("node1", "local", rows).status == Status(worst)


def test_a_report_with_a_host_that_could_not_be_read_is_incomplete():
    assert report_of(finding(), error="cut off").incomplete
    assert not report_of(finding()).incomplete
