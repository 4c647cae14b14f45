"""Round schedulers as text: ``hadar``, ``srtf[iterations=unknown]`` told wrong iterations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hadaropt.exact import Exact
from hadaropt.online.misinformed import check_iterations, declared_iterations
from hadaropt.online.policy_text import ITERATIONS, check_parameters, split_text
from hadaropt.simulate.registry import find_scheduler, make_scheduler
from hadaropt.workload import Workload


def scheduler_from_text(text: str) -> tuple[str, Exact | None]:
    """Return the name of a scheduler, and the factor on the iterations that it is told.

    Raises
    ------
    InstanceError
        For an unknown name or parameter (the nearest is given), or a value out of range.
    """
    called, given = split_text("scheduler", text)
    name = find_scheduler(called)
    make_scheduler(name)
    check_parameters(f"scheduler {name}", given, (ITERATIONS,))
    told = given.get(ITERATIONS)
    return name, None if told is None else check_iterations(told)


def declare_workload(workload: Workload, iterations: Exact) -> Workload:
    """Return the workload as it is declared: see `hadaropt.online.misinformed.declare`."""
    fastest = [max(job.throughput.values(), default=Fraction(0)) for job in workload.jobs]
    told = declared_iterations([job.iterations for job in workload.jobs], fastest, iterations)
    jobs = (replace(job, iterations=q) for job, q in zip(workload.jobs, told, strict=True))
    return replace(workload, jobs=tuple(jobs))
