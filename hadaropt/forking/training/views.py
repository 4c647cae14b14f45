"""Between the books and a plan: what a plan sees, and whether what it says can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hadaropt.errors import TrackerError, shown
from hadaropt.forking.tracking.tracker import SPEED_UNIT, Tracker
from hadaropt.forking.training.engines.engine import SPEED
from hadaropt.forking.training.options import TrainingJob
from hadaropt.forking.training.proportional import JobView

Resources = Mapping[str, Mapping[str, float]]
"""What each node offers."""


def view(job: TrainingJob, tracker: Tracker, offers: Resources) -> JobView | None:
    """Return what a plan sees of a job; None if it waits for nothing or no node can run it."""
    name = job.task.name
    nodes = [node for node in tracker.nodes if can_run(job, offers[node])]
    if not nodes or tracker.waiting(name) == 0:
        return None
    most = len(nodes) if job.max_copies is None else job.max_copies
    measured = {node: tracker.speed(name, node) for node in nodes}
    hints = {node: _units(offers[node]) for node in nodes}
    return JobView(name, tracker.waiting(name), most, fill_speeds(measured, hints))


def fill_speeds(measured: Mapping[str, int | None], hints: Mapping[str, int]) -> dict[str, int]:
    """Return measured speeds, and for nodes not measured their hints, scaled by those that are.

    Examples
    --------
    >>> fill_speeds({"a": 300, "b": None}, {"a": 2, "b": 4})
    {'a': 300, 'b': 600}
    """
    known = {node: speed for node, speed in measured.items() if speed is not None}
    if not known:
        return dict(hints)
    up, down = sum(known.values()), sum(hints[node] for node in known)
    return {node: known.get(node, max(1, hints[node] * up // down)) for node in measured}


def can_run(job: TrainingJob, offers: Mapping[str, float]) -> bool:
    """Return whether a node that offers these resources can run a copy of the job."""
    return all(offers.get(what, 0) >= amount for what, amount in job.requires.items())


def check_jobs(jobs: Sequence[TrainingJob], offers: Resources) -> None:
    """Check that each job can run somewhere, and has at most as many copies as there are nodes.

    Raises
    ------
    TrackerError
        Naming the job, the value and the rule.
    """
    for job in jobs:
        place = f"jobs[{shown(job.task.name)}]"
        if not any(can_run(job, own) for own in offers.values()):
            rule = f"must be offered by a node (there are: {', '.join(sorted(offers))})"
            raise TrackerError(f"{place}.requires", rule, shown(dict(job.requires)))
        if job.max_copies is not None and not 1 <= job.max_copies <= len(offers):
            rule = f"must be between 1 and {len(offers)}, the nodes"
            raise TrackerError(f"{place}.max_copies", rule, shown(job.max_copies))


def check_plan(views: Sequence[JobView], plan: Mapping[str, Mapping[str, int]]) -> None:
    """Check what `Tracker.fork` cannot see: one job per node, caps, nodes that can run it.

    Raises
    ------
    TrackerError
        Naming the job, the node and the rule.
    """
    known = {view.name: view for view in views}
    taken: dict[str, str] = {}
    for name, steps in plan.items():
        place = f"plan[{shown(name)}]"
        if name not in known:
            raise TrackerError(place, "must be a job that waits for steps")
        most = known[name].max_copies
        if not 1 <= len(steps) <= most:
            raise TrackerError(f"{place}.copies", f"must be between 1 and {most}", str(len(steps)))
        for node in steps:
            where = f"{place}[{shown(node)}]"
            if node not in known[name].speeds:
                raise TrackerError(where, "must be a node that can run it")
            if node in taken:
                raise TrackerError(where, f"has a copy of {taken[node]} already")
            taken[node] = name


def _units(offers: Mapping[str, float]) -> int:
    """Return the speed that a node hints at, in millionths (1 if it hints at none)."""
    return max(1, round(offers.get(SPEED, 1.0) * SPEED_UNIT))
