"""Why a job cannot be scheduled at a value, even alone: reasons in words."""

from __future__ import annotations

from hadaropt.instance import Instance
from hadaropt.modes.plans import Form, most_progress, raw_ways
from hadaropt.offline.compact.formulation import exact_form


def why_unschedulable(instance: Instance, j: int, form: Form | None = None) -> str | None:
    """Return why no schedule of job j alone is worth anything, or None if one is.

    ``form`` is that of `exact_form`: it looks at all jobs, so whoever asks of many gives it.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Step
    >>> job = Job("a", 0, 1, 100, {"V100": 5}, Step(1, 9))
    >>> why_unschedulable(Instance(Cluster.of({"n": {"V100": 1}}), (job,), 3, 1), 0)
    'it needs at least 20 rounds from its release in round 0, and the horizon is 3 rounds'
    """
    reason = instance.unschedulable(j)
    if reason is not None:
        return reason
    job = instance.jobs[j]
    ways = raw_ways(instance, j, exact_form(instance) if form is None else form)
    best = most_progress(ways, instance.max_copies(j))
    if best == 0:
        return "it makes no whole iteration in a round, wherever it fits"
    rounds = -(-job.iterations // best)
    first = job.release + rounds - 1
    if first >= instance.num_rounds:
        return (
            f"it needs at least {rounds} rounds from its release in round {job.release}, "
            f"and the horizon is {instance.num_rounds} rounds"
        )
    if instance.value(j, first) == 0:
        return f"its utility is zero from round {first} on, the first in which it can complete"
    return None


def unschedulable_jobs(instance: Instance) -> dict[str, str]:
    """Return the reason of every job that cannot earn anything, by name."""
    form = exact_form(instance)
    reasons = {
        job.name: why_unschedulable(instance, j, form) for j, job in enumerate(instance.jobs)
    }
    return {name: reason for name, reason in reasons.items() if reason is not None}


__all__ = ["unschedulable_jobs", "why_unschedulable"]
