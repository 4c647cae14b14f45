"""Assertions on schedules and on dual solutions, exact."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hadaropt.certificates.options import ExactPrices
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.errors import ScheduleError, check_type
from hadaropt.instance import Instance
from hadaropt.results import Prices
from hadaropt.schedule import CheckedSchedule, Schedule, check_schedule

PRICES_HINT = "such as result.prices, or some of testing.price_tables(instance)"


def assert_schedule_feasible(instance: Instance, schedule: Schedule) -> CheckedSchedule:
    """Assert that THE checker accepts the schedule; return its exact facts."""
    try:
        return check_schedule(instance, schedule)
    except ScheduleError as bad:
        raise AssertionError(f"infeasible schedule: {bad}") from bad


def assert_dual_feasible(
    instance: Instance, prices: Prices, payoffs: Sequence[Fraction | float], *, exact: bool = True
) -> None:
    """Assert mu_j >= u_s - sum k w^s for all schedules of every job, and k, mu >= 0.

    Parameters
    ----------
    instance : Instance
    prices : Prices
        k.
    payoffs : sequence of J numbers
        mu.
    exact : bool
        True: no tolerance at all. False: 1e-6 of slack relative to the largest payoff, for duals
        that come from a solver.
    """
    check_type("prices", prices, Prices, PRICES_HINT)
    if prices.units.size and int(prices.units.min()) < 0:
        raise AssertionError(f"a price is {int(prices.units.min())} / {prices.scale}, must be >= 0")
    best = _max_payoffs(instance, prices)
    slack = Fraction(0) if exact else Fraction(1, 10**6) * max([Fraction(1), *best])
    for job, payoff, least in zip(instance.jobs, payoffs, best, strict=True):
        if Fraction(payoff) < 0 or Fraction(payoff) + slack < least:
            raise AssertionError(
                f"dual infeasible: job {job.name} has payoff {payoff}, but a schedule of it is "
                f"worth {least} at these prices"
            )


def _max_payoffs(instance: Instance, prices: Prices) -> tuple[Fraction, ...]:
    return max_payoffs(instance, _exact(instance, prices)).upper


def _exact(instance: Instance, prices: Prices) -> ExactPrices:
    return ExactPrices.of(instance, prices.exact(), by_node=prices.pool == "node")


def assert_weak_duality(instance: Instance, schedule: Schedule, prices: Prices) -> None:
    """Assert value(schedule) <= D(k), both exact."""
    check_type("prices", prices, Prices, PRICES_HINT)
    value = assert_schedule_feasible(instance, schedule).value
    bound = max_payoffs(instance, _exact(instance, prices)).bound
    if value > bound:
        raise AssertionError(f"weak duality broken: value {value} > D(k) = {bound}")
