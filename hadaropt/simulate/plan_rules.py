"""What the plan of a scheduler must be: whole gangs, of types that run them, within capacity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping
from itertools import pairwise
from numbers import Integral

from hadaropt.errors import InvariantError, refuse_class, shown
from hadaropt.simulate.copies import copies_of
from hadaropt.simulate.problem import Placement, RoundProblem

SHAPE = "(node, type, count), ..."


def check_scheduler(scheduler: object) -> None:
    """Check that an object is a scheduler.

    Raises
    ------
    TypeError
        If it is a class, or has no ``name`` that is a str, or no method ``plan``.
    """
    refuse_class(scheduler)
    kind = type(scheduler).__name__
    if not hasattr(scheduler, "name") and not hasattr(scheduler, "plan"):
        rule = "must be a name, or an object with a name and a method plan(view)"
        raise TypeError(f"scheduler = {shown(scheduler)}, {rule}")
    if not isinstance(getattr(scheduler, "name", None), str):
        raise TypeError(f'{kind}.name must be a str, such as name = "mine"')
    if not callable(getattr(scheduler, "plan", None)):
        raise TypeError(f"{kind}.plan(view) must be defined")


def check_plan(
    who: str,
    problem: RoundProblem,
    plan: object,
    queued: Container[int],
    known: Mapping[int, Container[Placement]],
) -> dict[int, Placement]:
    """Return the plan of one round if it keeps the rules.

    Parameters
    ----------
    who : str
        Scheduler and round, for messages.
    problem : RoundProblem
        The whole problem.
    plan : object
        What the scheduler returned; should be a mapping of int to Placement.
    queued : container of int
        Jobs that may run.
    known : mapping of int to container of Placement
        Placements of a job that kept the rules before and need no second look.

    Raises
    ------
    TypeError
        If it is no mapping, or a placement in it is none.
    InvariantError
        If a job that is not in the queue runs, a gang is not whole, is on a type that cannot run
        it, mixes types where that is not allowed, or if more GPUs are used than there are.
    """
    if not isinstance(plan, Mapping):
        rule = f"must be a mapping of job index to placement ({SHAPE})"
        raise TypeError(f"{who}: plan returned {shown(plan)}, {rule}")
    capacity = problem.cluster.capacity
    use: dict[tuple[int, int], int] = defaultdict(int)
    for j, placement in plan.items():
        if j not in queued:
            given = f"gives {_named(problem, j)} {shown(placement)}"
            raise InvariantError(f"{who}: {given}, which is not in the queue")
        job = problem.jobs[j]
        if placement not in known.get(j, ()):
            _check_shape(f"{who}: gives job {job.name!r} {shown(placement)}", placement)
            broken = _broken_rule(problem, j, placement)
            if broken is not None:
                raise InvariantError(f"{who}: gives job {job.name!r} {shown(placement)}, {broken}")
        for h, r, count in placement:
            use[h, r] += count
    for place, count in use.items():
        h, r = place
        if count > capacity[h][r]:
            users = [
                problem.jobs[j].name
                for j, placement in plan.items()
                if any(entry[:2] == place for entry in placement)
            ]
            raise InvariantError(
                f"{who}: uses {count} of {capacity[h][r]} GPUs of type "
                f"{problem.cluster.accelerators[r]} on node {problem.cluster.nodes[h]}, "
                f"by {', '.join(f'job {name!r}' for name in users)}"
            )
    return dict(plan)


def _named(problem: RoundProblem, j: object) -> str:
    """Return a job by its name; what is no index of one as it is."""
    if isinstance(j, Integral) and 0 <= int(j) < len(problem.jobs):
        return f"job {problem.jobs[int(j)].name!r}"
    return f"job {shown(j)}"


def _check_shape(what: str, placement: object) -> None:
    entries = placement if isinstance(placement, tuple) else None
    if entries is None or not all(
        isinstance(entry, tuple) and len(entry) == 3 and all(isinstance(n, Integral) for n in entry)
        for entry in entries
    ):
        raise TypeError(f"{what}, must be a tuple ({SHAPE}) of tuples of ints")


def _broken_rule(problem: RoundProblem, j: int, placement: Placement) -> str | None:
    """Return the rule that a placement of job j breaks, in words, or None."""
    job, cluster = problem.jobs[j], problem.cluster
    nodes, types = len(cluster.nodes), len(cluster.accelerators)
    for h, r, count in placement:
        if not 0 <= h < nodes or not 0 <= r < types:
            return f"must name nodes 0 .. {nodes - 1} and types 0 .. {types - 1}"
        if count < 1:
            return "must have counts >= 1"
        if not job.speed[r] > 0:
            return f"must not hold type {cluster.accelerators[r]}, which cannot run it"
    places = [(h, r) for h, r, _ in placement]
    if any(a >= b for a, b in pairwise(places)):
        return "must be in ascending order of (node, type), each once"
    gangs = copies_of(placement, job.gang_size)
    whole = all(sum(count for _, _, count in gang) == job.gang_size for gang in gangs)
    if not whole or len(gangs) > max(1, job.max_copies):
        copies = "" if job.max_copies <= 1 else f", or one on each of up to {job.max_copies} nodes"
        return f"must be one whole gang of {job.gang_size} GPUs{copies}"
    if not problem.mixing and any(len({r for _, r, _ in gang}) > 1 for gang in gangs):
        return "must not mix types"
    return None
