"""The assertions on schedules and duals accept what is right and reject what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt import testing
from hadaropt.results import Prices
from hadaropt.schedule import Allocation, Schedule
from tests.testing.small import one_job

CASES = settings(deadline=None, max_examples=25)


@given(testing.instances(), st.data())
@CASES
def test_weak_duality_and_dual_feasibility_of_any_prices(instance, data):
    prices = data.draw(testing.price_tables(instance, data.draw(st.sampled_from(("type", "node")))))
    run = hadaropt.run_online(instance, hadaropt.policies.Fifo())
    testing.assert_weak_duality(instance, run.schedule, prices)
    best = [Fraction(1000)] * len(instance.jobs)
    testing.assert_dual_feasible(instance, prices, best)


def test_an_infeasible_dual_is_refused_exactly_and_within_tolerance():
    instance = one_job()
    free = Prices(np.zeros((2, 1), np.int64), Fraction(1))
    testing.assert_dual_feasible(instance, free, [5, 5])
    with pytest.raises(AssertionError, match="job j1 has payoff"):
        testing.assert_dual_feasible(instance, free, [5, Fraction(5) - Fraction(1, 10**9)])
    testing.assert_dual_feasible(instance, free, [5, 5 - 1e-9], exact=False)
    with pytest.raises(AssertionError):
        testing.assert_dual_feasible(instance, free, [5, 4.9], exact=False)


def test_an_infeasible_schedule_is_refused():
    both = (Allocation(1, ((0, 0, 1),)),)
    with pytest.raises(AssertionError, match="capacity"):
        testing.assert_schedule_feasible(one_job(), Schedule((both, both)))


def test_prices_of_another_kind_are_said():
    instance = one_job()
    for check in (
        lambda: testing.assert_dual_feasible(instance, None, []),
        lambda: testing.assert_weak_duality(instance, Schedule.empty(instance), {}),
    ):
        with pytest.raises(TypeError, match=r"prices = .*must be of type Prices: such as"):
            check()
