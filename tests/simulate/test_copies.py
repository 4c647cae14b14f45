"""Copies of a job in a round."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.simulate.copies import copies_of, steps_to_the_end, steps_within

few = settings(deadline=None, max_examples=25)


@few
@given(
    st.lists(st.fractions(Fraction(1, 9), 9, max_denominator=9), min_size=1, max_size=5),
    st.integers(1, 200),
)
def test_steps_to_the_end_is_the_first_instant(speeds, steps):
    done, end = steps_to_the_end(speeds, steps)
    assert sum(done) == steps
    assert sum(steps_within(speeds, end)) >= steps
    assert all(d <= most for d, most in zip(done, steps_within(speeds, end), strict=True))
    assert sum(steps_within(speeds, end * (1 - Fraction(1, 10**9)))) < steps


def test_copies_of_a_placement():
    assert copies_of(((0, 0, 1), (1, 0, 1)), 2) == (((0, 0, 1), (1, 0, 1)),)
    forked = ((0, 0, 1), (0, 1, 1), (1, 0, 2))
    assert copies_of(forked, 2) == (((0, 0, 1), (0, 1, 1)), ((1, 0, 2),))
