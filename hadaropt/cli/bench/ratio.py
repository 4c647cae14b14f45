"""``hadaropt bench ratio``: online policies against proved optima."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hadaropt.bench.ratio.defaults import DEFAULT_FAMILIES, DEFAULT_POLICIES
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
from hadaropt.cli.common.options import AsJson, Integer, UsageError, option


def ratio(
    *,
    families: Annotated[
        str | None,
        option(
            "Comma-separated names, as for hadaropt generate.",
            default=", ".join(DEFAULT_FAMILIES),
        ),
    ] = None,
    policies: Annotated[
        str | None,
        option(
            "Comma-separated names, as for hadaropt online, or round:SCHEDULER with a name as for "
            "hadaropt simulate.",
            default=", ".join(DEFAULT_POLICIES),
        ),
    ] = None,
    parallelism: Annotated[
        str | None, option("Comma-separated names.", default="single_type, mixed, forked")
    ] = None,
    seeds: Annotated[Integer, option("Seeds 0 .. N-1 of each family.", unit="seeds")] = 20,
    jobs: Annotated[Integer, option("Of each instance.", unit="jobs")] = 12,
    rounds: Annotated[Integer, option("Of each instance.", unit="rounds")] = 12,
    time_limit: Annotated[float, option("For the proof of one optimum.", unit="seconds")] = 20.0,
    cell_limit: CellLimit = 600.0,
    baseline: Annotated[
        str | None, option("Compare the others with this policy, in pairs.", default="none")
    ] = None,
    workers: Workers = None,
    dask: Cluster = None,
    trace: Annotated[
        Path | None, option("A trace file, instead of families.", default="none")
    ] = None,
    round_seconds: Annotated[
        Integer, option("Length of a round, with --trace.", unit="seconds")
    ] = 1800,
    out: Out = None,
    retry: Retry = False,
    json: AsJson = False,
) -> Answer:
    """Measure the empirical competitive ratio of online policies.

    Every policy runs on the same instances; every optimum is proved or stays an interval; every
    certificate is verified without a solver; no policy may beat a proved bound.
    """
    if trace is not None:
        from hadaropt.cli.bench.trace import trace_ratio

        if baseline is not None:
            raise UsageError(f"--baseline {baseline}: is not for --trace")
        count = count_workers(workers)
        return trace_ratio(trace, policies, round_seconds, count, dask, cell_limit, retry, out)
    from hadaropt.bench.ratio.contestants import contestant_names
    from hadaropt.generate import FAMILIES
    from hadaropt.instance import PARALLELISM

    count_workers(workers)
    families_named = chosen("--families", families, DEFAULT_FAMILIES, tuple(FAMILIES))
    document = {
        "kind": "ratio",
        "families": list(families_named),
        "policies": list(
            chosen("--policies", policies, DEFAULT_POLICIES, contestant_names(), parameters=True)
        ),
        "parallelism": list(chosen("--parallelism", parallelism, PARALLELISM, PARALLELISM)),
        "seeds": seeds,
        "jobs": jobs,
        "rounds": rounds,
        "time_limit": time_limit,
        "cell_seconds": cell_limit,
        "baseline": baseline,
    }
    for flag, value in (("--seeds", seeds), ("--jobs", jobs), ("--rounds", rounds)):
        if value < 1:
            raise UsageError(f"{flag} {value}: must be >= 1")
    for flag, limit in (("--time-limit", time_limit), ("--cell-time-limit", cell_limit)):
        if not limit > 0:
            raise UsageError(f"{flag} {limit}: must be > 0")
    return carry_out(make_experiment(document), "bench ratio", out, workers, dask, retry)
