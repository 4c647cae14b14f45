"""What a job can do with a part of the cluster, against all that it can do."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings

from hadaropt.forking.planning.options import job_options
from hadaropt.forking.planning.problem import ForkJob, ForkProblem
from hadaropt.instance import Cluster
from tests.forking.small import shared_problems

CLUSTER = Cluster.of({"a": {"fast": 2, "slow": 2}, "b": {"fast": 2, "slow": 2}, "c": {"fast": 1}})


def problem(gang, *, copies=1, lost=0, rho=1, speed=(4, 1), mixing=True):
    job = ForkJob("j", gang, 100, speed, copies, rho)
    return ForkProblem(CLUSTER, (job,), 10, lost, mixing)


def found(own, **options):
    options = {"node_machine": False} | options
    return {(o.group, o.level, o.use, o.forked): o.rate for o in job_options(own, 0, **options)}


def test_a_gang_of_one_is_alone_on_a_type_of_a_node():
    assert found(problem(1)) == {
        (0, 0, (1, 0), False): 4,
        (0, 1, (0, 1), False): 1,
        (1, 0, (1, 0), False): 4,
    }


def test_a_mix_runs_at_its_slowest_type():
    own = found(problem(3))
    assert own[0, 1, (2, 1), False] == own[0, 1, (1, 2), False] == 1
    assert (0, 0, (3, 0), False) not in own  # two fast ones on a node
    assert own[None, 0, (3, 0), False] == 4
    assert not any(group == 0 for group, *_ in found(problem(3, mixing=False)))


def test_over_nodes_it_is_slower():
    own = found(problem(3, rho="1/2"))
    assert own[None, 0, (3, 0), False] == 2 and own[0, 1, (2, 1), False] == 1


def test_copies_lose_their_consolidation():
    own = found(problem(2, copies=2, lost=5))
    assert own[0, 0, (2, 0), True] == 2 and own[0, 0, (2, 0), False] == 4
    free = found(problem(2, copies=2))
    assert free[0, 0, (2, 0), True] == 4 and (0, 0, (2, 0), False) not in free
    assert not any(forked for *_, forked in found(problem(2, copies=2, lost=10)))


def test_a_node_that_is_a_machine_has_its_fastest_gang_only():
    own = found(problem(2, copies=2), node_machine=True)
    assert own == {(0, 0, (2, 0), True): 4}


@settings(max_examples=40, deadline=None)
@given(shared_problems())
def test_every_gang_is_a_mix_of_options_at_least_as_fast(problem):
    """Of each node and level: the fills are the vertices of what it could hold."""
    for j, job in enumerate(problem.jobs):
        options = job_options(problem, j, node_machine=False)
        assert all(sum(o.use) == job.gang_size and o.rate > 0 for o in options)
        assert len({(o.group, o.level, o.use, o.forked) for o in options}) == len(options)
        for g, (row, _) in enumerate(problem.groups):
            own = [o for o in options if o.group == g]
            for use in itertools.product(*(range(count + 1) for count in row)):
                held = [job.speed[r] for r, count in enumerate(use) if count]
                mixed = sum(count > 0 for count in use) > 1
                if sum(use) != job.gang_size or not all(held) or (mixed and not problem.mixing):
                    continue
                assert max(o.rate for o in own) >= min(held)
                for o in own:
                    assert all(0 <= x <= count for x, count in zip(o.use, row, strict=True))


@pytest.mark.parametrize("speed", [(4, 0), (0, 1)])
def test_a_type_that_cannot_run_it_is_not_used(speed):
    own = problem(2, speed=speed)
    idle = speed.index(0)
    assert all(use[idle] == 0 for _, _, use, _ in found(own))
