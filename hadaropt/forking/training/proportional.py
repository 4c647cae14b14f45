"""The plan of a round: which nodes train which job, and how many steps each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hadaropt.forking.planning.split import split_steps


class JobView(NamedTuple):
    """What a plan sees of an unfinished job.

    Attributes
    ----------
    name : str
    waiting : int
        Steps that nobody holds, >= 1.
    max_copies : int
        Copies it may have at once, >= 1.
    speeds : dict of str to int
        Steps per 10^6 s on each node that can run it: measured, else guessed.
    """

    name: str
    waiting: int
    max_copies: int
    speeds: dict[str, int]


Plan = Callable[[Sequence[JobView]], Mapping[str, Mapping[str, int]]]
"""From the unfinished jobs to ``{job: {node: steps}}``; a node is given to one job at most."""


def proportional(
    jobs: Sequence[JobView], *, round_steps: int | None = None
) -> dict[str, dict[str, int]]:
    """Return a plan that lets all jobs finish at about the same time.

    The nodes, fastest first, each go to the job that would take longest with what it was given
    (waiting steps / speed; a job without a node first, in the order given). A job's steps are split
    over its nodes in proportion to their speeds, to the last step.

    Parameters
    ----------
    jobs : sequence of JobView
    round_steps : int or None
        At most so many steps of a job in one round: the consolidation period. None for all.

    Examples
    --------
    >>> job = JobView("a", 90, 2, {"n0": 2_000_000, "n1": 1_000_000, "n2": 500_000})
    >>> proportional([job])
    {'a': {'n0': 60, 'n1': 30}}
    """
    chosen: dict[str, dict[str, int]] = {job.name: {} for job in jobs}
    fastest: dict[str, int] = {}
    for job in jobs:
        for node, speed in job.speeds.items():
            fastest[node] = max(speed, fastest.get(node, 0))
    for node in sorted(fastest, key=lambda name: (-fastest[name], name)):
        taker: JobView | None = None
        for job in jobs:
            own = chosen[job.name]
            # A copy without a step would be none.
            if node not in job.speeds or len(own) >= min(job.max_copies, job.waiting):
                continue
            if taker is None or _longer(job, own, taker, chosen[taker.name]):
                taker = job
        if taker is not None:
            chosen[taker.name][node] = taker.speeds[node]
    plan = {}
    for job in jobs:
        if chosen[job.name]:
            steps = job.waiting if round_steps is None else min(job.waiting, round_steps)
            shares = split_steps(steps, chosen[job.name])
            plan[job.name] = {node: share for node, share in shares.items() if share}
    return plan


def _longer(a: JobView, at_a: Mapping[str, int], b: JobView, at_b: Mapping[str, int]) -> bool:
    """Return whether a takes longer than b, in integers: waiting_a / v_a > waiting_b / v_b."""
    return a.waiting * sum(at_b.values()) > b.waiting * sum(at_a.values())
