"""What a job can do with a part of the cluster: the columns of the fluid programs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from hadaropt.forking.planning.problem import ForkProblem, Row


@dataclass(frozen=True)
class Option:
    """One way of running a job.

    Attributes
    ----------
    job : int
    group : int or None
        The group of equal nodes on one of which it lies; None for a gang that spans nodes.
    level : int
        The slowest type used.
    use : tuple of int, shape (R,)
        GPUs of each type.
    forked : bool
        Whether it is one of two or more copies.
    rate : Fraction
        Iterations per second.
    """

    job: int
    group: int | None
    level: int
    use: Row
    forked: bool
    rate: Fraction


def job_options(problem: ForkProblem, j: int, *, node_machine: bool) -> list[Option]:
    """Return the options of a job that no other one dominates.

    Copies lose the consolidation time, so without it a job alone on a node is one of its copies.
    Where a node is one machine, only the fastest gang of each node counts, and none that spans
    nodes (`hadaropt.forking.planning.problem.check_node_machine`).
    """
    job, lost = problem.jobs[j], problem.consolidation_seconds / problem.round_seconds
    kinds = [True] if problem.copies(j) > 1 else [False]
    if lost and problem.copies(j) > 1:
        kinds = [False, True]
    found = []
    for g, (row, _) in enumerate(problem.groups):
        best = problem.row_level(j, row)
        for level in problem.levels(j):
            if best is None or (node_machine and level != best):
                continue
            for use in _fills(problem, j, level, row):
                found += [
                    Option(j, g, level, use, forked, job.speed[level] * (1 - lost * forked))
                    for forked in kinds
                ]
    if not node_machine and problem.can_spread(j):
        for level in problem.levels(j):
            for use in _fills(problem, j, level, problem.cluster.pooled_capacity):
                rate = job.speed[level] * job.spread_factor
                found.append(Option(j, None, level, use, False, rate))
    return [option for option in found if option.rate > 0]


def _fills(problem: ForkProblem, j: int, level: int, row: Row) -> list[Row]:
    """Return the vertices of {u <= row, sum u = W} that use the level and no slower type."""
    gang = problem.jobs[j].gang_size
    open_to = [r for r in problem.admitted(j, level) if row[r]]
    if sum(row[r] for r in open_to) < gang:
        return []
    found = set()
    for order in permutations(open_to):
        use, need = [0] * len(row), gang
        for r in order:
            use[r] = min(need, row[r])
            need -= use[r]
        found.add(tuple(use))
    # A fill that leaves out the slowest types is one of a faster level.
    speed = problem.jobs[j].speed
    slowest = [r for r in open_to if speed[r] == speed[level]]
    return sorted(use for use in found if any(use[r] for r in slowest))
