"""One job as the kernels see it: candidates and their progress in units."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job
from hadaropt.pricing.model import job_model, to_units
from hadaropt.utility import Linear

numbers = st.lists(st.integers(1, 60), min_size=1, max_size=6, unique=True).map(sorted)


@settings(max_examples=100, deadline=None)
@given(numbers, st.integers(1, 50), st.integers(1, 12), st.integers(1, 60))
def test_rounding_down_is_sufficient_and_up_is_necessary(progress, whole, quantum, rounds):
    """Whatever mix of candidates is run: enough units (down) do the work, and it takes as many."""
    down = to_units(tuple(progress), whole, quantum)
    up = to_units(tuple(progress), whole, quantum, quantum - 1)
    need = -(-whole // quantum)
    for p, low, high in zip(progress, down.tolist(), up.tolist(), strict=True):
        if low * rounds >= need and p < whole:
            assert p * rounds >= whole
        if p * rounds >= whole:
            assert high * rounds >= need
        assert (low >= need) == (p >= whole) or p < whole
    beyond = [low for p, low in zip(progress, down.tolist(), strict=True) if p >= whole]
    assert beyond == list(range(need, need + len(beyond)))  # the faster one stays ahead


@settings(max_examples=60, deadline=None)
@given(numbers, st.integers(1, 50))
def test_a_common_divisor_loses_nothing(progress, whole):
    three = tuple(3 * p for p in progress)
    assert to_units(three, 3 * whole, 3).tolist() == to_units(tuple(progress), whole, 1).tolist()


CLUSTER = Cluster.of({"n0": {"A": 2, "B": 1}, "n1": {"A": 2}})


def model(gang=2, iterations=100, parallelism="mixed", **fields):
    job = Job("j", 1, gang, iterations, {"A": 10, "B": 4}, Linear(9, 1), **fields)
    return job_model(Instance(CLUSTER, (job,), 5, 1, parallelism), 0, {})


def test_candidates_are_by_progress_with_the_types_they_admit():
    found = model()
    assert found.pooled and (found.release, found.gang_size, found.iterations) == (1, 2, 100)
    assert found.gang.progress == (4, 10)
    assert found.gang.admitted.tolist() == [[True, True], [True, False]]
    assert (found.alone, found.across, found.copy.progress) == ((10, 4), (10, 4), ())
    single = model(parallelism="single_type")
    assert single.gang.progress == (4, 10)  # whether there is room, the prices of a round say
    assert single.gang.admitted.tolist() == [[False, True], [True, False]]


def test_a_gang_that_nodes_slow_has_candidates_of_its_own():
    found = model(spread_factor=Fraction(1, 2))
    assert not found.pooled
    assert found.gang.progress == (2, 4, 5, 10)
    assert found.gang.spread.tolist() == [True, False, True, False]
    assert found.gang.admitted.tolist() == [[True, True]] * 2 + [[True, False]] * 2
    assert found.across == (5, 2)
    assert model(gang=1, spread_factor=Fraction(1, 2)).pooled  # one GPU spans nothing


def test_copies_lose_their_consolidation():
    job = Job("j", 0, 1, 100, {"A": 10, "B": 4}, Linear(9, 1), max_copies=2)
    instance = Instance(CLUSTER, (job,), 5, 1, "forked", Fraction(1, 2))
    found = job_model(instance, 0, {})
    assert (found.max_copies, found.copied, found.copy.progress) == (2, (5, 2), (2, 5))


def test_jobs_of_equal_speeds_share_what_is_known():
    known = {}
    jobs = [Job(name, 0, 2, size, {"A": 10}, Linear(9, 1)) for name, size in (("a", 5), ("b", 7))]
    instance = Instance(CLUSTER, jobs, 5, 1)
    first, second = (job_model(instance, j, known) for j in (0, 1))
    assert len(known) == 1 and first.gang is second.gang
    assert (first.iterations, second.iterations) == (5, 7)


@pytest.mark.parametrize(
    ("iterations", "divisor"), [(100, 2), (4, 4), (3, 3), (10, 4)], ids=lambda x: str(x)
)
def test_the_divisor_is_that_of_what_takes_several_rounds(iterations, divisor):
    assert model(iterations=iterations).divisor == divisor
