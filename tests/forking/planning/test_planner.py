from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.fill import Request, RoundFill, fill_round
from hadaropt.forking.planning.planner import OBJECTIVES, plan_round
from hadaropt.forking.planning.problem import ForkJob, ForkProblem
from hadaropt.forking.planning.utility import plan_utility
from hadaropt.instance import Cluster
from tests.forking.small import machines, shared_problems

few = settings(deadline=None, max_examples=25)


def valued(problem):
    jobs = tuple(replace(job, worth=lambda d: Fraction(60, d)) for job in problem.jobs)
    return replace(problem, jobs=jobs)


@few
@given(shared_problems(), st.sampled_from(OBJECTIVES))
def test_plans_are_feasible_and_leave_no_node_idle(problem, objective):
    plan = plan_round(valued(problem), objective)
    free = [list(row) for row in problem.cluster.capacity]
    for j, place in plan.placements.items():
        job, per_node = problem.jobs[j], Counter()
        for h, r, count in place:
            assert count >= 1 and job.speed[r] > 0
            free[h][r] -= count
            per_node[h] += count
        total = sum(per_node.values())
        copies = total // job.gang_size
        assert total == copies * job.gang_size
        if copies > 1:
            assert set(per_node.values()) == {job.gang_size}
            assert len(per_node) == copies <= problem.copies(j)
        if not problem.mixing:
            assert len({r for _, r, _ in place}) == 1 or copies > 1
        slowest = [min((job.speed[r] for g, r, _ in place if g == h), default=0) for h in per_node]
        seconds = problem.round_seconds
        if copies > 1:
            seconds -= problem.consolidation_seconds
        if copies == 1:
            factor = job.spread_factor if len(per_node) > 1 else 1
            assert plan.progress[j] == int(min(slowest) * factor * seconds)
        else:
            assert plan.progress[j] == sum(int(x * seconds) for x in slowest)
    assert all(count >= 0 for row in free for count in row)
    if problem.consolidation_seconds:
        return
    for j, job in enumerate(problem.jobs):
        place = plan.placements.get(j, ())
        here = {h for h, _, _ in place}
        spread = sum(count for *_, count in place) == job.gang_size and len(here) > 1
        if spread or plan.progress.get(j, 0) >= job.remaining or len(here) >= problem.copies(j):
            continue
        for h, row in enumerate(free):
            assert h in here or problem.row_level(j, tuple(row)) is None


@few
@given(shared_problems(), st.sampled_from(OBJECTIVES))
def test_plans_do_not_depend_on_anything_else(problem, objective):
    assert plan_round(valued(problem), objective) == plan_round(valued(problem), objective)


def test_bad_objectives_and_missing_worth_are_named():
    problem = machines([[1]], [5])
    with pytest.raises(InstanceError, match=r"objective = \"speed\", must be one of jct"):
        plan_round(problem, "speed")
    with pytest.raises(InstanceError, match=r"jobs\[0\].worth, must be given"):
        plan_round(problem, "utility")


def test_a_job_stays_where_it_was():
    problem = machines([[1, 1, 1]], [5], copies=[1])
    assert plan_round(problem, "jct", {0: ((2, 2, 1),)}).placements == {0: ((2, 2, 1),)}


def test_wishes_before_all_others():
    problem = machines([[5, 1], [5, 1]], [900, 1000], copies=[1, 1])
    assert plan_round(problem, "jct").placements == {0: ((0, 0, 1),), 1: ((1, 1, 1),)}
    swapped = plan_round(problem, "jct", first=[Request(1, 0, (0,), 1)])
    assert swapped.placements == {0: ((1, 1, 1),), 1: ((0, 0, 1),)}


def test_utility_takes_what_pays():
    """The dear job gets the fast node; the other one what is left."""
    problem = machines([[4, 1], [4, 1]], [40, 40], tau=10, copies=[1, 1])
    worth = (lambda d: Fraction(1, d), lambda d: Fraction(100, d))
    jobs = tuple(replace(j, worth=w) for j, w in zip(problem.jobs, worth, strict=True))
    own = replace(problem, jobs=jobs)
    assert plan_utility(own)[1].use == ((1, 0), (0, 0))
    assert plan_round(own, "utility").placements == {0: ((1, 1, 1),), 1: ((0, 0, 1),)}


def test_utility_forks_where_that_completes_earlier():
    problem = machines([[1, 1, 1]], [30], tau=10)
    own = replace(problem, jobs=(replace(problem.jobs[0], worth=lambda d: Fraction(9, d)),))
    choice = plan_utility(own)[0]
    assert choice.copies
    assert plan_round(own, "utility").progress == {0: 30}


def test_utility_without_any_worth_is_filled_by_the_greedy_rule():
    problem = machines([[1, 1]], [30], tau=10)
    own = replace(problem, jobs=(replace(problem.jobs[0], worth=lambda d: Fraction(0)),))
    assert plan_utility(own) == {}
    assert plan_round(own, "utility").progress == {0: 20}


def test_work_that_is_covered_takes_no_more_nodes():
    problem = machines([[1, 1, 1], [1, 1, 1]], [15, 100], tau=10)
    plan = plan_round(problem, "jct")
    assert plan.progress == {0: 20, 1: 10}


def test_idle_nodes_shorten_a_job_that_ends_anyway():
    problem = machines([[1, 1, 1]], [15], tau=10)
    assert plan_round(problem, "jct").progress == {0: 30}
    dear = replace(problem, consolidation_seconds=Fraction(7))
    assert plan_round(replace(dear, jobs=(replace(dear.jobs[0], remaining=10),))).progress == {
        0: 10
    }


def test_a_wish_to_be_alone():
    filled = RoundFill(machines([[1, 1]], [100]))
    assert filled.add(Request(0, 0, alone=True)) == 1
    assert filled.add(Request(0, 1, alone=True)) == 0
    assert filled.add(Request(0, 1)) == 1
    assert filled.full


def test_slow_gpus_of_a_mixed_node_are_taken_first():
    cluster = Cluster.of({"n": {"V": 2, "K": 1}})
    job = ForkJob("x", 2, 100, (4, 1))
    places = fill_round(ForkProblem(cluster, (job,)), [Request(0, 1)])
    assert places == {0: ((0, 0, 1), (0, 1, 1))}
    assert fill_round(ForkProblem(cluster, (job,)), [Request(0, 0)]) == {0: ((0, 0, 2),)}
