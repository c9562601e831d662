"""What a load test says in words, on the page too."""

import pytest

from npudoctor.finding import Status
from npudoctor.report.load_html import to_html
from npudoctor.report.load_told import told

SPREAD = {"p50": 40.0, "p90": 60.0, "p99": 90.0}
ROW = {
    "requests": 50,
    "failures": 0,
    "failure_share": 0.0,
    "failure_reasons": {},
    "latency_ms": SPREAD,
    "ttft_ms": SPREAD,
    "tpot_ms": {"p50": None, "p90": None, "p99": None},
    "requests_per_second": 10.0,
    "tokens_per_second": 80.0,
    "sent_late_ms": {"p50": 0.1, "p90": 0.2, "p99": 0.3},
    "cpu_percent": None,
    "npu_percent": None,
}
RATIO = {"total": {"latency_ms": {"p50": 2.0, "p90": 2.0, "p99": 1.5}}, "peak": {"requests_per_second": 1.0}}
SLOW = {"what": "latency_ms.p99", "value": 90.0, "least": None, "most": 50.0, "kept": False}


def document(**more):
    steps = [{"rate": rate, **ROW} for rate in (5.0, 10.0)]
    return {"url": "http://x", "model": "<m>", "saturated_at": None, "total": ROW, "steps": steps, **more}


def test_without_anything_to_judge_it_says_whether_the_service_kept_up():
    assert list(told(document())) == [(None, "It kept up with every rate.")]
    assert [said for _, said in told(document(saturated_at=40.0))] == [
        "It no longer keeps up at 40 requests a second."
    ]


def test_a_service_that_answered_nothing_did_not_keep_up():
    total = {**ROW, "failures": 50, "failure_share": 1.0}
    assert next(told(document(total=total))) == (None, "No request was answered.")


def test_a_throughput_that_was_not_reached_is_told_where_it_is_compared():
    hint = "How much it bears at most is not known: give higher --rates to compare that."
    assert hint in [said for _, said in told(document(ratio=RATIO))]
    assert hint not in [said for _, said in told(document(ratio=RATIO, saturated_at=10.0))]


def test_what_failed_and_how_late_the_sender_was_is_told():
    late = {**ROW, "sent_late_ms": {"p50": 1.0, "p90": 20.0, "p99": 80.0}, "failure_reasons": {"HTTP 500": 3}}
    lines = dict(reversed(line) for line in told(document(total=late)))
    assert lines["Failures: 3 × HTTP 500"] is None
    assert Status.WARN in lines.values()


def test_the_page_says_the_same_as_the_text():
    page = "".join(to_html(document(ratio=RATIO, limits=[SLOW])))
    assert '<p class="fail"><b>FAIL</b> latency_ms.p99: 90 (≤ 50)</p>' in page
    assert "Against the baseline: P50 2.00 ×" in page
    assert "&lt;m&gt;" in page


@pytest.mark.parametrize(
    ("highest", "mark"), [(90.0, ">100<"), (118.7, ">200<"), (4.661, ">6<"), (0.0, ">1<")]
)
def test_charts_end_at_a_number_that_divides_well(highest, mark):
    steps = [{"rate": 5.0, **ROW, "latency_ms": dict.fromkeys(SPREAD, highest)}]
    latency = "".join(to_html(document(steps=steps))).partition("</figure>")[0]
    assert mark in latency
