from fractions import Fraction
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.simulate.one_machine import mean_busy_times, shortest_remaining_first

jobs = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4)), min_size=1, max_size=3)


def brute_force(work, release, cost, unit):
    """Least cost over all ways to serve one job (or none) in each unit of time."""

    @cache
    def least(t, left):
        if not any(left):
            return 0
        choices = [None] if t < 8 else []
        choices += [j for j, rest in enumerate(left) if rest and release[j] <= t]
        best = None
        for j in choices:
            rest = tuple(x - (i == j) for i, x in enumerate(left))
            own = 0 if j is None else unit(t, j) + (cost(t, j) if rest[j] == 0 else 0)
            total = own + least(t + 1, rest)
            best = total if best is None else min(best, total)
        return best

    return least(0, tuple(work))


@given(jobs)
@settings(max_examples=30, deadline=None)
def test_shortest_remaining_first_is_optimal(drawn):
    work, release = zip(*drawn, strict=True)
    least = brute_force(work, release, lambda t, j: t + 1, lambda t, j: 0)
    assert shortest_remaining_first(work, release) == least


@given(jobs)
@settings(max_examples=30, deadline=None)
def test_mean_busy_times_have_the_least_sum(drawn):
    work, release = zip(*drawn, strict=True)
    least = brute_force(
        work, release, lambda t, j: 0, lambda t, j: Fraction(2 * t + 1, 2 * work[j])
    )
    found = sum(mean_busy_times(work, release))
    assert least - len(work) < found <= least


def test_large_times_are_exact():
    second = 10**30
    assert shortest_remaining_first([second, 1], [0, 1]) == second + 3
    assert mean_busy_times([2 * second], [second]) == [2 * second]


def test_no_jobs():
    assert shortest_remaining_first([], []) == 0
    assert mean_busy_times([], []) == []
