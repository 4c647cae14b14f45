"""A tiny instance."""

import hadaropt
from hadaropt.utility import Table


def one_job(value=5, rounds=2):
    cluster = hadaropt.Cluster.of({"n": {"V100": 1}})
    jobs = [hadaropt.Job(f"j{i}", i, 1, 1, {"V100": 1}, Table((value,) * 2)) for i in range(2)]
    return hadaropt.Instance(cluster, jobs, rounds, 1)
