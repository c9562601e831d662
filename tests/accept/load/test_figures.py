"""From records to figures."""

import pytest

from npudoctor.accept.load.figures import figures_of, saturated, together


def _record(step, ended, *, last=0.5, first=0.1, tokens=5, error=None, late=0.0):
    row = {"step": step, "ended": ended, "last": last, "first": first, "tokens": tokens, "error": error}
    return {**row, "late": late, "began": 0.0}


def _steady(step, rate, seconds, latency):
    return [
        _record(step, step * seconds + at / rate + latency, last=latency) for at in range(int(rate * seconds))
    ]


def test_long_answers_are_not_taken_for_a_slow_service():
    steps = figures_of(_steady(0, 10, 30, 12.0) + _steady(1, 20, 30, 12.0), [10, 20], 30)
    assert [round(step.requests_per_second, 3) for step in steps] == [10, 20]
    assert saturated(steps) is None


def test_a_service_that_answers_slower_than_asked_is_found_at_that_step():
    good = _steady(0, 10, 30, 1.0)
    slow = [_record(1, 30 + number / 12, last=1 + number / 24) for number in range(600)]
    steps = figures_of(good + slow, [10, 20], 30)
    assert saturated(steps).rate == 20
    assert steps[1].requests_per_second == pytest.approx(12)


def test_failures_above_one_in_a_hundred_are_too_much():
    rows = _steady(0, 10, 10, 0.5)
    for row in rows[:2]:
        row["error"] = "HTTP 500"
    steps = figures_of(rows, [10], 10)
    assert saturated(steps) is steps[0]
    assert (steps[0].failures, steps[0].failure_share, steps[0].reasons) == (2, 0.02, (("HTTP 500", 2),))


def test_what_ran_into_the_time_limit_counts_with_the_limit():
    rows = [_record(0, 1.0, last=0.1) for _each in range(98)]
    rows += [_record(0, 60.0, last=60.0, error="time limit") for _each in range(2)]
    assert together(rows, 60).latency.p99 == 60_000


def test_percentiles_are_of_the_nearest_rank_and_in_milliseconds():
    rows = [_record(0, 1.0, last=number / 1000) for number in range(1, 101)]
    spread = together(rows, 1).latency
    assert (spread.p50, spread.p90, spread.p99) == pytest.approx((50, 90, 99))


def test_time_per_token_is_between_first_and_last():
    figures = together([_record(0, 1.0, first=0.1, last=0.5, tokens=5)], 1)
    assert figures.tpot.p50 == pytest.approx(100)
    assert figures.ttft.p50 == pytest.approx(100)


def test_an_answer_in_one_piece_has_no_time_per_token():
    figures = together([_record(0, 1.0, first=None)], 1)
    assert figures.tpot.p50 is None
    assert figures.ttft.p50 is None


def test_a_sender_that_is_late_itself_is_told():
    assert together([_record(0, 1.0, late=0.2)], 1).sent_late
    assert not together([_record(0, 1.0, late=0.001)], 1).sent_late


def test_with_no_answer_at_all_nothing_is_made_up():
    figures = together([_record(0, 1.0, error="HTTP 503")], 1)
    assert (figures.latency.p50, figures.requests_per_second, figures.tokens_per_second) == (None, 0, 0)
