"""Weighted completion times of forked jobs where a node is one machine (theorems H6, H7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.errors import InstanceError, SolverError
from hadaropt.forking.planning.problem import ForkProblem, check_node_machine, related_speeds
from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, Floats, LinearModel

SLOTS = 48
"""Most slots of the linear program: the first are one round long, later ones grow."""


@dataclass(frozen=True)
class SmithOrder:
    """All nodes on one job at a time, by increasing Q_j / (x_j w_j) (theorem H6).

    Attributes
    ----------
    order : tuple of int
    completion : tuple of Fraction, shape (J,)
        C_j in fluid time, seconds from now.
    value : Fraction
        sum w_j C_j: the least possible when every job is released.
    """

    order: tuple[int, ...]
    completion: tuple[Fraction, ...]
    value: Fraction


def smith_order(problem: ForkProblem) -> SmithOrder | None:
    """Return the optimal fluid schedule for sum w_j C_j on related nodes; None elsewhere.

    It needs that a node is one machine, X_jh = x_j s_h, no limit on copies, no releases and no
    consolidation cost. Ties by index; weight 0 last.
    """
    related = related_speeds(problem)
    nodes = len(problem.cluster.nodes)
    if (
        related is None
        or problem.consolidation_seconds
        or check_node_machine(problem) is not None
        or any(job.release or problem.copies(j) < nodes for j, job in enumerate(problem.jobs))
    ):
        return None
    x, s = related
    size = [job.remaining / x[j] for j, job in enumerate(problem.jobs)]
    order = sorted(
        range(len(size)),
        key=lambda j: (not problem.jobs[j].weight, size[j] / (problem.jobs[j].weight or 1), j),
    )
    now, ends = Fraction(0), [Fraction(0)] * len(size)
    for j in order:
        now += size[j] / sum(s)
        ends[j] = now
    value = sum((job.weight * ends[j] for j, job in enumerate(problem.jobs)), Fraction(0))
    return SmithOrder(tuple(order), tuple(ends), value)


@dataclass(frozen=True)
class FluidCompletion:
    """The linear program of theorem H7 and its stretched schedule.

    Attributes
    ----------
    slots : tuple of Fraction
        Ends of the slots, seconds from now.
    seconds : ndarray, shape (J, H, T)
        y_jht: time of node h on job j in slot t.
    bound : Fraction
        Exact lower bound on sum w_j C_j of every schedule.
    best_lambda : float
        The stretch that gives the least sum of weighted completion times.
    completion : ndarray, shape (J,)
        C_j(lambda) / lambda: completion times of the stretched fluid schedule.
    value : float
        Their weighted sum: at most 2 x the optimum of the program + sum w_j x longest slot.
    """

    slots: tuple[Fraction, ...]
    seconds: Floats
    bound: Fraction
    best_lambda: float
    completion: Floats
    value: float


def fluid_completion(problem: ForkProblem, *, most_slots: int = SLOTS) -> FluidCompletion:
    """Minimise sum_j (w_j / Q_j) sum_t start_t sum_h X_jh y_jht; stretch the schedule.

    sum_j y_jht <= length of slot t; sum_h y_jht <= kappa_j times that length;
    sum_ht X_jh y_jht = Q_j; y = 0 in slots that end by the release. Slot starts (or the release, if
    later) weighted by progress are at most the mean busy time, which is at most C_j. Playing it
    slower by 1 / lambda ends j at C_j(lambda) / lambda, where C_j(lambda) is when a lambda fraction
    of j is done; over a lambda of density 2 lambda the mean is within twice the program, up to one
    slot, and the best lambda is no worse.

    Raises
    ------
    InstanceError
        If a node is not one machine.
    SolverError
        If HiGHS has no optimum.
    """
    ends, seconds, prices = completion_program(problem, most_slots)
    bound = _bound(problem, (Fraction(0), *ends[:-1]), ends, prices)
    best, completion, value = _stretch(problem, seconds, ends)
    where = {h: g for g, (_, nodes) in enumerate(problem.groups) for h in nodes}
    sizes = np.array([len(nodes) for _, nodes in problem.groups], float)
    per_node = seconds / sizes[None, :, None]
    spread = per_node[:, [where[h] for h in range(len(problem.cluster.nodes))], :]
    return FluidCompletion(ends, spread, bound, best, completion, value)


def completion_program(
    problem: ForkProblem, most_slots: int = SLOTS
) -> tuple[tuple[Fraction, ...], Floats, Floats]:
    """Solve the program of `fluid_completion` alone.

    Returns
    -------
    slots : tuple of Fraction, shape (T,)
        Their ends.
    seconds : ndarray, shape (J, G, T)
        Time of the nodes of group g together on job j in slot t.
    prices : ndarray, shape (G + J, T)
        Of node-seconds and copy-seconds; see `completion_bound`.
    """
    reason = check_node_machine(problem)
    if reason is not None:
        raise InstanceError("cluster", f"must have nodes that are one machine each: {reason}")
    ends = _slots(problem, most_slots)
    starts = (Fraction(0), *ends[:-1])
    jobs, groups = problem.jobs, problem.groups
    keys = [
        (j, g, t)
        for j, job in enumerate(jobs)
        for g in range(len(groups))
        if problem.group_speeds[j][g]
        for t, end in enumerate(ends)
        if end > job.release
    ]
    unit = float(ends[-1])
    cost = np.array([_cost(problem, j, g, starts[t]) for j, g, t in keys])
    y, prices = _solve(problem, keys, cost, ends, unit)
    seconds = np.zeros((len(jobs), len(groups), len(ends)))
    for (j, g, t), value in zip(keys, y, strict=True):
        seconds[j, g, t] = max(0.0, value)
    return ends, seconds, prices


def completion_bound(
    problem: ForkProblem, starts: Sequence[Fraction], ends: Sequence[Fraction], prices: Floats
) -> Fraction:
    """Return the bound that prices prove, exactly; any prices >= 0 are valid.

    With pi_gt the price of a node-second and nu_jt that of a second of a copy of job j,
    sum w_j C_j >= sum_j Q_j min_{g,t} (w_j start_t / Q_j + (pi_gt + nu_jt) / X_jg)
    - sum n_g len_t pi_gt - sum kappa_j len_t nu_jt
    + sum_j w_j Q_j / (2 S_j), S_j the speed of j on its kappa_j fastest nodes: the first terms
    bound the mean busy times, and at rates up to S_j that of j is Q_j / (2 S_j) before its end.

    Parameters
    ----------
    starts, ends : sequence of Fraction, shape (T,)
        Of the slots, without gaps from 0 on.
    prices : ndarray, shape (G + J, T)
        pi, then nu.
    """
    pi = [[Fraction(max(0.0, float(x))) for x in row] for row in prices]
    value, size = Fraction(0), len(problem.groups)
    for j, job in enumerate(problem.jobs):
        # What is done after the last slot costs no price, but a late instant.
        costs = [job.weight * max(ends[-1], job.release) / job.remaining]
        for g, speed in enumerate(problem.group_speeds[j]):
            for t, start in enumerate(starts):
                if speed and ends[t] > job.release:
                    instant = job.weight * max(start, job.release) / job.remaining
                    costs.append(instant + (pi[g][t] + pi[size + j][t]) / speed)
        value += job.remaining * min(costs)
    room = [len(nodes) for _, nodes in problem.groups]
    room += [problem.copies(j) for j in range(len(problem.jobs))]
    for count, row in zip(room, pi, strict=True):
        for t, price in enumerate(row):
            value -= count * (ends[t] - starts[t]) * price
    value = max(Fraction(0), value)
    for j, job in enumerate(problem.jobs):
        value += job.weight * job.remaining / (2 * _fastest(problem, j))
    return value


def _fastest(problem: ForkProblem, j: int) -> Fraction:
    """Return S_j, the speed of j on its kappa_j fastest nodes."""
    return sum(sorted(problem.node_speeds[j], reverse=True)[: problem.copies(j)], Fraction(0))


def _bound(
    problem: ForkProblem,
    starts: Sequence[Fraction],
    ends: Sequence[Fraction],
    prices: Floats,
) -> Fraction:
    by_prices = completion_bound(problem, starts, ends, prices)
    # Each job alone on all nodes; and Smith's rule, where it is exact.
    alone = Fraction(0)
    for j, job in enumerate(problem.jobs):
        alone += job.weight * (job.release + job.remaining / _fastest(problem, j))
    smith = smith_order(problem)
    return max(by_prices, alone, smith.value if smith else Fraction(0))


def _cost(problem: ForkProblem, j: int, g: int, start: Fraction) -> float:
    job = problem.jobs[j]
    per_second = problem.group_speeds[j][g] / job.remaining
    return float(job.weight * max(start, job.release) * per_second)


def _slots(problem: ForkProblem, most: int) -> tuple[Fraction, ...]:
    """Return ends of slots that hold all work, even one job after the other."""
    serial = sum(
        (job.remaining / max(problem.node_speeds[j]) for j, job in enumerate(problem.jobs)),
        max((job.release for job in problem.jobs), default=Fraction(0)),
    )
    tau = problem.round_seconds
    rounds = -(-serial // tau) + 1
    if rounds <= most:
        return tuple(tau * (t + 1) for t in range(int(rounds)))
    # Half the slots are one round long; the others grow geometrically, in whole rounds.
    ends = [t + 1 for t in range(most // 2)]
    growth = (float(rounds) / ends[-1]) ** (1 / (most - len(ends)))
    while ends[-1] < rounds:
        ends.append(max(ends[-1] + 1, int(ends[-1] * growth) + 1))
    return tuple(tau * end for end in ends)


def _solve(
    problem: ForkProblem,
    keys: Sequence[tuple[int, int, int]],
    cost: Floats,
    ends: Sequence[Fraction],
    unit: float,
) -> tuple[Floats, Floats]:
    """Return y in seconds, and the prices of node-seconds and of copy-seconds, (G + J, T)."""
    jobs, groups, slots = len(problem.jobs), len(problem.groups), len(ends)
    lengths = np.diff(np.array([0.0, *map(float, ends)])) / unit
    sizes = np.array([len(nodes) for _, nodes in problem.groups], float)
    column = np.arange(len(keys))
    rate = [float(problem.group_speeds[j][g] / problem.jobs[j].remaining) for j, g, _ in keys]
    entries = Entries()
    entries.add(np.array([j for j, _, _ in keys]), column, np.array(rate) * unit)
    entries.add(np.array([jobs + g * slots + t for _, g, t in keys]), column, 1.0)
    nodes = len(problem.cluster.nodes)
    capped = [j for j in range(jobs) if problem.copies(j) < nodes]
    base = {j: jobs + (groups + k) * slots for k, j in enumerate(capped)}
    limited = [(i, base[j] + t) for i, (j, _, t) in enumerate(keys) if j in base]
    if limited:
        cells, at = zip(*limited, strict=True)
        entries.add(np.array(at), np.array(cells), 1.0)
    rows = jobs + (groups + len(capped)) * slots
    room = np.concatenate([sizes, [problem.copies(j) for j in capped]])
    start, index, value = entries.columns(rows, len(keys))
    low = np.concatenate([np.ones(jobs), np.full(rows - jobs, -np.inf)])
    high = np.concatenate([np.ones(jobs), np.outer(room, lengths).ravel()])
    zero, free = np.zeros(len(keys)), np.full(len(keys), np.inf)
    scale = 1.0 / max(1e-300, float(np.abs(cost).max(initial=0.0)) * unit)
    integer = np.zeros(len(keys), np.bool_)
    model = LinearModel(
        cost * unit, zero, free, low, high, start, index, value, integer, False, list, list
    )
    scaled = scale * 1000.0 if scale < 1e299 else 1.0
    outcome = HighsModel(model, background=False, cost_scale=scaled).run()
    if outcome.termination != "optimal" or outcome.x is None or outcome.row_prices is None:
        raise SolverError(f"completion times of {jobs} jobs: {outcome.raw_status}")
    found = np.maximum(-outcome.row_prices[jobs:].reshape(-1, slots), 0.0) / unit
    prices = np.zeros((groups + jobs, slots))
    prices[:groups] = found[:groups]
    prices[[groups + j for j in capped]] = found[groups:]
    return outcome.x * unit, prices


def _stretch(
    problem: ForkProblem, seconds: Floats, ends: Sequence[Fraction]
) -> tuple[float, Floats, float]:
    """Return the best lambda, the completion times and their weighted sum."""
    speeds = np.array([[float(x) for x in row] for row in problem.group_speeds])
    work = np.array([float(job.remaining) for job in problem.jobs])
    weight = np.array([float(job.weight) for job in problem.jobs])
    gain = np.einsum("jg,jgt->jt", speeds, seconds) / work[:, None]
    done = np.concatenate([np.zeros((len(work), 1)), np.cumsum(gain, axis=1)], axis=1)
    done /= np.maximum(done[:, -1:], 1e-300)
    clock = np.array([0.0, *map(float, ends)])

    def completion(share: float) -> Floats:
        # The first instant at which the share is done.
        found = np.empty(len(work))
        for j in range(len(work)):
            t = int(np.searchsorted(done[j], share - 1e-12))
            low, high = done[j, t - 1], done[j, t]
            part = (share - low) / (high - low) if high > low else 1.0
            found[j] = clock[t - 1] + min(1.0, max(0.0, part)) * (clock[t] - clock[t - 1])
        return found

    # C_j(lambda) / lambda is monotone between breakpoints, so its best is at one of them.
    shares = np.unique(np.clip(np.concatenate([done[:, 1:].ravel(), [1.0]]), 1e-6, 1.0))
    if len(shares) > 200:
        shares = shares[:: len(shares) // 200 + 1]
        shares = np.append(shares, 1.0)
    best = min(
        ((float(weight @ completion(s)) / s, float(s)) for s in shares.tolist()),
        default=(0.0, 1.0),
    )
    value, share = best
    return share, completion(share) / share, value
