"""Hypothesis strategies: clusters, utilities, jobs, instances, problems in rounds and prices."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hadaropt.errors import MissingExtraError
from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.results import Pool, Prices
from hadaropt.simulate.problem import RoundProblem
from hadaropt.utility import (
    Completion,
    EffectiveThroughput,
    Linear,
    Sigmoid,
    Step,
    Table,
    Utility,
)
from hadaropt.workload import Workload, WorkloadJob

try:
    from hypothesis import strategies as st
except ImportError:
    raise MissingExtraError("testing", "hypothesis") from None

TYPES = ("V100", "P100", "K80")


@st.composite
def clusters(draw: st.DrawFn, max_nodes: int = 3, max_types: int = 3, max_gpus: int = 4) -> Cluster:
    """Clusters of 1 .. max_nodes nodes, ragged, some without GPUs of a type."""
    types = TYPES[: draw(st.integers(1, max_types))]
    count = draw(st.integers(1, max_nodes))
    row = st.tuples(*(st.integers(0, max_gpus) for _ in types))
    rows = draw(st.lists(row, min_size=count, max_size=count))
    return Cluster(types, tuple(f"n{h}" for h in range(count)), tuple(rows))


def utilities(max_rounds: int = 6) -> st.SearchStrategy[Utility]:
    """Utilities of every family, non-increasing, some worth nothing."""
    value = st.integers(0, 30)
    days = st.integers(0, max_rounds)
    tables = st.lists(value, max_size=max_rounds).map(lambda v: Table(tuple(sorted(v)[::-1])))
    return st.one_of(
        st.builds(Linear, value, st.integers(0, 6)),
        st.builds(Step, value, days),
        st.builds(Sigmoid, peak=value, steepness=st.sampled_from(("0", "0.5", "2")), deadline=days),
        st.builds(EffectiveThroughput, st.sampled_from((0, 1, "1/3"))),
        st.builds(Completion, st.integers(0, 5), days),
        tables,
    )


@st.composite
def jobs(draw: st.DrawFn, cluster: Cluster, name: str, num_rounds: int, max_gang: int = 4) -> Job:
    """Jobs that fit the cluster or not, with ties, zeros and any order of the types."""
    speeds = {r: draw(st.sampled_from((0, 1, 2, "1.5", 3))) for r in cluster.accelerators}
    return Job(
        name,
        draw(st.integers(0, num_rounds)),
        draw(st.integers(1, max_gang)),
        draw(st.integers(1, 8)),
        speeds,  # type: ignore[arg-type]
        draw(utilities(num_rounds)),
        draw(st.sampled_from((Fraction(1), Fraction(1), Fraction(1, 2), Fraction(9, 10)))),
        draw(st.sampled_from((None, 1, 2, 3))),
    )


@st.composite
def instances(
    draw: st.DrawFn,
    max_jobs: int = 4,
    max_rounds: int = 5,
    parallelism: str | None = None,
    max_nodes: int = 3,
    max_gpus: int = 4,
) -> Instance:
    """Small instances of one parallelism model, or of all three."""
    cluster = draw(clusters(max_nodes=max_nodes, max_gpus=max_gpus))
    rounds = draw(st.integers(1, max_rounds))
    count = draw(st.integers(0, max_jobs))
    model = draw(st.sampled_from(PARALLELISM)) if parallelism is None else parallelism
    return Instance(
        cluster,
        tuple(draw(jobs(cluster, f"j{j}", rounds)) for j in range(count)),
        rounds,
        Fraction(1),
        model,  # type: ignore[arg-type]
        draw(st.sampled_from((Fraction(0), Fraction(1, 4), Fraction(2)))),
    )


@st.composite
def round_problems(
    draw: st.DrawFn, max_jobs: int = 4, max_nodes: int = 3, max_gpus: int = 4
) -> RoundProblem:
    """Small workloads in rounds, as round schedulers run them.

    Ties and gaps between arrivals, gangs that fit nowhere, only over nodes or only on a mix, speeds
    of 0, jobs of weight 0; restarts that take none, a part or nearly all of a round.
    """
    cluster = draw(clusters(max_nodes=max_nodes, max_gpus=max_gpus))
    own = []
    for j in range(draw(st.integers(0, max_jobs))):
        one = draw(jobs(cluster, f"j{j}", 5))
        own.append(
            WorkloadJob(
                one.name,
                Fraction(draw(st.sampled_from((0, 3, 4, 5, 40)))),
                one.gang_size,
                one.iterations,
                one.throughput,
                one.spread_factor,
                one.max_copies,
                Fraction(draw(st.sampled_from((0, 1, 1, 3)))),
            )
        )
    return RoundProblem.of_workload(
        Workload(cluster, tuple(own)),
        round_seconds=4,
        restart_seconds=draw(st.sampled_from(("0", "0", "1", "3.99"))),
        mixing=draw(st.booleans()),
        consolidation_seconds=draw(st.sampled_from((0, 0, 1))),
    )


@st.composite
def price_tables(draw: st.DrawFn, instance: Instance, pool: Pool = "type") -> Prices:
    """Prices of every GPU in every round, many of them 0."""
    shape: tuple[int, ...] = (instance.num_rounds, len(instance.cluster.accelerators))
    if pool == "node":
        shape = (shape[0], len(instance.cluster.nodes), shape[1])
    size = int(np.prod(shape))
    units = draw(st.lists(st.sampled_from((0, 0, 1, 2, 5, 16)), min_size=size, max_size=size))
    return Prices(np.array(units, np.int64).reshape(shape), Fraction(4), pool)
