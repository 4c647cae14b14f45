"""Theorems H2 - H5, the exact bound and the rounding, against brute force."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.makespan import fluid_makespan, makespan_bound
from hadaropt.forking.planning.planner import plan_round
from hadaropt.forking.planning.problem import ForkJob, ForkProblem
from hadaropt.forking.planning.rounding import play_rounds, round_makespan
from hadaropt.instance import Cluster
from tests.forking.small import fewest_rounds, machine_problems, machines, shared_problems

few = settings(deadline=None, max_examples=30)


def by_makespan(problem, held):
    return plan_round(problem, "makespan", held)


def serial(problem):
    """A bound above the makespan in rounds: each job alone on one node, or over nodes."""
    return sum(
        -(-job.remaining // problem.progress(j, problem.levels(j)[-1], spread=True))
        for j, job in enumerate(problem.jobs)
    )


@few
@given(machine_problems(capped=True))
def test_the_exact_bound_equals_the_program(problem):
    found = fluid_makespan(problem)
    assert found.node_machine
    assert float(found.bound) == pytest.approx(found.value, rel=1e-7)


@few
@given(shared_problems())
def test_the_exact_bound_equals_the_program_where_jobs_share_nodes(problem):
    found = fluid_makespan(problem)
    assert float(found.bound) == pytest.approx(found.value, rel=1e-7)


@few
@given(shared_problems(), st.data())
def test_any_prices_bound_any_schedule(problem, data):
    number = st.integers(0, 5).map(Fraction)
    work = [data.draw(number) for _ in problem.jobs]
    kinds = 1 if fluid_makespan(problem).node_machine else len(problem.cluster.accelerators)
    gpu = [[data.draw(number) for _ in range(kinds)] for _ in problem.groups]
    bound = makespan_bound(problem, work, gpu)
    assert float(bound) <= fluid_makespan(problem).value * (1 + 1e-7)
    played = play_rounds(problem, by_makespan)
    assert bound <= played.makespan * problem.round_seconds


@settings(deadline=None, max_examples=15)
@given(machine_problems(most_jobs=2, most_nodes=2, capped=True, integer=True), st.integers(0, 1))
def test_no_schedule_of_rounds_beats_the_bound(problem, lost):
    own = replace(problem, round_seconds=Fraction(2), consolidation_seconds=Fraction(lost))
    best = fewest_rounds(own)
    if best is not None:
        assert fluid_makespan(own).bound <= best * own.round_seconds
        assert best <= play_rounds(own, by_makespan).makespan


@few
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
def test_h3_related_nodes(work, speed):
    """C* = (sum_j Q_j / x_j) / S."""
    x = [j + 1 for j in range(len(work))]
    found = fluid_makespan(machines([[a * s for s in speed] for a in x], work))
    exact = sum(Fraction(q, a) for q, a in zip(work, x, strict=True)) / sum(speed)
    assert float(found.bound) == pytest.approx(float(exact))


def test_h4_full_utilisation_may_be_slow():
    """X = [[1, e], [e, 1]]: swapped, both nodes are always busy and all takes 1/e times as long."""
    slow = Fraction(1, 50)
    problem = machines([[1, slow], [slow, 1]], [1000, 1000], tau=50)
    assert fluid_makespan(problem).bound == pytest.approx(1000)

    def swapped(now, held):
        plan = plan_round(now, "makespan")
        other = {0: ((1, 1, 1),), 1: ((0, 0, 1),)}
        name = {job.name: i for i, job in enumerate(now.jobs)}
        places = {i: other[int(job[1:])] for job, i in name.items()}
        progress = {i: now.progress(i, places[i][0][1]) for i in places}
        return replace(plan, placements=places, progress=progress)

    assert play_rounds(problem, swapped).makespan == 1000 / slow / 50
    for objective in ("makespan", "jct"):
        played = play_rounds(problem, lambda now, held, o=objective: plan_round(now, o, held))
        assert played.makespan == 20
        assert played.rounds[0] == {0: ((0, 0, 1),), 1: ((1, 1, 1),)}


@few
@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=4),
    st.lists(st.integers(1, 9), min_size=1, max_size=3),
)
def test_h2_and_h4_on_related_nodes(work, speed):
    """Non-idling: C* <= K tau <= C* + E tau; busy share >= 1 - E / K."""
    problem = machines([[s for s in speed] for _ in work], work)
    played = play_rounds(problem, by_makespan)
    K, E = played.makespan, len(set(played.completion))
    fluid = Fraction(sum(work), sum(speed))
    assert fluid <= K <= fluid + E
    idle = sum(
        len(speed) - len({h for place in held.values() for h, _, _ in place})
        for held in played.rounds
    )
    assert idle <= E * len(speed)
    for k, held in enumerate(played.rounds):
        if k + 1 not in played.completion:
            assert len({h for place in held.values() for h, _, _ in place}) == len(speed)


@few
@given(machine_problems())
def test_h5_what_forking_gains(problem):
    nodes = len(problem.cluster.nodes)
    alone = replace(problem, jobs=tuple(replace(job, max_copies=1) for job in problem.jobs))
    forked, whole = fluid_makespan(problem).value, fluid_makespan(alone).value
    assert forked <= whole * (1 + 1e-7)
    assert whole <= nodes * forked * (1 + 1e-7)


def test_h5_both_ends_are_attained():
    one = machines([[1, 1, 1, 1]], [12])
    assert fluid_makespan(one).bound == pytest.approx(3)
    alone = replace(one, jobs=(replace(one.jobs[0], max_copies=1),))
    assert fluid_makespan(alone).bound == pytest.approx(12)
    apart = machines([[1, 0], [0, 1]], [12, 12])
    assert fluid_makespan(apart).bound == pytest.approx(12)


def test_h3_is_no_bound_when_jobs_share_a_node():
    cluster = Cluster.of({"n": {"V": 2}})
    problem = ForkProblem(cluster, tuple(ForkJob(n, 1, 1, (1,)) for n in "ab"), Fraction(1))
    found = fluid_makespan(problem)
    assert not found.node_machine
    assert found.bound == 1
    with pytest.raises(InstanceError, match="cluster, must have nodes that are one machine each"):
        round_makespan(problem)


def test_a_gang_over_nodes_counts_at_its_factor():
    cluster = Cluster.of({"a": {"V": 1}, "b": {"V": 1}})
    job = ForkJob("x", 2, 12, (4,), None, Fraction(1, 2))
    found = fluid_makespan(ForkProblem(cluster, (job,), Fraction(1)))
    assert found.bound == pytest.approx(6)


def test_no_jobs():
    problem = ForkProblem(Cluster.of({"a": {"V": 1}}), ())
    assert fluid_makespan(problem).bound == 0
    assert plan_round(problem, "makespan").placements == {}
