"""No schedule is below the bounds: exhaustive on tiny pools, replayed on larger ones."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from hadaropt.auditing.bounds import Pool, Prices, priced_completions
from hadaropt.auditing.floor import floors, least_present, replays
from hadaropt.auditing.prices import search_prices
from hadaropt.auditing.replay import RULES, replay
from tests.auditing.brute import Asked, least_in_one_piece, least_with_preemption


def tiny(seed: int) -> tuple[list[Asked], int]:
    draw = random.Random(seed)
    gpus = draw.randint(1, 4)
    jobs = [
        (draw.randint(0, 5), draw.randint(1, 4), draw.randint(1, gpus))
        for _ in range(draw.randint(1, 4))
    ]
    return jobs, gpus


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


@pytest.mark.parametrize("seed", range(30))
def test_any_prices_give_a_bound(seed: int) -> None:
    jobs, gpus = tiny(seed)
    draw = random.Random(seed)
    pool = Pool(jobs, gpus, 1)
    end = int(float(20 * pool.scale))
    edges = np.unique([0, *(draw.randrange(end) for _ in range(6)), end]).astype(np.int64)
    price = np.array([draw.choice([0, 0.3, 1, 5]) * draw.random() for _ in edges[1:]])
    prices = Prices.rounded(edges, price, gpus)
    paused, _ = priced_completions(pool, prices, preemption=True)
    whole, _ = priced_completions(pool, prices, preemption=False)
    assert paused <= least_with_preemption(jobs, gpus)
    assert whole <= least_in_one_piece(jobs, gpus)
    assert paused <= whole + len(jobs) / pool.scale  # each rounded down to a step


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


def test_prices_alone_are_exact_where_nobody_waits() -> None:
    pool = Pool([(0, 10, 2), (5, 1, 1)], 4, 1)
    free = Prices.rounded(np.array([0, 7], np.int64), np.zeros(1), 2)
    for preemption in (True, False):
        value, _ = priced_completions(pool, free, preemption=preemption)
        assert pool.alone - Fraction(2) / pool.scale <= value <= pool.alone


@pytest.mark.parametrize("preemption", [True, False])
def test_prices_see_a_queue_of_equal_jobs(preemption: bool) -> None:
    """Ten gangs of the whole pool: the optimum is one after the other."""
    jobs = [(0, 100, 4)] * 10
    pool = Pool(jobs, 4, 1)
    least = sum(100 * k for k in range(1, 11))
    found = search_prices(pool, Fraction(least), preemption=preemption)
    assert Fraction(95, 100) * least < found.completions <= least


def test_two_gangs_that_do_not_share_are_better_bounded_in_one_piece() -> None:
    jobs = [(0, 100, 1), (10, 10, 1)]
    own = [("G", job) for job in jobs]
    floor = floors(own, {"G": 1}, 1, replays(own, {"G": 1}))["G"]
    assert floor.completions == least_with_preemption(jobs, 1) == 130
    assert floor.in_one_piece > 130


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rule", RULES)
def test_replayed_schedules_are_feasible_and_not_below_the_bounds(rule: str, seed: int) -> None:
    draw = random.Random(seed)
    gpus = draw.choice([1, 4, 7])
    jobs = [(draw.randint(0, 300), draw.randint(0, 40), draw.randint(1, gpus)) for _ in range(40)]
    pieces = replay(jobs, gpus, rule)  # type: ignore[arg-type]
    changes: dict[int, int] = {}
    for (release, service, gang), runs in zip(jobs, pieces, strict=True):
        assert sum(end - start for start, end in runs) == service
        assert runs[0][0] >= release
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(runs))
        assert rule == "preemptive" or len(runs) == 1
        for start, end in runs:
            changes[start] = changes.get(start, 0) + gang
            changes[end] = changes.get(end, 0) - gang
    held = 0
    for time in sorted(changes):
        held += changes[time]
        assert held <= gpus
    ends = [runs[-1][1] for runs in pieces]
    own = [("G", job) for job in jobs]
    floor = floors(own, {"G": gpus}, 1, replays(own, {"G": gpus}), steps=15)
    assert floor["G"].completions <= sum(ends)
    assert floor["G"].last <= max(ends)
    if rule != "preemptive":
        assert floor["G"].in_one_piece <= sum(ends)
    times, least = least_present(floor, own)
    for time, count in zip(times, least, strict=True):
        there = sum(job[0] <= time < end for job, end in zip(jobs, ends, strict=True))
        assert count <= there


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
