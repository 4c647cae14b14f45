"""``hadaropt simulate``: a trace under a round-based scheduler."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hadaropt.cli.answer import Answer, number
from hadaropt.cli.options import AsJson, UsageError

if TYPE_CHECKING:
    from hadaropt.instance import Cluster
    from hadaropt.simulate.schedulers.gavel_reference import ReferenceRun

SCHEDULERS = "gavel_reference:POLICY"


def _positive(_: type, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError("must be finite and > 0")


WorkloadFile = Annotated[Path, Parameter(name="WORKLOAD", help="Gavel trace (reduced csv).")]
SchedulerName = Annotated[str, Parameter(help=f"{SCHEDULERS}.")]
ClusterSpec = Annotated[
    str | None, Parameter(help="TYPE=NODESxGPUS,... (TYPE=N is one node of N GPUs).")
]
Throughputs = Annotated[
    Path | None, Parameter(help="Measured throughputs, one measurement per row (csv).")
]
Allocations = Annotated[
    Path | None,
    Parameter(help="Recorded allocations to replay instead of solving (csv, may be .gz)."),
]
RoundSeconds = Annotated[float, Parameter(help="Length of a round.", validator=_positive)]
Seed = Annotated[int, Parameter(help="Seed of what the scheduler draws.")]


def simulate(
    workload: WorkloadFile,
    /,
    *,
    scheduler: SchedulerName,
    cluster: ClusterSpec = None,
    throughputs: Throughputs = None,
    replay_allocations: Allocations = None,
    round_seconds: RoundSeconds = 360.0,
    seed: Seed = 0,
    json: AsJson = False,
) -> Answer:
    """Simulate a workload round by round.

    Exit code 0: the run is complete, whether or not every job completed.
    """
    family, _, policy = scheduler.partition(":")
    if family != "gavel_reference" or not policy:
        raise UsageError(f"--scheduler {scheduler}: must be {SCHEDULERS}")
    if cluster is None:
        raise UsageError("--cluster: is needed")
    if throughputs is None:
        raise UsageError("--throughputs: is needed by gavel_reference")
    from hadaropt.simulate.schedulers.gavel_reference import simulate_gavel_reference

    target = parse_cluster(cluster)
    run = simulate_gavel_reference(
        workload,
        throughputs,
        dict(zip(target.accelerators, target.pooled_capacity, strict=True)),
        policy,
        round_seconds=round_seconds,
        seed=seed,
        replay=replay_allocations,
    )
    return _reference_answer(scheduler, run)


def parse_cluster(text: str) -> Cluster:
    """Return the cluster of ``--cluster``.

    Raises
    ------
    UsageError
        Naming the part that cannot be read.
    """
    from hadaropt.errors import InstanceError
    from hadaropt.instance import Cluster

    try:
        return Cluster.parse(text)
    except InstanceError as bad:
        raise UsageError(f"--{bad}") from None


def _reference_answer(scheduler: str, run: ReferenceRun) -> Answer:
    names = [job.name for job in run.jobs]
    document = {
        "command": "simulate",
        "scheduler": scheduler,
        "jobs": len(names),
        "done": len(run.finish),
        "failed": len(run.dropped),
        "avg_jct_s": run.avg_jct_s,
        "makespan_s": run.makespan_s,
        "utilization": run.utilization,
        "rounds": run.rounds,
        "policy_solves": run.policy_solves,
        "jct_s": {names[job]: jct for job, jct in run.jct_s.items()},
        "failed_jobs": [names[job] for job in run.dropped],
        "waiting_jobs": [names[job] for job in run.waiting],
    }
    lines = [
        ("scheduler", scheduler),
        ("completed", f"{len(run.finish)} of {len(names)} jobs"),
        ("failed", ", ".join(names[job] for job in run.dropped) or "none"),
        ("never ran", ", ".join(names[job] for job in run.waiting) or "none"),
        ("average JCT", "none" if run.avg_jct_s is None else f"{number(run.avg_jct_s)} s"),
        ("makespan", f"{number(run.makespan_s)} s"),
        ("utilization", number(run.utilization)),
        ("rounds", str(run.rounds)),
    ]
    return Answer(document, lines)
