"""The least that a pool allows."""

from __future__ import annotations

import pytest

from hadaropt.auditing.floor import floors, replays
from tests.auditing.brute import least_in_one_piece, least_with_preemption
from tests.auditing.tiny import tiny


@pytest.mark.parametrize("seed", range(60))
def test_no_enumerated_schedule_is_below_the_bounds(seed: int) -> None:
    jobs, gpus = tiny(seed)
    own = [("G", job) for job in jobs]
    floor = floors(own, {"G": gpus}, 1, replays(own, {"G": gpus}), steps=20)["G"]
    paused, whole = least_with_preemption(jobs, gpus), least_in_one_piece(jobs, gpus)
    assert paused <= whole
    assert floor.completions <= paused
    assert floor.in_one_piece <= whole
    assert floor.completions <= floor.in_one_piece


def test_two_jobs_that_beat_the_bounds_in_rounds() -> None:
    """The second arrives after a round of 100 s has begun, and runs at once in continuous time."""
    from hadaropt import Cluster, Workload, WorkloadJob
    from hadaropt.simulate.bounds import workload_bounds
    from hadaropt.simulate.problem import RoundProblem

    jobs = [WorkloadJob(f"{a}", a, 1, 100, {"V100": 1}) for a in (0, 101)]
    workload = Workload(Cluster.parse("V100=1"), tuple(jobs))
    in_rounds = workload_bounds(RoundProblem.of_workload(workload, round_seconds=100))
    assert in_rounds is not None
    assert in_rounds.avg_jct_s > 100  # a schedule in continuous time has 100
    own = [("V100", (0, 100, 1)), ("V100", (101, 100, 1))]
    floor = floors(own, {"V100": 1}, 1, replays(own, {"V100": 1}))["V100"]
    assert floor.completions == 100 + 201


def test_two_gangs_that_do_not_share_are_better_bounded_in_one_piece() -> None:
    jobs = [(0, 100, 1), (10, 10, 1)]
    own = [("G", job) for job in jobs]
    floor = floors(own, {"G": 1}, 1, replays(own, {"G": 1}))["G"]
    assert floor.completions == least_with_preemption(jobs, 1) == 130
    assert floor.in_one_piece > 130


def test_pools_add_up() -> None:
    jobs = [("A", (0, 5, 1)), ("A", (0, 5, 1)), ("B", (0, 7, 1))]
    pools = {"A": 1, "B": 1}
    floor = floors(jobs, pools, 1, replays(jobs, pools))
    assert floor["A"].completions == 15
    assert floor["B"].completions == 7


def test_ticks_of_less_than_a_second_change_nothing() -> None:
    jobs = [(0, 4, 1), (1, 2, 1), (2, 3, 1)]
    own, fine = [("G", job) for job in jobs], [("G", (a * 1000, p * 1000, w)) for a, p, w in jobs]
    pools = {"G": 1}
    one = floors(own, pools, 1, replays(own, pools))["G"]
    many = floors(fine, pools, 1000, replays(fine, pools))["G"]
    assert one.completions * 1000 == many.completions
    assert one.last * 1000 == many.last
