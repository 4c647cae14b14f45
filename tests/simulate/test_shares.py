import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.rounds.share_response import equal_response, total_response
from hadaropt.simulate.shares.model import ShareProblem
from hadaropt.simulate.shares.price_space import equal_by_prices, total_by_prices
from hadaropt.simulate.shares.programs import (
    finish_time_fairness,
    max_min_fairness,
    max_sum_throughput,
    min_total_duration,
    min_total_duration_searched,
)
from hadaropt.simulate.shares.rules import fifo, isolated

PROGRAMS = {
    "max_min_fairness_perf": (max_min_fairness, "exact_objective"),
    "max_sum_throughput_perf": (max_sum_throughput, "exact_objective"),
    "min_total_duration_perf": (min_total_duration, "exact_T_s"),
    "finish_time_fairness_perf": (finish_time_fairness, "exact_objective"),
}


@pytest.fixture(scope="module")
def snapshots(gavel_data):
    return json.loads((gavel_data / "snapshots.json").read_text())["snapshots"]


def problem_of(snapshot):
    jobs, types = snapshot["jobs"], snapshot["worker_types_order"]

    def column(name):
        return np.array([job[name] for job in jobs], float)

    return ShareProblem(
        np.array([snapshot["cluster"][kind] for kind in types], float),
        column("scale_factor"),
        np.array([[job["throughput"][kind] for kind in types] for job in jobs]),
        column("priority_weight"),
        column("steps_remaining"),
        column("time_since_start_s"),
        np.zeros(len(jobs)),
    )


@pytest.mark.parametrize("policy", PROGRAMS)
def test_prices_reach_the_recorded_exact_optima(snapshots, policy):
    program, key = PROGRAMS[policy]
    for snapshot in snapshots:
        problem = replace(problem_of(snapshot), solver="prices")
        found = program(problem)
        assert_feasible(problem, found.x)
        exact = snapshot["results"][policy][key]
        assert found.objective == pytest.approx(exact, rel=1e-6), snapshot["name"]


@st.composite
def share_problems(draw):
    types, jobs = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    counts = draw(st.lists(st.integers(0, 4), min_size=types, max_size=types).filter(any))
    entry = st.sampled_from([0, 0.25, 1, 1.5, 2, 40])
    rows = [
        draw(
            st.lists(entry, min_size=types, max_size=types).filter(
                lambda row: any(x * n for x, n in zip(row, counts, strict=True))
            )
        )
        for _ in range(jobs)
    ]
    there = np.array(counts) > 0
    return make(
        counts,
        np.array(rows) * there,
        gang=[draw(st.integers(1, 4)) for _ in range(jobs)],
        remaining=[draw(st.integers(1, 100)) for _ in range(jobs)],
        age=[draw(st.integers(0, 50)) for _ in range(jobs)],
    )


@settings(deadline=None, max_examples=20)
@given(share_problems())
def test_prices_and_the_interior_point_agree(problem):
    for policy, (program, _) in PROGRAMS.items():
        found = program(replace(problem, solver="prices"))
        assert_feasible(problem, found.x)
        assert found.objective == pytest.approx(program(problem).objective, rel=1e-5), policy


@settings(deadline=None, max_examples=20)
@given(share_problems())
def test_the_bound_of_prices_is_reached_and_the_kernels_equal_their_python(problem):
    for generate, kernel in (
        (equal_by_prices, equal_response),
        (total_by_prices, total_response),
    ):
        x, value, bound = generate(problem.counts, problem.gang, problem.speed, 1e-9)
        rates = problem.received(x)
        reached = rates.min() if kernel is equal_response else rates.sum()
        assert value * (1 - 1e-9) <= bound * (1 + 1e-12)
        assert reached == pytest.approx(bound, rel=1e-8)
        own, slow = np.empty_like(x), np.empty_like(x)
        prices = np.linspace(0.1, 0.2, len(problem.counts))
        gain = problem.speed / problem.speed.max(axis=1).min()
        answer = kernel(gain, problem.gang, prices, own)
        assert answer == pytest.approx(kernel.py_func(gain, problem.gang, prices, slow))
        assert own == pytest.approx(slow)


def make(counts, speed, **changes):
    speed = np.array(speed, float)
    ones = np.ones(len(speed))
    fields = {
        "counts": np.array(counts, float),
        "gang": ones,
        "speed": speed,
        "weight": ones,
        "remaining": ones,
        "age": 0 * ones,
        "isolated_seconds": 0 * ones,
    }
    return ShareProblem(**fields | {k: np.array(v, float) for k, v in changes.items()})


def assert_feasible(problem, x):
    assert x.min() >= 0
    assert (problem.gang @ x <= problem.counts + 1e-7).all()
    assert (x.sum(axis=1) <= 1 + 1e-7).all()


@pytest.mark.parametrize("policy", PROGRAMS)
def test_objectives_equal_the_recorded_exact_optima(snapshots, policy):
    program, key = PROGRAMS[policy]
    assert len(snapshots) >= 8
    for snapshot in snapshots:
        problem = problem_of(snapshot)
        found = program(problem)
        assert_feasible(problem, found.x)
        exact = snapshot["results"][policy][key]
        assert found.objective == pytest.approx(exact, rel=1e-6), snapshot["name"]


def test_the_searched_duration_is_where_the_reference_stopped(snapshots):
    for snapshot in snapshots:
        problem = problem_of(snapshot)
        found = min_total_duration_searched(problem)
        assert_feasible(problem, found.x)
        recorded = snapshot["results"]["min_total_duration_perf"]["gavel_T_s"]
        assert found.objective == recorded, snapshot["name"]
        assert (problem.remaining / problem.received(found.x)).max() == pytest.approx(recorded)


@pytest.mark.parametrize(("policy", "rule"), [("isolated", isolated), ("fifo_perf", fifo)])
def test_rules_equal_the_recorded_shares(snapshots, policy, rule):
    for snapshot in snapshots:
        recorded = np.array(snapshot["results"][policy]["allocation"])
        assert rule(problem_of(snapshot)).x == pytest.approx(recorded, abs=1e-12), snapshot["name"]


def test_max_min_by_hand():
    """Two jobs, one fast and one slow GPU; job 0 gains 4 from the fast one, job 1 only 2."""
    found = max_min_fairness(make([1, 1], [[4, 1], [2, 1]]))
    # Normalised speeds (1.6, .4) and (4/3, 2/3): 1.6 a + .4 (1 - a) = 4/3 (1 - a) + 2/3 a.
    share = (4 / 3 - 0.4) / (1.6 - 0.4 + 4 / 3 - 2 / 3)
    assert found.x == pytest.approx(np.array([[share, 1 - share], [1 - share, share]]))
    assert found.objective == pytest.approx(0.4 + 1.2 * share)


def test_sum_and_duration_by_hand():
    problem = make([1], [[4], [1]], remaining=[40, 10])
    assert max_sum_throughput(problem).x == pytest.approx(np.array([[1], [0]]))
    assert min_total_duration(problem).x == pytest.approx(np.array([[0.5], [0.5]]))
    assert min_total_duration(problem).objective == pytest.approx(20)


def test_finish_time_fairness_by_hand():
    """Both would need 20 s alone; job 0 is 30 s old, so it gets more than half the time."""
    problem = make([1], [[1], [1]], remaining=[10, 10], age=[30, 0])
    found = finish_time_fairness(problem)
    first, second = found.x[:, 0]
    assert first + second == pytest.approx(1)
    assert 30 + 10 / first == pytest.approx(10 / second)
    assert found.objective == pytest.approx((30 + 10 / first) / 20)


def test_finish_time_fairness_keeps_equal_shares_that_are_optimal():
    found = finish_time_fairness(make([1], [[1], [1]], remaining=[10, 10]))
    assert found.x == pytest.approx(np.array([[0.5], [0.5]]))
    assert found.objective == pytest.approx(1)


def test_fifo_stops_at_the_first_job_without_room():
    problem = make([2, 1], [[2, 1], [2, 1], [2, 1]], gang=[2, 2, 1])
    assert fifo(problem).x.tolist() == [[1, 0], [0, 0], [0, 0]]
