"""Prices over intervals of time."""

import random
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.simulate.bounds import workload_bounds
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.interval_prices import (
    UNIT,
    Multipliers,
    PricedJob,
    best_multipliers,
    priced_bound,
)
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from tests.simulate.small import job, workload


def test_prices_over_time_see_when_the_queue_is_there():
    draw = random.Random(0)
    two = ({"fast": 1, "slow": "0.2"}, {"fast": 1, "slow": "0.8"})
    jobs = [
        job(f"j{i}", draw.randrange(12_000), 1, size, throughput=two[i % 2])
        for i, size in enumerate(draw.choices((200, 1000, 3000), k=20))
    ]
    problem = RoundProblem.of_workload(
        workload("fast=1,slow=1", *jobs), round_seconds=100, objective="jct"
    )
    quick, priced = workload_bounds(problem), workload_bounds(problem, intervals=40)
    run = simulate_rounds(problem, make_scheduler("hadar"))
    assert priced.avg_jct_by == "priced"
    assert quick.avg_jct_s < priced.avg_jct_s
    assert priced.avg_jct_s <= sum(run.jct.values()) / 20


units = st.integers(0, UNIT)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_any_multipliers_give_a_bound(data):
    jobs = [
        PricedJob(0, 10, 5, 1, 1, ((0, Fraction(1, 10)),)),
        PricedJob(4, 24, 10, 1, 1, ((0, Fraction(1, 20)),)),
    ]
    cuts = [0, 6, 11, 30]
    given_ = Multipliers(
        [[data.draw(units)] for _ in range(3)],
        [data.draw(units) for _ in jobs],
        [data.draw(st.integers(0, 60)) for _ in jobs],
    )
    # One machine, works 10 and 20 released at 0 and 4: 10 + 30.
    assert priced_bound(jobs, [1], cuts, given_) <= 40


def test_the_program_finds_good_multipliers():
    second = 1000
    rates = (Fraction(1, 10 * second), Fraction(1, 20 * second))
    jobs = [
        PricedJob(0, 10 * second, 5 * second, 1, 1, ((0, rates[0]),)),
        PricedJob(4 * second, 24 * second, 10 * second, 1, 1, ((0, rates[1]),)),
    ]
    cuts = [t * second for t in range(40)]
    found = priced_bound(jobs, [1], cuts, best_multipliers(jobs, [1], cuts, float(second)))
    # What is lost is that work counts as done at the start of its second.
    assert 39 * second <= found <= 40 * second
