from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.planner import OBJECTIVES, plan_round
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
