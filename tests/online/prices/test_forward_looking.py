"""Forward-looking balance in rounds: jobs of known durations that leave (theorem T7)."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.io import instance_from_document
from hadaropt.online.prices.forward_looking import ForwardLooking
from hadaropt.online.quotation import quote
from hadaropt.policies import PrimalDual
from hadaropt.utility import Step
from tests.instances_strategy import tiny_instances

POLICY = PrimalDual(ForwardLooking())


def leaving(c, jobs, rounds=8):
    """One type; each job (release, duration, value) has to start at its release, on one GPU."""
    own = [
        Job(f"j{i}", a, 1, d, {"A": 1}, Step(Fraction(v), d)) for i, (a, d, v) in enumerate(jobs)
    ]
    return Instance(Cluster.of({"n": {"A": c}}), own, rounds, 1)


def most_value(c, jobs, rounds=8):
    """The optimum of `leaving`, by enumeration."""
    best = 0
    for chosen in range(1 << len(jobs)):
        held, value = [0] * rounds, 0
        for i, (a, d, v) in enumerate(jobs):
            if chosen >> i & 1 and a + d <= rounds:
                value += v
                for t in range(a, a + d):
                    held[t] += 1
        best = max(best, value if max(held) <= c else 0)
    return best


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 3),
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(1, 4), st.integers(1, 9)), min_size=1, max_size=8
    ),
)
def test_t7_bounds_the_optimum_of_jobs_that_leave(c, jobs):
    found = hadaropt.run_online(leaving(c, jobs), POLICY)
    assert found.theorem is not None and found.theorem.id == "T7"
    assert most_value(c, jobs) <= found.theorem.constant * found.value + found.theorem.additive


@settings(deadline=None, max_examples=8)
@given(tiny_instances(max_nodes=1, max_types=2, max_gpus=2, max_gang=2, min_jobs=1))
def test_t7_holds_on_other_instances_too(document):
    instance = instance_from_document(document)
    found = hadaropt.run_online(instance, POLICY)
    if found.theorem is None:
        assert found.theorem_absent
        return
    assert found.theorem.id == "T7"
    bound = found.theorem.constant * found.value + found.theorem.additive
    assert hadaropt.solve(instance).value <= bound


@pytest.mark.parametrize(("R", "D"), [(10, 5), (1000, 8)])
def test_the_constant_tends_to_beta_and_its_logarithm(R, D):
    """beta = ln(R D): beta + ln(beta) + 1 and (ln(beta) + 1)/beta (T7d), 2 % more with 200 GPUs."""
    jobs = [(0, D, 1), *[(0, 1, R)] * 250]
    found = hadaropt.run_online(leaving(200, jobs, rounds=D), POLICY)
    beta = math.log(R * D)
    limit = beta + math.log(beta) + 1
    most = limit + (math.log(beta) + 1) / beta
    assert limit <= float(found.theorem.constant) <= 1.02 * most
    assert float(found.foreknowledge["beta"]) == pytest.approx(beta, rel=1e-4)


def test_a_job_pays_for_the_rounds_in_which_it_will_run_and_no_others():
    """Two long jobs fill the node until round 4; a job that comes then pays nothing for them."""
    jobs = [(0, 4, 40), (0, 4, 40), (1, 1, 1), (4, 1, 1)]
    found = hadaropt.run_online(leaving(2, jobs), POLICY)
    assert found.completion == (3, 3, None, 4)
    assert found.payoffs[3] == 1


def test_one_table_serves_all_rounds_though_their_values_differ():
    instance = leaving(3, [(0, 1, 9), (1, 1, 2), (2, 3, 3)])
    tables = quote(instance, POLICY).tables
    prices = {tuple(tables.tables[0, 0]), tuple(tables.tables[1, 0])}
    assert len(prices) == 1
    told = {tuple(quote(instance, PrimalDual("zero_start")).tables.tables[t, 0]) for t in (0, 1)}
    assert len(told) == 2


def test_nothing_is_charged_where_no_job_is_worth_anything():
    found = hadaropt.run_online(leaving(1, [(0, 9, 5)]), POLICY)
    assert found.value == 0 and found.bound == 0
