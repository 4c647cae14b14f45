"""Gangs that would do no iteration where they fall are put elsewhere, or take nothing."""

import random

import pytest

from hadaropt.instance import Cluster
from hadaropt.simulate.placement import place_gangs
from hadaropt.simulate.problem import RoundProblem
from hadaropt.workload import Workload, WorkloadJob


def problem(*, mixing=True):
    """In a round of 3.5 s the gang does one iteration on one node of t0, and none over nodes."""
    cluster = Cluster(("t0", "t1"), ("n0", "n1", "n2"), ((1, 0), (4, 0), (0, 1)))
    gang = WorkloadJob("gang", 0, 3, 9, {"t0": "3/7", "t1": "49/5"}, "1/2")
    one = WorkloadJob("one", 0, 2, 9, {"t0": 2}, 1)
    return RoundProblem.of_workload(
        Workload(cluster, (gang, one)), round_seconds="3.5", mixing=mixing
    )


def test_a_gang_in_vain_is_put_where_it_makes_progress():
    assert place_gangs(problem(), {0: (2, 1)}, {}) == {0: ((1, 0, 3),)}


def test_a_gang_that_could_only_run_in_vain_takes_nothing():
    held = {1: ((1, 0, 2),)}
    assert place_gangs(problem(), {0: (2, 1), 1: (2, 0)}, held) == held


def test_a_gang_that_makes_progress_over_nodes_stays_there():
    cluster = Cluster(("t0",), ("n0", "n1"), ((1,), (1,)))
    gang = WorkloadJob("gang", 0, 2, 9, {"t0": 1}, "1/2")
    own = RoundProblem.of_workload(Workload(cluster, (gang,)), round_seconds=4)
    assert place_gangs(own, {0: (2,)}, {}) == {0: ((0, 0, 1), (1, 0, 1))}


def listed_fit(free, counts):
    """One gang, over a list of all nodes: on the fullest node that holds it, else node by node."""
    needed = [(r, count) for r, count in enumerate(counts) if count]
    hosts = [h for h, row in enumerate(free) if all(row[r] >= count for r, count in needed)]
    if hosts:
        h = min(hosts, key=lambda h: (sum(free[h][r] for r, _ in needed), h))
        return tuple((h, r, count) for r, count in needed)
    found = []
    for r, left in needed:
        for h in sorted(range(len(free)), key=lambda h: (-free[h][r], h)):
            part = min(left, free[h][r])
            if part:
                found.append((h, r, part))
                left -= part
    return tuple(sorted(found))


@pytest.mark.parametrize("seed", range(20))
def test_gangs_lie_where_a_search_over_all_nodes_puts_them(seed):
    draw = random.Random(seed)
    kinds = [(4, 0), (0, 4), (2, 3), (1, 0), (0, 0)]
    rows = tuple(draw.choice(kinds) for _ in range(draw.randint(1, 15)))
    cluster = Cluster(("t0", "t1"), tuple(f"n{h}" for h in range(len(rows))), rows)
    left, wanted = list(cluster.pooled_capacity), {}
    for j in range(25):
        counts = tuple(draw.randint(0, min(9, count)) for count in left)
        if any(counts):
            wanted[j] = counts
            left = [a - b for a, b in zip(left, counts, strict=True)]
    jobs = tuple(
        WorkloadJob(f"j{j}", 0, sum(wanted.get(j, (1,))), 9, {"t0": 2, "t1": 1}) for j in range(25)
    )
    own = RoundProblem.of_workload(Workload(cluster, jobs))
    free, expected = [list(row) for row in rows], {}
    for j in sorted(wanted, key=lambda j: -sum(wanted[j])):
        expected[j] = listed_fit(free, wanted[j])
        for h, r, count in expected[j]:
            free[h][r] -= count
    assert place_gangs(own, wanted, {}) == expected
