"""What an allocation is worth, as integers, against the formulas in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.simulate.schedulers.worth import VALUE_BITS, Worth
from tests.simulate.small import job
from tests.simulate.views import view_of

NODES = {"a": {"fast": 2, "slow": 2}}
AIMS = ("utility", "makespan", "finish_time_fairness")


def gains(view):
    rows = [[view.problem.gain(q.index, r) for r in range(2)] for q in view.queue]
    return np.array(rows, np.int64).reshape(-1, 2)


def formula(aim, view, q, r):
    """The worth of a job at slowest type r as the docstring has it; 0 where it cannot run."""
    rounds = [
        -(-q.remaining // view.problem.gain(q.index, k)) if view.problem.gain(q.index, k) else None
        for k in range(2)
    ]
    if rounds[r] is None:
        return Fraction(0)
    if aim == "utility":
        return q.job.value(view.round - 1 + rounds[r])
    least = min(n for n in rounds if n is not None)
    slowed = Fraction(least, rounds[r])
    if aim == "makespan":
        return q.job.gang_size * least * slowed
    total, jobs = 4, len(view.queue)
    mean = sum(Fraction(2) * x for x in q.job.speed) / max(jobs * q.job.gang_size, total)
    tau = view.problem.round_seconds
    rho = (view.now - q.job.arrival + least * tau) * mean / q.job.iterations
    return q.job.gang_size * rho * slowed


queues = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 900), st.integers(0, 3), st.sampled_from([1, 2])),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(AIMS), queues, st.integers(3, 6))
def test_integers_are_the_formulas_rounded_down_at_one_scale(aim, drawn, t):
    jobs = [
        job(f"j{i}", 100 * late, gang, size, throughput={"fast": 1} if one == 1 else {"slow": 1})
        for i, (gang, size, late, one) in enumerate(drawn)
    ]
    jobs.append(job("both", 0, 1, 77))
    view = view_of(NODES, *jobs, round=t)
    found = Worth(aim).of(view, gains(view))
    true = [[formula(aim, view, q, r) for r in range(2)] for q in view.queue]
    if aim == "utility":
        top = max(q.job.value.at_once for q in view.queue)
    else:
        top = max(max(row) for row in true)
    scale = Fraction(2**VALUE_BITS) / top
    wanted = [[max(1, int(x * scale)) if x else 0 for x in row] for row in true]
    assert found.tolist() == wanted


@pytest.mark.parametrize(
    ("aim", "first"), [("utility", "long"), ("makespan", "long"), ("finish_time_fairness", "wide")]
)
def test_who_goes_first(aim, first):
    """Iterations are what utility counts; a wide gang is worth its GPUs in fairness."""
    names = {"short": (1, 100), "long": (1, 5000), "wide": (2, 100)}
    jobs = [job(name, 0, gang, size) for name, (gang, size) in names.items()]
    view = view_of(NODES, *jobs, round=1)
    found = Worth(aim).of(view, gains(view)).max(axis=1)
    assert list(names)[int(found.argmax())] == first


def test_nothing_can_run_and_an_empty_queue():
    none = {"throughput": {"fast": "0.001"}}
    view = view_of(NODES, job("x", 0, 1, 5, **none))
    for aim in AIMS:
        assert not Worth(aim).of(view, gains(view)).any()


@pytest.mark.parametrize("aim", AIMS)
def test_a_faster_type_is_worth_no_less(aim):
    view = view_of(NODES, *(job(f"j{i}", 0, 1, 10 + 37 * i) for i in range(8)), round=1)
    found = Worth(aim).of(view, gains(view))
    assert (found[:, 0] >= found[:, 1]).all() and (found > 0).all()
