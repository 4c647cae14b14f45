"""Running a user's own policy: it sees the jobs that have arrived, and the free GPUs, only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hadaropt.errors import ScheduleError, shown
from hadaropt.instance import Instance
from hadaropt.online.completions import Completions
from hadaropt.online.primal_dual import arrival_order
from hadaropt.online.state import Occupancy
from hadaropt.policies import ArrivalPolicy
from hadaropt.schedule import Allocation, Schedule, check_schedule


def commit_arrivals(
    instance: Instance, policy: ArrivalPolicy, truth: Instance | None = None
) -> Schedule:
    """Return what the policy decides, job by job in order of arrival.

    With ``truth`` the iterations of ``instance`` are only declared: what jobs that complete earlier
    had planned beyond is free for later arrivals.

    Raises
    ------
    TypeError
        If the policy lacks a name or ``arrive``, or returns anything but allocations.
    ScheduleError
        If a decision breaks a rule of the job, goes on after its completion or takes GPUs that are
        not free.
    """
    _check_policy(policy)
    occupancy = Occupancy(instance)
    ends = Completions(instance if truth is None else truth)
    order = arrival_order(instance)
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    for k, j in enumerate(order):
        occupancy.give_back(ends.freed(instance.jobs[j].release))
        past = replace(instance, jobs=tuple(instance.jobs[i] for i in order[: k + 1]))
        chosen = policy.arrive(past, k, occupancy.on_nodes.copy())
        if chosen is None:
            continue
        _check_decision(policy, chosen)
        jobs[j] = tuple(sorted(chosen))
        try:
            check_schedule(past, Schedule(tuple(jobs[j] if i == k else () for i in range(k + 1))))
        except ScheduleError as bad:
            raise _of_policy(policy, bad) from None
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
        if truth is not None:
            ends.plan(j, jobs[j])
    return Schedule(tuple(jobs))


def _of_policy(policy: ArrivalPolicy, bad: ScheduleError) -> ScheduleError:
    """Return the error with the policy whose decision it is."""
    return ScheduleError(
        f"policy {policy.name}: {bad.path}" if bad.path else f"policy {policy.name}",
        bad.rule,
        bad.value,
        job=bad.job,
        round=bad.round,
        node=bad.node,
        type=bad.type,
    )


def _check_policy(policy: ArrivalPolicy) -> None:
    own = type(policy)
    if own.arrive is ArrivalPolicy.arrive:
        raise TypeError(f"{own.__name__}.arrive(past, j, free) must be defined")
    if own.name is ArrivalPolicy.name or not isinstance(policy.name, str):
        raise TypeError(f'{own.__name__}.name must be a str, such as name = "mine"')


def _check_decision(policy: ArrivalPolicy, chosen: object) -> None:
    entries = chosen if isinstance(chosen, Sequence) else [chosen]
    wrong = [entry for entry in entries if not isinstance(entry, Allocation)]
    if wrong or entries is not chosen:
        raise TypeError(
            f"policy {policy.name}: arrive returned {shown(chosen)}, must be None or a sequence of "
            "hadaropt.Allocation(round, ((node, type, count), ...))"
        )
