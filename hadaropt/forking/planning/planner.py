"""HadarE's planner: the copies of one round, for a choice of objectives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from hadaropt.forking.planning.completion import SLOTS, completion_program
from hadaropt.forking.planning.fill import Placement, Request, RoundFill
from hadaropt.forking.planning.makespan import makespan_program
from hadaropt.forking.planning.problem import ForkProblem, check_node_machine, related_speeds
from hadaropt.frozen import freeze_fields
from hadaropt.names import known_name

Objective = Literal["jct", "makespan", "utility"]
MOST_CELLS = 6000
"""Jobs x groups of nodes x slots up to which ``jct`` solves the program of theorem H7."""
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


@dataclass(frozen=True)
class RoundPlan:
    """What the jobs hold in one round.

    Attributes
    ----------
    placements : dict of int to Placement
        W_j GPUs: one gang; k W_j with W_j on each of k nodes: k copies.
    progress : dict of int to int
        Iterations that each job makes, were there as many left.
    """

    placements: Mapping[int, Placement]
    progress: Mapping[int, int]

    def __post_init__(self) -> None:
        freeze_fields(self)


def plan_round(
    problem: ForkProblem,
    objective: Objective = "jct",
    held: Mapping[int, Placement] | None = None,
    first: Sequence[Request] = (),
) -> RoundPlan:
    """Plan one round.

    ``jct``: sum of weighted completion times. Wishes by w_j X_jr / Q_j (per GPU where jobs share
    nodes), each job limited by the work left: the greedy rule of theorem H8 for the weights of
    Smith's rule, so that on related nodes it is that rule (H6). Where nodes are machines but not
    related, and the program of theorem H7 is small (`MOST_CELLS`), wishes follow that program.
    ``makespan``:
    `hadaropt.forking.planning.makespan.fluid_makespan` says which job belongs on which nodes;
    jobs without slack first, then the shortest. ``utility``: each job takes its best schedule at
    prices that rise as the rounds fill (`hadaropt.forking.planning.utility.plan_utility`).
    Under each of
    them what is left over is filled by the greedy rule, so that no node idles beside a job that it
    could help.

    Parameters
    ----------
    problem : ForkProblem
    objective : {"jct", "makespan", "utility"}
    held : mapping of job to placement, optional
        Of the round before; where it makes no difference jobs stay.
    first : sequence of Request
        Wishes that go before those of the objective, such as measurements to be made.

    Raises
    ------
    InstanceError
        If there is no such objective, or a job has no ``worth`` under ``utility``.
    SolverError
        If the linear program was not solved.

    Examples
    --------
    >>> from hadaropt import Cluster
    >>> from hadaropt.forking.planning.problem import ForkJob, ForkProblem
    >>> cluster = Cluster.of({"a": {"V100": 1}, "b": {"K80": 1}})
    >>> jobs = (ForkJob("x", 1, 9000, (4, 1)), ForkJob("y", 1, 9000, (1, 4)))
    >>> plan_round(ForkProblem(cluster, jobs), "makespan").placements
    {0: ((0, 0, 1),), 1: ((1, 1, 1),)}
    """
    known_name("objective", objective, OBJECTIVES)
    filled = RoundFill(problem, held)
    if not problem.jobs:
        return RoundPlan({}, {})
    for wish in first:
        filled.add(wish)
    if objective == "utility":
        from hadaropt.forking.planning.utility import plan_utility

        for j, choice in plan_utility(problem).items():
            if filled.fits(j, choice.use):
                filled.adopt(j, choice.use, copies=choice.copies)
    wishes: list[Request] = []
    if objective == "makespan":
        wishes = makespan_requests(problem)
    elif objective == "jct" and _fits_program(problem):
        wishes = stretch_requests(problem)
    wishes += density_requests(problem)
    for wish in wishes:
        if filled.full:
            break
        filled.add(wish)
    filled.shorten(dict.fromkeys(wish.job for wish in wishes))
    placements = filled.placements
    return RoundPlan(placements, {j: filled.progress(j) for j in placements})


def density_requests(problem: ForkProblem) -> list[Request]:
    """Return wishes for every job and level by decreasing w_j X_jr / Q_j, per GPU if shared."""
    shared = check_node_machine(problem) is not None
    ranked = []
    for j, job in enumerate(problem.jobs):
        size = job.remaining * (job.gang_size if shared else 1)
        for level in problem.levels(j):
            ranked.append((-job.pull[level] / size, j, level))
    return [Request(j, level) for _, j, level in sorted(ranked)]


def _fits_program(problem: ForkProblem) -> bool:
    cells = len(problem.jobs) * len(problem.groups) * SLOTS
    machine = cells <= MOST_CELLS and check_node_machine(problem) is None
    return machine and related_speeds(problem) is None


def stretch_requests(problem: ForkProblem) -> list[Request]:
    """Return wishes by the mean time at which the program of theorem H7 runs a job on a node."""
    slots, seconds, _ = completion_program(problem)
    ends = np.array(list(map(float, slots)))
    middle = (ends + np.concatenate([[0.0], ends[:-1]])) / 2
    time = seconds.sum(axis=2)
    wishes = []
    for j, g in zip(*(at.tolist() for at in np.nonzero(time > 1e-6 * ends[0])), strict=True):
        row, nodes = problem.groups[g]
        level = problem.row_level(j, row)
        if level is not None:
            when = float(seconds[j, g] @ middle) / float(time[j, g])
            wishes += [(when, j, h, level) for h in nodes]
    return [Request(j, level, (h,)) for _, j, h, level in sorted(wishes)]


def makespan_requests(problem: ForkProblem) -> list[Request]:
    """Return wishes that follow the makespan program.

    A job whose own rows are tight has no slack: it must run now. The others go shortest first, so
    that few are left unfinished when rounds run out.
    """
    fluid = makespan_program(problem)
    tau, least = float(problem.round_seconds), 1e-6 * fluid.value
    time: dict[int, dict[tuple[int | None, int, bool], float]] = {}
    for option, seconds in zip(fluid.options, fluid.seconds, strict=True):
        if seconds > least:
            mine = time.setdefault(option.job, {})
            key = option.group, option.level, option.forked
            mine[key] = mine.get(key, 0.0) + seconds
    wishes = []
    for j, mine in time.items():
        busy = max(
            sum(t / (problem.copies(j) if forked else 1) for (*_, forked), t in mine.items()),
            *(t / (1 if g is None else len(problem.groups[g][1])) for (g, *_), t in mine.items()),
        )
        slack = fluid.value - busy >= tau
        need = fluid.work[j] * problem.jobs[j].remaining
        # Time alone, which loses nothing to consolidation, comes before time as copies.
        single = max((t for (*_, forked), t in mine.items() if not forked), default=0.0) >= tau
        for (g, level, forked), seconds in mine.items():
            if forked and single:
                continue
            nodes = None if g is None else problem.groups[g][1]
            most = max(1, round(seconds / tau + 0.499)) if forked else None
            wish = Request(j, level, nodes, most, not forked and g is not None)
            wishes.append(((slack, need, j, -seconds), wish))
    wishes.sort(key=lambda wish: wish[0])
    found = [request for _, request in wishes]
    # A job that found no room where it belongs goes before further copies of the others.
    found += [replace(request, alone=True) for request in density_requests(problem)]
    return found
