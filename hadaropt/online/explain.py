"""Why a job completes when it does, waits, or is rejected: facts of each round, and words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.exact import to_text
from hadaropt.instance import Instance
from hadaropt.online.primal_dual import Arrival, arrival_order
from hadaropt.online.quotation import record_arrivals
from hadaropt.online.state import Ints
from hadaropt.policies import PrimalDual
from hadaropt.pricing import Pricer
from hadaropt.pricing.small import plain_if_small
from hadaropt.results import Prices
from hadaropt.schedule import Schedule, allocation_progress, check_schedule


@dataclass(frozen=True)
class RoundFacts:
    """What a job meets in one round.

    Attributes
    ----------
    round : int
    progress : int or None
        Iterations that it makes there; None where it does not run.
    possible : int
        Most iterations that one gang could make there on the GPUs that the others leave.
    free : tuple of int
        GPUs of each type that the others leave.
    prices : tuple of (Fraction or None), or None
        Price of a GPU of each type, the least over the nodes; None without a priced run, and for a
        type without GPUs.
    holders : tuple of str
        Jobs that hold GPUs of a type that this job can use.
    """

    round: int
    progress: int | None
    possible: int
    free: tuple[int, ...]
    prices: tuple[Fraction | None, ...] | None
    holders: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """Why a job fares as it does.

    Attributes
    ----------
    status : {"completes", "rejected", "waiting"}
        ``waiting``: a schedule leaves it unfinished.
    reasons : tuple of str
        In words, the decisive one first.
    completion : int or None
    value : Fraction
        What it earns.
    rounds : tuple of RoundFacts
        From its release to its completion, or to its last round of positive value.
    """

    status: str
    reasons: tuple[str, ...]
    completion: int | None
    value: Fraction
    rounds: tuple[RoundFacts, ...]


def explain_online(instance: Instance, j: int, policy: PrimalDual) -> Explanation:
    """Explain what a primal-dual policy decides about job j, which can earn something.

    Parameters
    ----------
    instance : Instance
    j : int
    policy : PrimalDual
    """
    decisions, arrivals = record_arrivals(instance, policy)
    place = next(k for k, arrival in enumerate(arrivals) if arrival.job == j)
    arrival = arrivals[place]
    schedule = decisions.schedule
    others = arrival_order(instance)[:place]
    facts = _rounds(instance, j, schedule, others, arrival.before)
    best = arrival.best
    said = (
        f"at its arrival ({place + 1} of {len(arrivals)}) the best schedule that fits completes "
        f"it in round {best.completion}: worth {to_text(best.payoff + best.cost)}, it costs "
        f"{to_text(best.cost)} at the prices quoted, a payoff of {to_text(best.payoff)}"
    )
    if best.payoff > 0 and best.completion is not None:
        value = instance.value(j, best.completion)
        return Explanation("completes", (said, *_waits(facts)), best.completion, value, facts)
    why = _why_rejected(instance, j, arrival, _free(instance, schedule, others))
    return Explanation("rejected", (why,), None, Fraction(0), facts)


def explain_in_schedule(instance: Instance, j: int, schedule: Schedule) -> Explanation:
    """Explain how job j, which can earn something, fares in a schedule.

    Raises
    ------
    ScheduleError
        If the schedule is infeasible.
    """
    checked = check_schedule(instance, schedule)
    others = [i for i in range(len(instance.jobs)) if i != j]
    facts = _rounds(instance, j, schedule, others, None)
    finish = checked.completion[j]
    if finish is not None:
        value = instance.value(j, finish)
        said = f"it completes in round {finish}, worth {to_text(value)}"
        return Explanation("completes", (said, *_waits(facts)), finish, value, facts)
    done, needed = checked.progress[j], instance.jobs[j].iterations
    said = f"the schedule gives it {done} of its {needed} iterations"
    left = _earliest(instance, j, _free(instance, schedule, others))
    if left is None:
        more = "the GPUs that the other jobs leave cannot complete it while it is worth anything"
    else:
        more = (
            f"the GPUs that the other jobs leave could complete it in round {left}, worth "
            f"{to_text(instance.value(j, left))}: the schedule does not use them"
        )
    return Explanation("waiting", (said, more, *_waits(facts)), None, Fraction(0), facts)


def _why_rejected(instance: Instance, j: int, arrival: Arrival, free: Ints) -> str:
    earliest = _earliest(instance, j, free)
    if earliest is None:
        return "the GPUs that earlier arrivals left cannot complete it while it is worth anything"
    worth = instance.value(j, earliest)
    said = (
        f"it could complete in round {earliest}, worth {to_text(worth)}, on the GPUs that earlier "
        "arrivals left, but "
    )
    cheapest = _cheapest(instance, j, arrival)
    if cheapest is None:
        return said + "no schedule that fits is worth more than it costs at the prices quoted"
    finish, value, cost = cheapest
    return said + (
        f"no schedule is worth more than it costs at the prices quoted: the best completes in "
        f"round {finish}, worth {to_text(value)}, and costs {to_text(cost)}"
    )


def _cheapest(
    instance: Instance, j: int, arrival: Arrival
) -> tuple[int, Fraction, Fraction] | None:
    """Return (completion, value, cost) of most value minus cost, where costs are per unit."""
    if arrival.marginal:
        return None
    pricer = Pricer(instance, arrival.before.scale)
    try:
        with plain_if_small(instance):
            costs = pricer.least_costs(j, arrival.before.units.copy(), free=arrival.free.copy())
    except OverflowError:
        return None
    offers = [(f, instance.value(j, f), cost) for f, cost in enumerate(costs) if cost is not None]
    return max(offers, key=lambda offer: offer[1] - offer[2], default=None)


def _earliest(instance: Instance, j: int, free: Ints) -> int | None:
    """Return the earliest completion of positive value on free GPUs (T, H, R)."""
    nothing = np.zeros_like(free)
    with plain_if_small(instance):
        return Pricer(instance, 1 << 20).price(j, nothing, free=free).completion


def _free(instance: Instance, schedule: Schedule, others: Iterable[int]) -> Ints:
    """Return the GPUs (T, H, R) that the other jobs leave."""
    counts = np.array(instance.cluster.capacity, np.int64)
    free = np.repeat(counts[None], instance.num_rounds, axis=0)
    for i in others:
        for allocation in schedule.jobs[i]:
            for h, r, count in allocation.gpus:
                free[allocation.round, h, r] -= count
    return free


def _rounds(
    instance: Instance, j: int, schedule: Schedule, others: Sequence[int], prices: Prices | None
) -> tuple[RoundFacts, ...]:
    """Return the facts of the rounds from the release to the end of what matters."""
    free = _free(instance, schedule, others)
    job, speeds = instance.jobs[j], instance.throughput[j]
    held = {allocation.round: allocation for allocation in schedule.jobs[j]}
    paid = [f for f in range(job.release, instance.num_rounds) if instance.value(j, f) > 0]
    end = max(held) if held else max(paid, default=job.release)
    facts = []
    for t in range(job.release, end + 1):
        holders = tuple(
            instance.jobs[i].name
            for i in others
            for allocation in schedule.jobs[i]
            if allocation.round == t and any(speeds[r] > 0 for _, r, _ in allocation.gpus)
        )
        progress = None
        if t in held:
            progress = allocation_progress(instance, j, held[t])
        facts.append(
            RoundFacts(
                t,
                progress,
                _possible(instance, j, free[t]),
                tuple(int(n) for n in free[t].sum(axis=0)),
                None if prices is None else _least_prices(instance, prices, t),
                holders,
            )
        )
    return tuple(facts)


def _possible(instance: Instance, j: int, free: Ints) -> int:
    """Return the most iterations that one gang of job j makes on free GPUs (H, R)."""
    gang, best = instance.jobs[j].gang_size, 0
    alone, across = instance.progress(j), instance.progress(j, spread=True)
    for r, speed in enumerate(instance.throughput[j]):
        if speed > 0:
            level = [r] if instance.parallelism == "single_type" else list(instance.admitted(j, r))
            on_nodes = free[:, level].sum(axis=1)
            if on_nodes.max() >= gang:
                best = max(best, alone[r])
            elif on_nodes.sum() >= gang:
                best = max(best, across[r])
    return best


def _least_prices(instance: Instance, prices: Prices, t: int) -> tuple[Fraction | None, ...]:
    cluster = instance.cluster
    least: list[Fraction | None] = []
    for r, count in enumerate(cluster.pooled_capacity):
        if not count:
            least.append(None)
        elif prices.pool == "type":
            least.append(prices.price(t, r))
        else:
            nodes = (h for h, row in enumerate(cluster.capacity) if row[r])
            least.append(min(prices.price(t, h, r) for h in nodes))
    return tuple(least)


def _waits(facts: Sequence[RoundFacts]) -> list[str]:
    """Return why it does not run in the rounds before its last one, neighbours joined."""
    said: list[tuple[int, int, str]] = []
    for fact in facts:
        if fact.progress is not None:
            continue
        if fact.possible:
            why = "its gang would fit, but the decision does without"
        elif fact.holders:
            why = f"its gang does not fit beside {', '.join(fact.holders)}"
        else:
            why = "it makes no whole iteration there"
        if said and said[-1][1] == fact.round - 1 and said[-1][2] == why:
            said[-1] = (said[-1][0], fact.round, why)
        else:
            said.append((fact.round, fact.round, why))
    return [
        f"it waits in round {first}: {why}"
        if first == last
        else f"it waits in rounds {first} .. {last}: {why}"
        for first, last, why in said
    ]
