"""P7: jobs priced and decided per second by the online pass, T = 1000 rounds.

    python -m benchmarks.runtime.online_pass [--jobs 1000 10000 100000] [--load 0.8 1.5]

Seconds are processor time of this process; compile time is told apart. Every run is checked: the
schedule goes through the checker, and payoffs and prices satisfy the theorem that the run names.
With ``--pass-only`` that is left out, and a hash of the decisions is printed: for two versions side
by side.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import resource
import time

import hadaropt
from hadaropt.generate import generate
from hadaropt.online.pooled import stack_tables
from hadaropt.online.primal_dual import arrival_order
from hadaropt.online.quotation import quote
from hadaropt.policies import PrimalDual
from hadaropt.pricing.arrivals import price_arrivals


def measure(family: str, jobs: int, load: float, *, whole: bool = True) -> tuple[float, str]:
    """Return (seconds of the pass, those of the checked and certified run or a hash)."""
    instance = generate(family, seed=0, num_jobs=jobs, num_rounds=1000, load=load)
    quoted = quote(instance, PrimalDual())
    rows, row_of = stack_tables(instance, quoted.tables)
    order = arrival_order(instance)
    started = time.process_time()
    found = price_arrivals(instance, rows, row_of, scale=quoted.told.scale, jobs=order)
    alone = time.process_time() - started
    if not whole:
        decided = repr((found.completion.tolist(), found.charge.tolist(), found.prices.tolist()))
        return alone, hashlib.sha256(decided.encode()).hexdigest()[:8]
    started = time.process_time()
    run = hadaropt.run_online(instance, PrimalDual())
    seconds = time.process_time() - started
    assert [f if f >= 0 else None for f in found.completion.tolist()] == list(run.completion)
    assert run.theorem is not None
    return alone, f"{seconds:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--load", type=float, nargs="+", default=[0.8, 1.5])
    parser.add_argument("--families", nargs="+", default=["six_class", "measured_rates"])
    parser.add_argument("--pass-only", action="store_true")
    options = parser.parse_args()
    started = time.process_time()
    measure("six_class", 50, 0.8)
    measure("measured_rates", 50, 0.8)
    last = "hash" if options.pass_only else "run s"
    print(f"compile or load kernels: {time.process_time() - started:.1f} s")
    print(f"{'family':15} {'load':>5} {'jobs':>7} {'pass s':>8} {'jobs/s':>8} {last:>8} {'MB':>6}")
    for family in options.families:
        for load in options.load:
            seconds = []
            for jobs in options.jobs:
                alone, whole = measure(family, jobs, load, whole=not options.pass_only)
                seconds.append(alone)
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
                print(
                    f"{family:15} {load:5} {jobs:7} {alone:8.2f} {jobs / alone:8.0f} "
                    f"{whole:>8} {peak:6}",
                    flush=True,
                )
            if len(seconds) > 1:
                span = math.log(options.jobs[-1] / options.jobs[0])
                print(f"  growth: jobs^{math.log(seconds[-1] / seconds[0]) / span:.2f}")


if __name__ == "__main__":
    main()
