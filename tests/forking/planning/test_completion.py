"""Theorems H6 and H7."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.completion import completion_bound, fluid_completion, smith_order
from hadaropt.forking.planning.planner import plan_round
from hadaropt.forking.planning.problem import ForkJob, ForkProblem
from hadaropt.forking.planning.rounding import play_rounds
from hadaropt.instance import Cluster
from tests.forking.small import machine_problems, machines

few = settings(deadline=None, max_examples=20)


def by_jct(problem, held):
    return plan_round(problem, "jct", held)


def weighted(problem, played):
    return sum(
        job.weight * rounds * problem.round_seconds
        for job, rounds in zip(problem.jobs, played.completion, strict=True)
    )


@few
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 5)), min_size=1, max_size=5))
def test_h6_smith_is_the_best_order(jobs):
    work, weight = [q for q, _ in jobs], [w for _, w in jobs]
    problem = machines([[2, 1]] * len(jobs), work, weight=weight)
    found = smith_order(problem)
    best = min(
        sum(
            weight[j] * Fraction(end, 3)
            for j, end in zip(order, itertools.accumulate(work[j] for j in order), strict=True)
        )
        for order in itertools.permutations(range(len(jobs)))
    )
    assert found is not None
    assert found.value == best


@few
@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=4),
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
)
def test_h6_rounds_follow_smith_on_related_nodes(work, speed):
    """Shortest first on all nodes: whole rounds end each job within its place in the order."""
    problem = machines([list(speed)] * len(work), work)
    order = smith_order(problem)
    played = play_rounds(problem, by_jct)
    assert weighted(problem, played) >= order.value
    for place, j in enumerate(order.order):
        assert played.completion[j] <= order.completion[j] + place + 1


def test_smith_says_nothing_elsewhere():
    assert smith_order(machines([[1, 2], [2, 1]], [5, 5])) is None
    assert smith_order(machines([[1, 2]], [5], copies=[1])) is None
    assert smith_order(machines([[1, 2]], [5], release=[3])) is None
    assert smith_order(machines([[1, 2]], [5], lost="1/2")) is None


@few
@given(machine_problems(capped=True), st.data())
def test_h7_bound_and_stretch(problem, data):
    late = [data.draw(st.integers(0, 4)) for _ in problem.jobs]
    own = replace(
        problem,
        jobs=tuple(
            replace(j, release=Fraction(r)) for j, r in zip(problem.jobs, late, strict=True)
        ),
    )
    found = fluid_completion(own)
    longest = max(b - a for a, b in itertools.pairwise((Fraction(0), *found.slots)))
    weight = sum(job.weight for job in own.jobs)
    assert found.value <= 2 * float(found.bound) + float(longest * weight) + 1e-6
    starts = (Fraction(0), *found.slots[:-1])
    for j, job in enumerate(own.jobs):
        assert found.completion[j] >= float(job.release) - 1e-9
        done = sum(
            float(own.node_speeds[j][h]) * found.seconds[j, h].sum()
            for h in range(len(own.cluster.nodes))
        )
        assert done == pytest.approx(job.remaining, rel=1e-6)
        busy = found.seconds[j].sum(axis=0) / own.copies(j)
        lengths = np.diff([0.0, *map(float, found.slots)])
        assert (busy <= lengths + 1e-6).all()
    zero = np.zeros((len(own.groups) + len(own.jobs), len(found.slots)))
    assert completion_bound(own, starts, found.slots, zero) <= found.bound


@few
@given(machine_problems(capped=True, integer=True))
def test_h7_no_played_schedule_beats_the_bound(problem):
    played = play_rounds(problem, by_jct)
    assert fluid_completion(problem).bound <= weighted(problem, played)
    greedy = play_rounds(problem, lambda now, held: plan_round(now, "makespan", held))
    assert fluid_completion(problem).bound <= weighted(problem, greedy)


@few
@given(machine_problems(integer=True), st.integers(2, 6))
def test_h7_few_slots_are_a_weaker_bound(problem, slots):
    own = replace(problem, round_seconds=Fraction(1))
    coarse, fine = fluid_completion(own, most_slots=slots), fluid_completion(own)
    assert len(coarse.slots) <= len(fine.slots)
    assert coarse.slots[-1] >= fine.slots[-1] or len(fine.slots) < 48
    assert float(coarse.bound) <= weighted(own, play_rounds(own, by_jct))


def test_h7_needs_nodes_that_are_machines():
    cluster = Cluster.of({"n": {"V": 2}})
    problem = ForkProblem(cluster, tuple(ForkJob(n, 1, 1, (1,)) for n in "ab"))
    with pytest.raises(InstanceError, match="node n holds a copy of a and one of b"):
        fluid_completion(problem)
