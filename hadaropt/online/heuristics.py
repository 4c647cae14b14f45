"""Comparison policies that commit at arrival without prices: greedy by density, and random."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.online.completions import Completions
from hadaropt.online.foreknowledge import price_scale
from hadaropt.online.primal_dual import Decisions, arrival_order
from hadaropt.online.state import Ints, Occupancy
from hadaropt.pricing import PricedSchedule, Pricer
from hadaropt.results import Prices
from hadaropt.schedule import Allocation, Schedule

Choice = Callable[[Pricer, int, Occupancy], PricedSchedule]
"""(pricer, job, occupancy) -> a schedule that fits; payoff 0 rejects."""


def commit_each(instance: Instance, choose: Choice, truth: Instance | None = None) -> Decisions:
    """Run jobs in order of release; each takes what ``choose`` returns, or is rejected.

    Each job is priced in units of its own, so that no later job changes how a price is rounded.
    With ``truth`` the iterations of ``instance`` are only declared (see `commit_one_by_one`).
    """
    ends = Completions(instance if truth is None else truth)
    occupancy = Occupancy(instance)
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    completion: list[int | None] = [None] * len(instance.jobs)
    for j in arrival_order(instance):
        if instance.jobs[j].release < instance.num_rounds:
            occupancy.give_back(ends.freed(instance.jobs[j].release))
            pricer = Pricer(instance, price_scale(instance, only=j))
            chosen = choose(pricer, j, occupancy)
            if chosen.completion is not None:
                jobs[j], completion[j] = occupancy.take(chosen), chosen.completion
                if truth is not None:
                    ends.plan(j, jobs[j])
    return without_prices(instance, Schedule(tuple(jobs)), tuple(completion))


def without_prices(
    instance: Instance, schedule: Schedule, completion: tuple[int | None, ...]
) -> Decisions:
    """Return the decisions of a policy that has no prices and so no payoffs."""
    nothing = np.zeros((instance.num_rounds, len(instance.cluster.accelerators)), np.int64)
    payoffs = (Fraction(0),) * len(instance.jobs)
    prices = Prices(nothing, price_scale(instance))
    return Decisions(schedule, completion, payoffs, Fraction(0), prices)


def free_for(pricer: Pricer, j: int, occupancy: Occupancy) -> Ints:
    """Return the free GPUs on types where nodes do not matter to job j, else on nodes."""
    return occupancy.free(j, "type" if is_pooled(pricer.instance, j) else "node")


def greedy_density(pricer: Pricer, j: int, occupancy: Occupancy) -> PricedSchedule:
    """Return the schedule that fits with the most value per GPU-round.

    Dinkelbach's iteration on max_s u_s / (GPU-rounds of s): at price lambda per GPU the best
    payoff is positive iff some schedule has a density above lambda.
    """
    free = free_for(pricer, j, occupancy)
    density, best = 0, pricer.price(j, np.zeros_like(free), free=free)
    while best.completion is not None:
        held = sum(int(np.sum(choice.use)) for choice in best.rounds)
        value = pricer.instance.value(j, best.completion)
        units = int(value * pricer.scale / held)
        if units <= density:
            break
        density = units
        better = pricer.price(j, np.full_like(free, density), free=free)
        if better.payoff <= 0:
            break
        best = better
    return best


def random_choice(seed: int) -> Choice:
    """Return a policy that takes the best schedule at prices drawn at random for each job.

    Prices are uniform in [0, best value / (2 W_j)], independent per round and place; the draw of
    job j depends on the seed and on its name only, so jobs released later change nothing.
    """

    def choose(pricer: Pricer, j: int, occupancy: Occupancy) -> PricedSchedule:
        instance = pricer.instance
        free = free_for(pricer, j, occupancy)
        value = instance.value(j, instance.jobs[j].release)
        most = int(value * pricer.scale / (2 * instance.jobs[j].gang_size))
        name = instance.jobs[j].name.encode()
        rng = np.random.default_rng(np.random.SeedSequence((seed, zlib.crc32(name))))
        prices = rng.integers(0, most + 1, size=free.shape, dtype=np.int64)
        return pricer.price(j, prices, free=free)

    return choose
