"""Tiny odd instances from a random generator: what provers and checkers may see differently.

Spread factors below 1 with gangs of one and more, consolidation as long as a round or longer, nodes
without some type, floored progress of 0, plateaus and zeros in utilities, identical jobs.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from hadaropt import Cluster, Instance, Job
from hadaropt.utility import Table

PARALLELISMS = ("single_type", "mixed", "forked")


def odd_instance(rng: Random, max_jobs: int = 3, parallelism: str | None = None) -> Instance:
    """Return an instance of up to ``max_jobs`` jobs on up to three nodes of up to two types."""
    types = ["A", "B"][: rng.choice((1, 2, 2))]
    rounds = rng.choice((1, 2, 3, 3))
    nodes = {
        f"n{h}": {r: n for r in types if (n := rng.choice((0, 1, 1, 2)))}
        for h in range(rng.choice((1, 2, 2, 3)))
    }
    if not any(nodes.values()):
        nodes["n0"] = {types[0]: 1}
    tau = rng.choice((Fraction(1), Fraction(1), Fraction(7, 3), Fraction(10)))
    jobs: list[Job] = []
    for j in range(rng.randint(1, max_jobs)):
        if jobs and rng.random() < 0.25:
            jobs.append(Job(f"j{j}", *_same(jobs[-1])))
            continue
        speeds = {r: rng.choice((2, 1, 3, "5/2", "7/10", "1/20")) for r in types}
        if len(types) > 1 and rng.random() < 0.2:
            del speeds[rng.choice(types)]
        most = max(int(Fraction(x) * tau) for x in speeds.values())
        values = sorted(
            (rng.choice((12, 11, 10, 10, 4, 1, 0)) for _ in range(rounds)), reverse=True
        )
        job = Job(
            f"j{j}",
            rng.choice((0, 0, 0, min(1, rounds - 1), rounds)),
            rng.choice((1, 1, 2, 2, 3)),
            rng.randint(1, max(1, most * min(rounds, 2) + 1)),
            speeds,
            Table(tuple(values)),
            rng.choice((1, Fraction(1, 2), Fraction(9, 10), Fraction(1, 20))),
            rng.choice((None, None, 2, 1)),
        )
        jobs.append(job)
    return Instance(
        Cluster.of(nodes, types),
        tuple(jobs),
        rounds,
        tau,
        parallelism or rng.choice(PARALLELISMS),
        consolidation_seconds=tau * rng.choice((0, 0, Fraction(1, 3), Fraction(1, 2), 1, 2)),
    )


def _same(job: Job) -> tuple[object, ...]:
    return (
        job.release,
        job.gang_size,
        job.iterations,
        dict(job.throughput),
        job.utility,
        job.spread_factor,
        job.max_copies,
    )
