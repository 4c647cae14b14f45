"""Gangs that would do no iteration where they fall are put elsewhere, or take nothing."""

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
