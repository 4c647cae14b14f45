"""Running a user's own policy: it sees the jobs that have arrived, and the free GPUs, only."""

from __future__ import annotations

from dataclasses import replace

from hadaropt.errors import ScheduleError
from hadaropt.instance import Instance
from hadaropt.online.primal_dual import arrival_order
from hadaropt.online.state import Occupancy
from hadaropt.policies import ArrivalPolicy
from hadaropt.schedule import Allocation, Schedule, trim_schedule


def commit_arrivals(instance: Instance, policy: ArrivalPolicy) -> Schedule:
    """Return what the policy decides, job by job in order of arrival.

    Raises
    ------
    ScheduleError
        If a decision breaks a rule of the job or takes GPUs that are not free.
    """
    occupancy = Occupancy(instance)
    order = arrival_order(instance)
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    for k, j in enumerate(order):
        past = replace(instance, jobs=tuple(instance.jobs[i] for i in order[: k + 1]))
        chosen = policy.arrive(past, k, occupancy.on_nodes.copy())
        if not chosen:
            continue
        alone = Schedule(tuple(tuple(chosen) if i == k else () for i in range(k + 1)))
        jobs[j] = trim_schedule(past, alone).jobs[k]
        for allocation in jobs[j]:
            for h, r, count in allocation.gpus:
                occupancy.on_nodes[allocation.round, h, r] -= count
                if occupancy.on_nodes[allocation.round, h, r] < 0:
                    raise ScheduleError.at(
                        f"policy {policy.name} must not take GPUs that are not free",
                        job=instance.jobs[j].name,
                        round=allocation.round,
                        node=instance.cluster.nodes[h],
                        type=instance.cluster.accelerators[r],
                    )
    return Schedule(tuple(jobs))
