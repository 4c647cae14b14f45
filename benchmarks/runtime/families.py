"""Random instances for the runtime benchmarks: two families, every number from the seed.

``six-class``: three types in one speed order, 20 units of progress per round on the fastest.
``measured-rates``: the shipped throughput table, types ordered differently by different jobs.
Both: arrivals over the first 70 % of the horizon, gangs of 1, 2, 4 and 8, four shapes of utility,
capacity from the offered load (at least 8 GPUs of each type).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hadaropt import Cluster, Instance, Job
from hadaropt.instance import Parallelism
from hadaropt.traces.throughputs import model_types, throughput
from hadaropt.utility import Table

TYPES = ("V100", "P100", "K80")
CLASSES = np.array(
    [[20, 8, 2], [20, 10, 4], [20, 8, 3], [20, 12, 6], [20, 14, 10], [20, 9, 3]], np.int64
)
SHARES = np.array([0.30, 0.30, 0.40])
EQUIVALENT = np.array([1.0, 0.45, 0.2])
FAMILIES = ("six-class", "measured-rates")


def make(
    family: str,
    num_jobs: int,
    num_rounds: int,
    *,
    load: float = 1.3,
    seed: int = 0,
    least_capacity: int = 8,
    gpus_per_node: int = 0,
    parallelism: Parallelism = "mixed",
) -> Instance:
    """Return one instance.

    Parameters
    ----------
    gpus_per_node : int
        0: one node per type; otherwise each type is cut into nodes of this size (and a rest).
    """
    rng = np.random.default_rng(seed)
    rounds = num_rounds
    release = np.sort(rng.integers(0, max(1, int(rounds * 0.7)), num_jobs))
    gang = rng.choice([1, 2, 4, 8], num_jobs, p=[0.70, 0.10, 0.15, 0.05])
    kind = rng.integers(0, len(CLASSES), num_jobs)
    length = np.exp(rng.uniform(0.0, np.log(max(3, rounds // 4)), num_jobs))
    demand = float((gang * np.maximum(1, np.round(20 * length)) / 20).sum())
    total = demand / load / rounds / float((EQUIVALENT * SHARES).sum())
    capacity = np.maximum(least_capacity, np.round(total * SHARES)).astype(np.int64)
    jobs = []
    flow = np.arange(1, rounds + 1)
    shape = rng.integers(0, 4, num_jobs)
    peak = gang * np.sqrt(length) * rng.uniform(0.5, 2.0, num_jobs) * 10
    slacks = rng.uniform(1.5, 5, num_jobs)
    for j in range(num_jobs):
        if family == "six-class":
            speeds = {r: Fraction(int(g)) for r, g in zip(TYPES, CLASSES[kind[j]], strict=True)}
            seconds = Fraction(1)
        else:
            names = model_types(int(gang[j]))
            speeds = dict(throughput(names[int(rng.integers(len(names)))], int(gang[j])))
            seconds = Fraction(360)
        fastest = max(speeds.values()) * seconds
        iterations = max(1, int(np.round(float(fastest) * length[j])))
        least = float(-(-Fraction(iterations) // fastest))
        slack = slacks[j] * least + 2
        values = (
            peak[j]
            * (
                np.maximum(0, 1 - (flow - least) / (slack * 1.5)),
                least / np.maximum(flow, least),
                1 / (1 + np.exp((flow - slack) / max(1.0, slack / 8))),
                (flow <= slack) * 1.0,
            )[int(shape[j])]
        )
        values = np.where(values < 1e-3 * peak[j], 0, values)
        exact = tuple(Fraction(round(float(v) * 10**6), 10**6) for v in values)
        jobs.append(Job(f"j{j}", int(release[j]), int(gang[j]), iterations, speeds, Table(exact)))
    nodes = {}
    for name, count in zip(TYPES, capacity.tolist(), strict=True):
        size = gpus_per_node or count
        for h in range(-(-count // size)):
            nodes[f"{name}-{h}"] = {name: min(size, count - h * size)}
    return Instance(
        Cluster.of(nodes, TYPES),
        tuple(jobs),
        rounds,
        seconds if num_jobs else Fraction(1),
        parallelism,
        name=f"{family}-{num_jobs}x{num_rounds}-load{load}-seed{seed}",
    )


NODE = 8
"""GPUs of a node in `on_nodes`."""


def on_nodes(
    num_nodes: int,
    num_jobs: int,
    num_rounds: int = 24,
    *,
    load: float = 1.3,
    seed: int = 0,
    parallelism: Parallelism = "mixed",
) -> Instance:
    """Return an instance in which nodes matter: two types, half of the nodes each.

    Gangs of 1, 2, 4, 8 and (5 %) 16 run at 0.8 of their speed where they span nodes of 8 GPUs.
    Lengths are scaled to the load: GPU-rounds of the jobs over those of the cluster, both on the
    faster type.
    """
    rng = np.random.default_rng(seed)
    gangs = rng.choice([1, 2, 4, 8, 16], num_jobs, p=[0.30, 0.25, 0.25, 0.15, 0.05])
    speeds = CLASSES[rng.integers(0, len(CLASSES), num_jobs), :2]
    weights = np.exp(rng.uniform(0.0, np.log(6), num_jobs))
    room = load * NODE * num_rounds * num_nodes * (1 + EQUIVALENT[1]) / 2
    lengths = np.minimum(weights * room / float(gangs @ weights), 0.8 * num_rounds)
    release = np.sort(rng.integers(0, max(1, int(num_rounds * 0.5)), num_jobs))
    shape = rng.integers(0, 4, num_jobs)
    peak = gangs * np.sqrt(lengths) * rng.uniform(0.5, 2.0, num_jobs) * 10
    slacks = rng.uniform(1.5, 4, num_jobs)
    flow = np.arange(1, num_rounds + 1)
    jobs = []
    for j in range(num_jobs):
        least, slack = lengths[j], slacks[j] * lengths[j] + 2
        values = (
            peak[j]
            * (
                np.maximum(0, 1 - (flow - least) / (slack * 1.5)),
                np.minimum(1, least / flow),
                1 / (1 + np.exp((flow - slack) / max(1.0, slack / 8))),
                (flow <= slack) * 1.0,
            )[int(shape[j])]
        )
        values = np.where(values < 1e-3 * peak[j], 0, values)
        exact = tuple(Fraction(round(float(v) * 10**6), 10**6) for v in values)
        need = max(1, round(float(20 * lengths[j])))
        rates = {r: Fraction(int(g)) for r, g in zip(TYPES[:2], speeds[j], strict=True)}
        utility = Table(exact)
        spread = Fraction(4, 5)
        jobs.append(
            Job(f"j{j}", int(release[j]), int(gangs[j]), need, rates, utility, spread_factor=spread)
        )
    nodes = {f"{TYPES[h % 2]}-{h // 2}": {TYPES[h % 2]: NODE} for h in range(num_nodes)}
    return Instance(
        Cluster.of(nodes, TYPES[:2]),
        tuple(jobs),
        num_rounds,
        Fraction(1),
        parallelism,
        name=f"nodes-{num_nodes}-{num_jobs}x{num_rounds}-load{load}-seed{seed}",
    )
