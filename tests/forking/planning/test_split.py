from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import TrackerError
from hadaropt.forking import split_steps

speeds = st.lists(st.integers(1, 10**9), min_size=1, max_size=8).map(
    lambda own: {f"n{i}": v for i, v in enumerate(own)}
)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**12), speeds)
def test_the_total_is_exact_and_nobody_is_off_by_a_step(steps, speeds):
    shares = split_steps(steps, speeds)
    assert list(shares) == list(speeds)
    assert sum(shares.values()) == steps
    for node, share in shares.items():
        exact = Fraction(steps * speeds[node], sum(speeds.values()))
        assert abs(share - exact) < 1


def test_equal_remainders_go_in_order():
    assert split_steps(2, {"a": 1, "b": 1, "c": 1}) == {"a": 1, "b": 1, "c": 0}
    assert split_steps(2, {"c": 1, "b": 1, "a": 1}) == {"c": 1, "b": 1, "a": 0}


def test_speeds_beyond_doubles_are_exact():
    big = 2**60
    assert split_steps(2 * big + 1, {"a": big, "b": big + 1}) == {"a": big, "b": big + 1}


@pytest.mark.parametrize(
    ("steps", "speeds", "message"),
    [
        (-1, {"a": 1}, "steps = -1, must be >= 0"),
        (1, {}, "speeds, must name a node"),
        (1, {"a": 1, "b": 0}, 'speeds["b"] = 0, must be >= 1'),
    ],
)
def test_bad_input(steps, speeds, message):
    with pytest.raises(TrackerError) as bad:
        split_steps(steps, speeds)
    assert str(bad.value) == message
