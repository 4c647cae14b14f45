"""Prices calibrated on an earlier instance: told yesterday's U, L, m; judged by the certificate."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.bench.ratio import calibrated
from hadaropt.bench.ratio.calibrated import Calibrated, dual_level, run_calibrated, transfer
from hadaropt.bench.ratio.policy_text import policy_from_text
from hadaropt.bench.ratio.suite import YESTERDAY, RatioSuite, run_task
from hadaropt.errors import InstanceError
from hadaropt.generate import generate
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.policies import PrimalDual
from hadaropt.utility import Table
from tests.interrupting import cut_short


def market(names, values, rounds=2):
    """Jobs of one round each, on one GPU of each type, in a round of a second."""
    cluster = hadaropt.Cluster.of({"n": dict.fromkeys(names, 1)})
    jobs = [
        hadaropt.Job(f"j{i}", 0, 1, 1, {name: 1}, Table((value,) * rounds))
        for i, (name, value) in enumerate(values)
    ]
    return hadaropt.Instance(cluster, jobs, rounds, 1)


TODAY = market(("A", "B"), [("A", 3), ("B", 5)])
YESTERDAYS = market(("B", "A"), [("A", 40), ("A", 30), ("A", 20), ("B", 7)])


def told():
    truth, known = (compute_foreknowledge(x, "type") for x in (TODAY, YESTERDAYS))
    return truth, known, transfer(truth, TODAY, known, YESTERDAYS)


def test_u_and_m_are_those_of_the_type_by_name():
    truth, known, found = told()
    assert {place: found.value_per_unit[place] for place in truth.capacity} == {
        (0, 0): 40, (1, 0): 40, (0, 1): 7, (1, 1): 7,
    }  # fmt: skip
    assert found.capacity == truth.capacity
    assert found.least_density == known.least_density != truth.least_density
    assert "earlier" in found.origin


def test_nothing_of_the_jobs_of_today_is_used():
    policy = Calibrated(PrimalDual("exponential"), "duals", YESTERDAYS)
    other = replace(TODAY, jobs=(replace(TODAY.jobs[0], utility=Table((4, 4))), TODAY.jobs[1]))
    runs = [run_calibrated(instance, policy) for instance in (TODAY, other)]
    shown = [(run.foreknowledge["L"], run.completion) for run in runs]
    assert shown[0] == shown[1]


def test_prices_begin_at_the_mean_dual_price_of_the_type():
    """Three jobs want A in two rounds: 20 of the third is its price there; B is not scarce."""
    _, known, found = told()
    level = dual_level(TODAY, found, YESTERDAYS)
    assert 20 <= level[0, 0] == level[1, 0] <= 30
    assert level[0, 1] == known.least_density


@pytest.mark.parametrize("text", ["step[calibrated=bounds]", "exponential[calibrated=duals]"])
def test_the_certificate_holds_for_the_instance_that_is_played(text):
    suite = RatioSuite(
        families=("small_uniform",), policies=(f"primal_dual:{text}",), jobs=6, rounds=6
    )
    for seed in range(3):
        (cell,) = run_task(suite, "small_uniform", seed, "mixed")
        assert cell.policy == f"primal_dual:{text}"
        assert cell.primal <= cell.best <= cell.bound <= cell.dual
        if cell.theorem:
            assert Fraction(cell.best) <= Fraction(cell.guarantee * float(cell.primal) * 1.000001)


def test_yesterday_is_another_seed_of_the_same_suite():
    suite = RatioSuite(jobs=6, rounds=6, parameters={"load": "0.4"})
    policy = suite.policy("primal_dual:step[calibrated=bounds]", "small_uniform", 2, "forked")
    drawn = generate(
        "small_uniform", seed=2 + YESTERDAY, num_jobs=6, num_rounds=6, load="0.4"
    ).with_parallelism("forked")
    assert policy.earlier == drawn
    assert suite.policy("fifo", "small_uniform", 2, "mixed") == policy_from_text("fifo")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("primal_dual:step[calibrated=duals]", "must be bounds for step prices"),
        ("primal_dual:step[calibrated=bound]", 'did you mean "bounds"'),
        ("fifo[calibrated=bounds]", "must be PARAMETER=VALUE of iterations"),
        ("primal_dual:step[calibrated=bounds,iterations=2]", "must not give"),
    ],
)
def test_what_cannot_be_calibrated_is_named(text, said):
    with pytest.raises(InstanceError, match=said):
        policy_from_text(text)


def test_without_an_earlier_instance_it_says_where_it_takes_part():
    policy = policy_from_text("primal_dual:step[calibrated=bounds]")
    with pytest.raises(InstanceError, match="has no earlier instance here"):
        run_calibrated(TODAY, policy)


def test_no_price_begins_at_what_ctrl_c_cut_short(monkeypatch):
    _, _, found = told()
    cut_short(monkeypatch, calibrated, "branch_and_price")
    with pytest.raises(KeyboardInterrupt):
        dual_level(TODAY, found, YESTERDAYS)
