"""What no schedule of a log can beat, certified: its pools together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.bounds import Pool, Prices, Rule
from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.prices import search_prices
from hadaropt.auditing.replay import RULES, Asked, replay
from hadaropt.auditing.replay import Rule as ReplayRule

LEAST_STEPS, MOST_STEPS, STEPS_TIMES_JOBS = 60, 150, 3_000_000
"""Of the search for prices: fewer where there are many jobs. Below 60 it ends far from its best."""


@dataclass(frozen=True)
class PoolFloor:
    """The bounds of one pool, in ticks.

    Attributes
    ----------
    completions : Fraction
        No schedule has a smaller sum of completions.
    rule : {"alone", "one machine", "prices over time"}
        The bound that gives it.
    in_one_piece : Fraction
        No schedule without preemption has a smaller one.
    last : Fraction
        The last completion is no earlier.
    priced : Fraction
        The bound at `prices`; at prices of 0 (each job alone) if there are none.
    gpu_price : Fraction
        Integral over time of the price of one GPU: with one GPU more or less, and the same gangs,
        no schedule has a sum below `priced` minus or plus this.
    prices : Prices or None
    pool : Pool
    """

    completions: Fraction
    rule: Rule
    in_one_piece: Fraction
    last: Fraction
    priced: Fraction
    gpu_price: Fraction
    prices: Prices | None
    pool: Pool


@dataclass(frozen=True)
class Replayed:
    """The jobs under one rule: pieces of each, in the order of the jobs asked."""

    rule: ReplayRule
    pieces: list[list[tuple[int, int]]]
    completions: list[int]


def replays(
    jobs: Sequence[tuple[str, Asked]],
    pools: Mapping[str, int | Capacity],
    rules: Sequence[ReplayRule] = RULES,
    *,
    kept: Mapping[int, Sequence[tuple[int, int]]] | None = None,
) -> list[Replayed]:
    """Return the jobs, each with its pool, scheduled anew under each rule.

    Jobs of ``kept`` (by index) keep the pieces given there; every other gang is no wider than what
    its pool has in the end.
    """
    fixed = {} if kept is None else kept
    members: dict[str, list[int]] = {}
    held: dict[str, list[tuple[int, int, int]]] = {}
    for i, (pool, (_, _, gang)) in enumerate(jobs):
        if i in fixed:
            held.setdefault(pool, []).extend((start, end, gang) for start, end in fixed[i])
        else:
            members.setdefault(pool, []).append(i)
    left = {pool: Capacity.of(own).without(held.get(pool, ())) for pool, own in pools.items()}
    answers = []
    for rule in rules:
        pieces: list[list[tuple[int, int]]] = [list(fixed.get(i, ())) for i in range(len(jobs))]
        for pool, own in members.items():
            done = replay([jobs[i][1] for i in own], left[pool], rule)
            for i, runs in zip(own, done, strict=True):
                pieces[i] = runs
        answers.append(Replayed(rule, pieces, [runs[-1][1] for runs in pieces]))
    return answers


def floors(
    jobs: Sequence[tuple[str, Asked]],
    pools: Mapping[str, int | Capacity],
    ticks: int,
    done: Sequence[Replayed],
    *,
    steps: int | None = None,
) -> dict[str, PoolFloor]:
    """Return the bounds of each pool that has jobs.

    Parameters
    ----------
    jobs : sequence of (pool, (release, service, gang))
        In ticks.
    pools : mapping of str to int or Capacity
        GPUs by pool.
    ticks : int
        Ticks of a second.
    done : sequence of Replayed
        Schedules of the jobs, at whose sums the search for prices aims.
    steps : int, optional
        Of the search; fewer by default where there are many jobs.
    """
    members: dict[str, list[int]] = {}
    for i, (pool, _) in enumerate(jobs):
        members.setdefault(pool, []).append(i)
    answer = {}
    for name, own in members.items():
        bounded = Pool([jobs[i][1] for i in own], pools[name], ticks)
        sums = {run.rule: sum(run.completions[i] for i in own) for run in done}
        budget = steps or max(LEAST_STEPS, min(MOST_STEPS, STEPS_TIMES_JOBS // len(own)))
        answer[name] = pool_floor(bounded, sums, budget)
    return answer


def pool_floor(pool: Pool, sums: Mapping[ReplayRule, int], steps: int) -> PoolFloor:
    """Return the bounds of one pool; the search aims at the sums of completions of schedules."""
    best, rule = Fraction(pool.alone), "alone"
    queue = sum(pool.one_machine(), Fraction(0))
    if queue > best:
        best, rule = queue, "one machine"
    target = Fraction(min(sums.values()))
    whole = Fraction(min(value for name, value in sums.items() if name != "preemptive"))
    prices, priced, in_one_piece = None, Fraction(pool.alone), best
    if target > best:
        found = search_prices(pool, target, preemption=True, steps=steps)
        if found.completions > priced:
            priced, prices = found.completions, found.prices
        if priced > best:
            best, rule = priced, "prices over time"
    if whole > best:
        start = prices
        found = search_prices(pool, whole, preemption=False, start=start, steps=steps)
        in_one_piece = found.completions
    paid = Fraction(0) if prices is None else pool.in_ticks(prices.of_one())
    return PoolFloor(
        best,
        rule,  # type: ignore[arg-type]
        max(best, in_one_piece),
        pool.last_completion(),
        priced,
        paid,
        prices,
        pool,
    )


def least_present(
    floor: Mapping[str, PoolFloor], jobs: Sequence[tuple[str, Asked]]
) -> tuple[list[int], list[int]]:
    """Return times and, from each on, a number of jobs that no schedule is below.

    Of each pool, the larger of the jobs that are there on one machine and of those that are there
    when each job runs alone.
    """
    steps: list[tuple[int, int]] = []
    for name, own in floor.items():
        changes: list[tuple[int, int, int]] = []
        for pool, (release, service, _) in jobs:
            if pool == name:
                changes += [(release, 1, 1), (release + service, 0, -1)]
        # A completion on one machine is rounded down to the tick: earlier, so that fewer are there.
        changes += [(math.floor(end), -1, 0) for end in own.pool.one_machine()]
        queue = alone = before = 0
        for i, (time, on_machine, by_itself) in enumerate(changes_sorted := sorted(changes)):
            queue, alone = queue + on_machine, alone + by_itself
            if i + 1 == len(changes_sorted) or changes_sorted[i + 1][0] > time:
                now = max(queue, alone)
                if now != before:
                    steps.append((time, now - before))
                    before = now
    times: list[int] = []
    counts: list[int] = []
    there = 0
    for time, change in sorted(steps):
        there += change
        if times and times[-1] == time:
            counts[-1] = there
        else:
            times.append(time)
            counts.append(there)
    return times, counts
