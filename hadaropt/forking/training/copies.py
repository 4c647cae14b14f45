"""One copy: what a worker is ordered to do, and what it reports."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hadaropt.errors import TrackerError, shown
from hadaropt.forking.training.tasks.task import State, Task

BLOCK_SECONDS = 0.05
"""Blocks of steps grow until one takes about so long: the clock is looked at between blocks."""


class Order(NamedTuple):
    """What a copy is to do.

    Parameters
    ----------
    task : Task
    state : State
        The consolidated state to go on from.
    steps : int
        Steps to make, >= 1.
    entropy : tuple of int
        Names the stream of minibatches: no other copy has the same.
    stop_after : float or None
        Seconds after which the copy stops, with at least one step made; None for no limit.
    pace : float or None
        At most so many steps per second: a demonstration's slow node sleeps. None for full speed.
    """

    task: Task
    state: State
    steps: int
    entropy: tuple[int, ...]
    stop_after: float | None = None
    pace: float | None = None


class Report(NamedTuple):
    """What a copy did: steps >= 1 made, in how many nanoseconds, at what mean loss, to what state.

    The time is that of the steps alone: loading data and making the model are not in it.
    """

    steps: int
    nanoseconds: int
    loss: float
    state: State


def run_copy(order: Order, progress: Callable[[int], None] | None = None) -> Report:
    """Train a copy; ``progress`` is told the steps made so far, at most some times a second.

    Raises
    ------
    TrackerError
        If the loss is not finite: going on would only spoil more.
    """
    rng = np.random.default_rng(np.random.SeedSequence(order.entropy))
    learner = order.task.learner(order.state, rng)
    start = time.perf_counter_ns()
    watched = order.pace is not None or order.stop_after is not None or progress is not None
    block = 1 if watched else order.steps
    made, total, told = 0, 0.0, start
    while made < order.steps:
        count = min(block, order.steps - made)
        begun = time.perf_counter_ns()
        loss = learner.advance(count)
        if not math.isfinite(loss):
            raise TrackerError("loss", f"must be finite (after {made + count} steps)", shown(loss))
        made += count
        total += loss * count
        if order.pace is not None:
            time.sleep(max(0.0, made / order.pace - (time.perf_counter_ns() - start) / 1e9))
        now = time.perf_counter_ns()
        if progress is not None and now - told > 200_000_000:
            progress(made)
            told = now
        if order.stop_after is not None and now - start >= order.stop_after * 1e9:
            break
        if now - begun < BLOCK_SECONDS * 5e8:
            block *= 2
        elif now - begun > BLOCK_SECONDS * 2e9:
            block = max(1, block // 2)
    nanoseconds = max(1, time.perf_counter_ns() - start)
    return Report(made, nanoseconds, total / made, learner.state())
