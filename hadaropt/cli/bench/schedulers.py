"""``hadaropt bench schedulers``: round schedulers on the same workloads."""

from __future__ import annotations

from typing import Annotated

from hadaropt.cli.bench.run import (
    CellLimit,
    Cluster,
    Out,
    Retry,
    Workers,
    carry_out,
    count_workers,
    make_experiment,
)
from hadaropt.cli.common.answer import Answer
from hadaropt.cli.common.names import chosen
from hadaropt.cli.common.options import AsJson, Integer, option
from hadaropt.cli.common.workloads import Objective


def schedulers(
    *,
    families: Annotated[
        str, option("Comma-separated: gavel_like, philly_like.")
    ] = "gavel_like,philly_like",
    schedulers: Annotated[
        str | None,
        option(
            "Comma-separated names, as for hadaropt simulate; the first is the baseline.",
            default="those of the suite",
        ),
    ] = None,
    seeds: Annotated[Integer, option("Seeds 0 .. N-1 of each family.", unit="seeds")] = 10,
    jobs: Annotated[Integer, option("Of each workload.", unit="jobs")] = 100,
    load: Annotated[
        str | None,
        option("Offered load.", default="the family's", unit="work offered over work possible"),
    ] = None,
    round_seconds: Annotated[str, option("Length of a round.", unit="seconds")] = "360",
    restart_seconds: Annotated[
        str, option("Lost when an allocation changes.", unit="seconds")
    ] = "10",
    objective: Objective = "jct",
    cell_limit: CellLimit = 600.0,
    workers: Workers = None,
    dask: Cluster = None,
    out: Out = None,
    retry: Retry = False,
    json: AsJson = False,
) -> Answer:
    """Compare round schedulers on the same workloads, seed by seed."""
    from hadaropt.bench.schedulers.suite import DEFAULT_SCHEDULERS
    from hadaropt.generate import FAMILIES
    from hadaropt.simulate.registry import scheduler_names

    count_workers(workers)
    with_seconds = tuple(name for name, found in FAMILIES.items() if found.build_workload)
    known = scheduler_names()
    document = {
        "kind": "schedulers",
        "families": list(chosen("--families", families, (), with_seconds)),
        "schedulers": list(
            chosen("--schedulers", schedulers, DEFAULT_SCHEDULERS, known, parameters=True)
        ),
        "seeds": seeds,
        "jobs": jobs,
        "parameters": {} if load is None else {"load": load},
        "round_seconds": round_seconds,
        "restart_seconds": restart_seconds,
        "objective": objective,
        "cell_seconds": cell_limit,
    }
    return carry_out(make_experiment(document), "bench schedulers", out, workers, dask, retry)
