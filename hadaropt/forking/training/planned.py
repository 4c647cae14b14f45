"""HadarE's planner as the plan of a real round: each worker is a node that is one machine."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hadaropt.forking.planning.planner import Objective, plan_round
from hadaropt.forking.planning.problem import ForkJob, ForkProblem
from hadaropt.forking.planning.split import split_steps
from hadaropt.forking.tracking.tracker import SPEED_UNIT
from hadaropt.forking.training.proportional import JobView, Plan
from hadaropt.instance import Cluster
from hadaropt.names import known_name

OBJECTIVES = ("jct", "makespan")
"""What a plan of real training can aim at; a task has no utility."""


def planned(
    objective: Objective, *, round_seconds: Fraction | int | str, round_steps: int | None = None
) -> Plan:
    """Return a plan that gives out nodes as `plan_round` does, and steps in proportion to speed.

    Each worker is a node with one accelerator of its own type, so that a job may be fast on one
    and slow on another (unrelated nodes, theorems H3, H6 and H7).

    Parameters
    ----------
    objective : {"jct", "makespan"}
    round_seconds : number
        Length of a round, > 0.
    round_steps : int or None
        At most so many steps of a job in one round; None for all that wait.

    Raises
    ------
    InstanceError
        If there is no such objective of training.

    Examples
    --------
    >>> plan = planned("makespan", round_seconds=1)
    >>> fast, slow = 2_000_000, 1_000_000
    >>> jobs = [JobView("a", 90, 2, {"x": fast, "y": slow}),
    ...         JobView("b", 90, 2, {"x": slow, "y": fast})]
    >>> plan(jobs)
    {'a': {'x': 90}, 'b': {'y': 90}}
    """
    known_name("objective", objective, OBJECTIVES)

    def plan(jobs: Sequence[JobView]) -> dict[str, dict[str, int]]:
        nodes = sorted({node for job in jobs for node in job.speeds})
        if not nodes:
            return {}
        cluster = Cluster.of({node: {node: 1} for node in nodes})
        columns = tuple(
            ForkJob(
                job.name,
                1,
                job.waiting,
                tuple(Fraction(job.speeds.get(node, 0), SPEED_UNIT) for node in nodes),
                min(job.max_copies, len(nodes)),
            )
            for job in jobs
        )
        found = plan_round(ForkProblem(cluster, columns, Fraction(round_seconds)), objective)
        chosen = {}
        for j, placement in found.placements.items():
            job = jobs[j]
            speeds = {nodes[h]: job.speeds[nodes[h]] for h, _, _ in placement}
            steps = job.waiting if round_steps is None else min(job.waiting, round_steps)
            shares = split_steps(steps, speeds)
            chosen[job.name] = {node: share for node, share in shares.items() if share}
        return chosen

    return plan
