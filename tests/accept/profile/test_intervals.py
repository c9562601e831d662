from hypothesis import given
from hypothesis import strategies as st

from npudoctor.accept.profile.intervals import Intervals, inside, union
from npudoctor.accept.profile.numbers import nanoseconds

STRETCHES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), min_size=1, max_size=12)


def made(pairs):
    intervals = Intervals()
    for start, length in pairs:
        intervals.add(start, start + length)
    return intervals


@given(STRETCHES, STRETCHES)
def test_the_union_covers_each_moment_once(some, others):
    covered = {at for start, length in (*some, *others) for at in range(start, start + length)}
    got = union((made(some), made(others)))
    assert got.covered == len(covered)
    assert got.covered + sum(got.gaps) == got.end - got.start


@given(STRETCHES, STRETCHES)
def test_inside_tells_apart_what_lies_wholly_within(inner, outer):
    within, without = inside(made(inner), made(outer))
    assert len(within) + len(without) == len(inner)
    covered = {at for start, length in outer for at in range(start, start + length)}
    for start, end in zip(within.starts, within.ends, strict=True):
        assert set(range(start, end)) <= covered


def test_times_are_exact_where_a_float_is_not():
    assert nanoseconds(b"1736158271000908.331\t") == 1736158271000908331
    assert nanoseconds(b"1736158271000908") == 1736158271000908000
    assert nanoseconds(b"3.625000") == 3625
    assert nanoseconds(b"0.5") == 500
    assert nanoseconds(b"1.7E+3") == 1700000
