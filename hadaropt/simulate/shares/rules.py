"""Policies that need no program."""

from __future__ import annotations

import numpy as np

from hadaropt.simulate.shares.model import ShareProblem, Shares


def isolated(problem: ShareProblem) -> Shares:
    """Give every job the same part of every type; the objective is the least speed."""
    x = problem.isolated_shares
    return Shares(x, float(problem.received(x).min()))


def fifo(problem: ShareProblem) -> Shares:
    """Give each job, in order, its fastest type with room; stop at the first that fits nowhere.

    A job that fits only where it cannot run waits without stopping the others. The objective is
    the number of jobs that run.
    """
    x = np.zeros_like(problem.speed)
    free = problem.counts.copy()
    for i, speeds in enumerate(problem.speed):
        room = free >= problem.gang[i]
        if not room.any():
            break
        r = int(np.argmax(np.where(room, speeds, 0.0)))
        if room[r] and speeds[r] > 0:
            free[r] -= problem.gang[i]
            x[i, r] = 1.0
    return Shares(x, float(x.sum()))
