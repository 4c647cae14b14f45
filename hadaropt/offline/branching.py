"""What to branch on: completion rounds first, then the progress made in single rounds."""

from __future__ import annotations

import numpy as np

from hadaropt.offline.columns import Limits
from hadaropt.offline.master import Master
from hadaropt.offline.model import Floats
from hadaropt.offline.tree import Decision

FRACTIONAL = 1e-6


def choose(master: Master, weights: Floats, limits: Limits) -> tuple[Decision, bool] | None:
    """Return the decision to branch on and whether its yes side looks better; None if integral.

    Completion: the round m at which the share of the job that completes by m is closest to 1/2,
    weighted by what the job is worth. If every job completes in one round (or never) for sure:
    progress in a round, weighted by the gang size.
    """
    space = master.space
    used = np.flatnonzero(weights > FRACTIONAL).tolist()
    by_job: dict[int, list[int]] = {}
    for place in used:
        by_job.setdefault(master.columns[place].job, []).append(place)
    best: tuple[float, Decision, bool] | None = None
    for i, places in sorted(by_job.items()):
        shares: dict[int, float] = {}
        for place in places:
            f = master.columns[place].completion
            shares[f] = shares.get(f, 0.0) + float(weights[place])
        total = 0.0
        for f in sorted(f for f in shares if f >= 0):
            total += shares[f]
            if FRACTIONAL < total < 1 - FRACTIONAL:
                score = min(total, 1 - total) * float(space.jobs[i].values[0])
                if best is None or score > best[0]:
                    best = score, Decision("completion", i, f), total >= 0.5
    if best is not None:
        return best[1], best[2]
    for i, places in sorted(by_job.items()):
        if len(places) < 2:
            continue
        made: dict[tuple[int, int], float] = {}
        for place in places:
            for t, option, _, _ in master.columns[place].rounds:
                made[t, option] = made.get((t, option), 0.0) + float(weights[place])
        for t in sorted({t for t, _ in made}):
            total = 0.0
            for option in sorted((k for s, k in made if s == t), reverse=True):
                total += made[t, option]
                if FRACTIONAL < total < 1 - FRACTIONAL:
                    score = min(total, 1 - total) * space.jobs[i].gang_size
                    if best is None or score > best[0] + 1e-9:
                        best = score, Decision("progress", i, t, option), total >= 0.5
    return None if best is None else (best[1], best[2])


def undecided(master: Master, weights: Floats, limits: Limits) -> tuple[Decision, bool] | None:
    """Return something that an integral-looking LP point says and the limits leave open.

    For points whose options are integral but whose GPUs are not, or whose bound is a rounding error
    above the incumbent. None if everything is decided.
    """
    space = master.space
    at = 0
    starts = []
    for job in space.jobs:
        starts.append(at)
        at += len(job.values)
    for place in np.flatnonzero(weights > FRACTIONAL).tolist():
        column = master.columns[place]
        i, job = column.job, space.jobs[column.job]
        done = column.completion - job.release
        if column.completion >= 0 and not (limits.must[i] and limits.end[i] <= done):
            return Decision("completion", i, column.completion), True
        if column.completion >= 0 and limits.begin[i] < done:
            return Decision("completion", i, column.completion - 1), False
        for t, option, _, _ in column.rounds:
            k = starts[i] + t - job.release
            if limits.low[k] < option:
                return Decision("progress", i, t, option), True
            if limits.high[k] > option:
                return Decision("progress", i, t, option + 1), False
    return None
