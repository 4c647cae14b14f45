"""The dual bound of large instances by one thread, two threads, and the workers of a cluster.

For each way the same search is made to the same limit of work; asserted is that bound and prices
are equal. Wall seconds: measure on a quiet machine with at least two cores. The ways take turns, so
that whatever else happens on the machine meets all of them.

    python -m benchmarks.runtime.parallel_bound --jobs 100000 1000000 --evaluations 20
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np

from hadaropt.generate import generate
from hadaropt.offline.lagrangian.bound import Oracle
from hadaropt.offline.lagrangian.job_table import job_table
from hadaropt.offline.lagrangian.pricing_workers import pricing_workers

FAMILIES = ("six_class", "measured_rates")


@contextmanager
def dask_cluster(workers: int) -> Iterator[str]:
    """Provide the address of a cluster of processes on this machine."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
    ) as cluster:
        yield cluster.scheduler_address


def measure(family: str, jobs: int, rounds: int, load: str, evaluations: int) -> None:
    """Print one row per way."""
    begin = time.perf_counter()
    instance = generate(family, seed=0, num_jobs=jobs, num_rounds=rounds, load=load)
    made = time.perf_counter() - begin
    table = job_table(instance)
    assembled = time.perf_counter() - begin - made
    shape = rounds, len(instance.cluster.accelerators)
    random = np.random.default_rng(0)
    vectors = [random.integers(0, table.scale // 20, shape) for _ in range(evaluations)]
    with ExitStack() as stack:
        oracles = {"1 thread": Oracle(instance, table)}
        threads = stack.enter_context(pricing_workers(2, None))
        oracles["2 threads"] = Oracle(instance, table, 1, threads)
        for count in (1, 2):
            address = stack.enter_context(dask_cluster(count))
            workers = stack.enter_context(pricing_workers(None, address))
            oracles[f"Dask, {count} worker{'s' * (count > 1)}"] = Oracle(
                instance, table, 1, workers
            )
        seconds: dict[str, list[float]] = {way: [] for way in oracles}
        for oracle in oracles.values():  # compile, hand out the parts
            oracle(vectors[0])
        for units in vectors:
            found = []
            for way, oracle in oracles.items():
                begin = time.perf_counter()
                found.append(oracle(units))
                seconds[way].append(time.perf_counter() - begin)
            assert all(other.bound == found[0].bound for other in found)
            assert all((other.excess == found[0].excess).all() for other in found)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    medians = {way: statistics.median(times) for way, times in seconds.items()}
    for way, median in medians.items():
        base = medians["Dask, 1 worker" if way.startswith("Dask") else "1 thread"]
        print(
            f"| {family} | {jobs} | {made:.0f} | {assembled:.1f} | {way} | {1000 * median:.0f} | "
            f"{base / median:.2f} | {megabytes:.0f} |",
            flush=True,
        )


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--jobs", nargs="+", type=int, default=[100_000])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--load", default="1.3")
    parser.add_argument("--evaluations", type=int, default=20)
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        "| family | jobs | generate s | tables s | way | evaluation ms | times one | peak MB |\n"
        f"|{'---|' * 8}"
    )
    for family in options.families:
        for jobs in options.jobs:
            measure(family, jobs, options.rounds, options.load, options.evaluations)


if __name__ == "__main__":
    main()
