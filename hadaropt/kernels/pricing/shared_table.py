"""Best schedules of jobs that share one covering table: they differ in need, gang and utility."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.pricing.cover import trace_dense
from hadaropt.kernels.pricing.utility import best_completion, worths

Ints = npt.NDArray[np.int64]

INF = np.int64(2**62)


@kernel
def share(
    start: Ints,
    progress: Ints,
    cost: Ints,
    table: Ints,
    top: Ints,
    tie: int,
    gang: Ints,
    need: Ints,
    kind: Ints,
    par: Ints,
    last: Ints,
    floors: Ints,
    ranks: Ints,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Best schedules of jobs that share a covering table for a gang of one.

    Parameters
    ----------
    start, progress, cost : int64
        Options of the rounds of the window, for a gang of one.
    table, top : int64
        Their `hadaropt.kernels.pricing.cover.dense` table for the largest need, computed without
        `worth`.
    tie : int
        Weight of the charge in the keys.
    gang, need : (J,) int64
        Units per running round (each charged as in the options), and required progress.
    kind, par, last, floors, ranks
        As in `hadaropt.kernels.pricing.utility`, with par of shape (J, 3).

    Returns
    -------
    completion : (J,) int64
        Round of the window, -1 for the empty schedule.
    charge : (J,) int64
    plan_start : (J + 1,) int64
        Entries of job j are plan_start[j] .. plan_start[j + 1] - 1 of the plan.
    plan : (entries, 2) int64
        Round of the window, increasing within a job, and option.
    """
    jobs = need.shape[0]
    rounds = start.shape[0] - 1
    pad = table.shape[1] - 1 - need.max()
    choice = np.empty(rounds, np.int64)
    paid = np.empty(rounds, np.int64)
    completion = np.full(jobs, -1, np.int64)
    charge = np.zeros(jobs, np.int64)
    plan_start = np.zeros(jobs + 1, np.int64)
    plan = np.empty((256, 2), np.int64)
    size = 0
    for j in range(jobs):
        window = min(rounds, last[j])
        whole, part, weight = worths(kind[j], par[j], window, floors, ranks)
        for n in range(window):
            paid[n] = INF
            if top[n + 1] >= need[j]:
                paid[n] = gang[j] * (table[n + 1, pad + need[j]] // tie)
        at = best_completion(whole, part, weight, paid[:window], 1)
        if at >= 0:
            completion[j] = at
            charge[j] = paid[at]
            trace_dense(start, progress, cost, need[j], at, pad, table, top, choice)
            if size + at + 1 > plan.shape[0]:
                wider = np.empty((2 * (size + at + 1), 2), np.int64)
                wider[:size] = plan[:size]
                plan = wider
            for n in range(at + 1):
                if choice[n] >= 0:
                    plan[size, 0] = n
                    plan[size, 1] = choice[n]
                    size += 1
        plan_start[j + 1] = size
    return completion, charge, plan_start, plan[:size].copy()
