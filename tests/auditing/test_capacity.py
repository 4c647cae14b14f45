"""GPUs that change over time: areas and their inverse, and bounds that no schedule is below."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from hadaropt.auditing.bounds import Pool, Prices, priced_completions
from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.floor import floors, least_present, replays
from hadaropt.auditing.replay import RULES, replay
from tests.auditing.brute import Asked, least_in_one_piece, least_with_preemption


def drawn(seed: int) -> tuple[list[Asked], Capacity]:
    """Up to four jobs, no gang wider than what there is in the end, on GPUs that change."""
    draw = random.Random(seed)
    times = sorted(draw.sample(range(1, 12), 3))
    counts = [draw.randint(0, 4) for _ in times] + [draw.randint(1, 3)]
    jobs = [
        (draw.randint(0, 5), draw.randint(1, 4), draw.randint(1, counts[-1]))
        for _ in range(draw.randint(1, 4))
    ]
    return jobs, Capacity((0, *times), tuple(counts))


def at(capacity: Capacity, time: int) -> int:
    return capacity.work(time + 1) - capacity.work(time)


@pytest.mark.parametrize("seed", range(30))
def test_no_enumerated_schedule_is_below_the_bounds(seed: int) -> None:
    jobs, capacity = drawn(seed)
    own = [("G", job) for job in jobs]
    floor = floors(own, {"G": capacity}, 1, replays(own, {"G": capacity}), steps=20)["G"]
    paused = least_with_preemption(jobs, lambda time: at(capacity, time))
    whole = least_in_one_piece(jobs, lambda time: at(capacity, time))
    assert floor.completions <= paused <= whole
    assert floor.in_one_piece <= whole


@pytest.mark.parametrize("seed", range(12))
def test_any_prices_give_a_bound(seed: int) -> None:
    jobs, capacity = drawn(seed)
    draw = random.Random(seed)
    pool = Pool(jobs, capacity, 1)
    end = int(float(20 * pool.scale))
    edges = np.unique([0, *(draw.randrange(end) for _ in range(6)), end]).astype(np.int64)
    price = np.array([draw.choice([0, 0.3, 1, 5]) * draw.random() for _ in edges[1:]])
    prices = Prices.rounded(edges, price, 4)
    paused, _ = priced_completions(pool, prices, preemption=True)
    whole, _ = priced_completions(pool, prices, preemption=False)
    assert paused <= least_with_preemption(jobs, lambda time: at(capacity, time))
    assert whole <= least_in_one_piece(jobs, lambda time: at(capacity, time))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule", RULES)
def test_replayed_schedules_fit_what_is_there(rule: str, seed: int) -> None:
    draw = random.Random(seed)
    times = sorted(draw.sample(range(1, 300), 20))
    capacity = Capacity((0, *times), (*(draw.randint(0, 9) for _ in times), 5))
    jobs = [(draw.randint(0, 300), draw.randint(0, 40), draw.randint(1, 5)) for _ in range(30)]
    pieces = replay(jobs, capacity, rule)  # type: ignore[arg-type]
    changes: dict[int, int] = {}
    for (release, service, gang), runs in zip(jobs, pieces, strict=True):
        assert sum(end - start for start, end in runs) == service
        assert runs[0][0] >= release
        assert all(before[1] <= after[0] for before, after in pairwise(runs))
        assert rule == "preemptive" or len(runs) == 1
        for start, end in runs:
            for time in range(start, end):
                changes[time] = changes.get(time, 0) + gang
    assert all(held <= at(capacity, time) for time, held in changes.items())
    ends = [runs[-1][1] for runs in pieces]
    own = [("G", job) for job in jobs]
    floor = floors(own, {"G": capacity}, 1, replays(own, {"G": capacity}), steps=15)
    assert floor["G"].completions <= sum(ends)
    assert floor["G"].last <= max(ends)
    for time, count in zip(*least_present(floor, own), strict=True):
        assert count <= sum(job[0] <= time < end for job, end in zip(jobs, ends, strict=True))


def test_jobs_that_are_kept_hold_their_gpus_where_they_were() -> None:
    jobs = [("G", (0, 10, 4)), ("G", (0, 10, 2))]
    capacity = Capacity((0, 5, 15), (2, 4, 2))
    for run in replays(jobs, {"G": capacity}, kept={0: ((5, 15),)}):
        assert run.completions[0] == 15
        assert run.completions[1] == (20 if run.rule == "preemptive" else 25)


def test_time_and_work_are_each_other_turned_round() -> None:
    capacity = Capacity((0, 3, 7), (2, 0, 5))
    assert [capacity.work(time) for time in (0, 3, 5, 7, 9)] == [0, 6, 6, 6, 16]
    assert [capacity.when(work) for work in (0, 1, 6, 7)] == [0, Fraction(1, 2), 3, Fraction(36, 5)]
    assert capacity.above == 0 and capacity.plus(1).counts == (3, 1, 6)


def test_sums_of_capacities_are_weighted_and_cut_finer() -> None:
    parts = [(Capacity((0, 3), (2, 1)), 10), (Capacity.of(4), 1)]
    assert Capacity.weighted(parts, 8) == Capacity((0, 24), (24, 14))
