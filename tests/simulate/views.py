"""The start of a round, made by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hadaropt.instance import Cluster
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.view import QueuedJob, RoundView
from hadaropt.workload import Workload


def view_of(
    cluster, *jobs, round=0, held=None, remaining=None, tau=100, restart=0, mixing=True
) -> RoundView:
    """Return the view of a round in which all jobs wait or run; ``held`` is by index."""
    nodes = Cluster.of(cluster)
    known = (
        replace(j, throughput={r: x for r, x in j.throughput.items() if r in nodes.accelerators})
        for j in jobs
    )
    own = Workload(nodes, known)
    options = {"round_seconds": tau, "restart_seconds": restart, "mixing": mixing}
    problem = RoundProblem.of_workload(own, **options)
    queue = tuple(
        QueuedJob(
            j,
            job,
            (remaining or {}).get(j, job.iterations),
            Fraction(0),
            (held or {}).get(j),
        )
        for j, job in enumerate(problem.jobs)
    )
    return RoundView(round, problem, queue)
