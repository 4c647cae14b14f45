"""The general utility form: forked jobs take their best schedules at rising prices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.problem import ForkProblem
from hadaropt.instance import Instance, Job
from hadaropt.pricing.pricer import Pricer
from hadaropt.utility import Table

ROUNDS = 24
"""Rounds of the window; where the jobs need more, each stands for several."""
VALUE_BITS = 30
"""Prices are integers in units of the largest value / 2**VALUE_BITS."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NodeChoice:
    """GPUs of one job in one round, (H, R), and whether each node holds a copy."""

    use: tuple[tuple[int, ...], ...]
    copies: bool


def plan_utility(problem: ForkProblem, *, rounds: int = ROUNDS) -> dict[int, NodeChoice]:
    """Return what each job that runs now does in this round.

    The jobs, by worth per GPU-round, each take their schedule of largest payoff: worth of its
    completion minus the prices of its GPUs, over one gang or 2 .. kappa_j copies in every round of
    the window (`hadaropt.pricing.Pricer`, exact in its window). The price of a GPU of a node in a
    round rises with its use, k(g) = L ((U / L)^(g / c) - 1): U the largest worth per GPU-round
    among the jobs, L the least / 4. Only the first round of the schedules is returned; the next
    call plans again.

    Raises
    ------
    InstanceError
        If a job has no ``worth``.
    """
    for j, job in enumerate(problem.jobs):
        if job.worth is None:
            raise InstanceError(f"jobs[{j}].worth", "must be given for the objective utility")
    instance, density = _window(problem, rounds)
    ranked = sorted((-density[j], j) for j in range(len(density)) if density[j] > 0)
    if not ranked:
        return {}
    top = max(instance.value(j, 0) for _, j in ranked)
    scale = Fraction(2**VALUE_BITS) / top
    table = _prices(problem, [density[j] * scale for _, j in ranked])
    free = np.repeat(np.array(problem.cluster.capacity, np.int64)[None], instance.num_rounds, 0)
    used = np.zeros_like(free)
    price: Ints = np.repeat(table[:, :, 0][None], instance.num_rounds, 0)
    pricer = Pricer(instance, scale)
    chosen: dict[int, NodeChoice] = {}
    nodes, types = np.indices(price.shape[1:])
    for _, j in ranked:
        best = pricer.price(j, price, free=free)
        for choice in best.rounds:
            t, use = choice.round, np.array(choice.use, np.int64)
            used[t] += use
            free[t] -= use
            price[t] = table[nodes, types, used[t]]
            if t == 0:
                rows = tuple(tuple(map(int, row)) for row in use.tolist())
                chosen[j] = NodeChoice(rows, choice.copies)
    return chosen


def _window(problem: ForkProblem, rounds: int) -> tuple[Instance, list[Fraction]]:
    """Return the jobs in a window of rounds, and the worth per GPU-round of each."""
    tau, least = problem.round_seconds, []
    for j, job in enumerate(problem.jobs):
        fastest = max(job.speed) * max(1, sum(x > 0 for x in problem.node_speeds[j]))
        least.append(job.remaining / (fastest * tau))
    # Twice the time of all jobs one after the other, each on all nodes.
    merged = max(1, math.ceil(2 * sum(least) / rounds))
    jobs, density = [], []
    for j, job in enumerate(problem.jobs):
        if job.worth is None:
            continue
        values = [job.worth(d * merged) for d in range(1, rounds + 1)]
        jobs.append(
            Job(
                str(j),
                0,
                job.gang_size,
                job.remaining,
                dict(zip(problem.cluster.accelerators, job.speed, strict=True)),
                Table(tuple(values)),
                job.spread_factor,
                problem.copies(j),
            )
        )
        alone = math.ceil(job.remaining / (max(job.speed) * tau * merged))
        density.append(values[0] / (job.gang_size * alone))
    instance = Instance(
        problem.cluster,
        tuple(jobs),
        rounds,
        tau * merged,
        "forked" if problem.mixing else "single_type",
        problem.consolidation_seconds * merged,
    )
    return instance, density


def _prices(problem: ForkProblem, densities: list[Fraction]) -> Ints:
    """Return the price of one more GPU by node, type and number in use, (H, R, most + 1)."""
    high, low = float(max(densities)), max(1.0, float(min(densities)) / 4)
    capacity = problem.cluster.capacity
    most = max(max(row, default=0) for row in capacity)
    steep = max(1.0, high / low)
    table = np.zeros((len(capacity), len(capacity[0]) if capacity else 0, most + 1), np.int64)
    for h, row in enumerate(capacity):
        for r, count in enumerate(row):
            for g in range(count + 1):
                table[h, r, g] = math.ceil(low * (steep ** (g / max(1, count)) - 1))
    return table
