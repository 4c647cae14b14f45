"""Odd workloads for the round simulator, drawn at random."""

from fractions import Fraction

from hadaropt.instance import PARALLELISM, Cluster
from hadaropt.simulate.problem import OBJECTIVES, RoundProblem
from hadaropt.utility import EffectiveThroughput, Linear, Step
from hadaropt.workload import Workload, WorkloadJob

SPEEDS = (0, 0, "3/7", "0.3", 1, 2, "49/5")


def odd_cluster(rng):
    """1 .. 3 nodes of 1 .. 3 types, some without GPUs of a type, or without any GPU."""
    types = [f"t{r}" for r in range(rng.randint(1, 3))]
    nodes = rng.randint(1, 3)
    rows = [[rng.choice((0, 0, 1, 1, 2, 4)) for _ in types] for _ in range(nodes)]
    return Cluster(types, [f"n{h}" for h in range(nodes)], rows)


def odd_job(rng, name, cluster):
    """Tied arrivals, tiny jobs, gangs that fit nowhere or only on a mix, slow over nodes."""
    return WorkloadJob(
        name,
        rng.choice((0, 0, 5, "7/2", 10, 40)),
        rng.choice((1, 1, 2, 3, 5)),
        rng.choice((1, 2, 10, 60)),
        {r: rng.choice(SPEEDS) for r in cluster.accelerators},
        Fraction(rng.choice(("1", "1", "1/2", "1/20"))),
        rng.choice((None, None, 1, 2)),
        rng.choice((0, 1, 1, "1/1000000", 3)),
    )


def odd_instance(rng):
    """The same in rounds with a horizon, and utilities that fall to 0 or are 0 from the start."""
    cluster = odd_cluster(rng)
    jobs = [odd_job(rng, f"j{j}", cluster) for j in range(rng.randint(0, 5))]
    return Workload(cluster, jobs).to_instance(
        round_seconds=rng.choice(("7/2", 5, 1)),
        num_rounds=rng.choice((1, 5, 30, 200)),
        utility=rng.choice((Linear(9, 1), Step(5, 3), Step(0, 1), EffectiveThroughput(1))),
        parallelism=rng.choice(PARALLELISM),
        consolidation_seconds=rng.choice((0, "1/2", 9)),
    )


def odd_problem(rng):
    """A problem in rounds, with a restart of up to nearly a whole round."""
    cluster = odd_cluster(rng)
    jobs = [odd_job(rng, f"j{j}", cluster) for j in range(rng.randint(0, 5))]
    tau = Fraction(rng.choice(("7/2", "5", "1")))
    return RoundProblem.of_workload(
        Workload(cluster, jobs),
        round_seconds=tau,
        restart_seconds=tau * rng.choice((0, 0, Fraction(1, 10), Fraction(99, 100))),
        mixing=rng.random() < 0.75,
        objective=rng.choice(OBJECTIVES),
        consolidation_seconds=tau * rng.choice((0, 0, Fraction(1, 2), Fraction(9, 10))),
    )
