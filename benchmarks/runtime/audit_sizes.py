"""CPU time and peak memory of `hadaropt.audit`, each size in a fresh process.

python -m benchmarks.runtime.audit_sizes [--jobs 40000,208000,1000000] [--gpus 1950]

Jobs of ``generate_workload("philly_like", seed=0)``, which come so much faster that they would keep
the GPUs busy for 95 % of the time; the recorded schedule is first come, first served with
backfilling. Making the log is not counted, compiled code is warm.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import time
from fractions import Fraction

from hadaropt import audit
from hadaropt.auditing.replay import replay
from hadaropt.auditing.sentences import headline
from hadaropt.generate import generate_workload
from hadaropt.traces import Trace, TraceJob

LOAD = Fraction(95, 100)


def make_log(jobs: int, gpus: int) -> Trace:
    """Return a log with a recorded schedule, in whole seconds."""
    drawn = generate_workload("philly_like", seed=0, num_jobs=jobs).jobs
    kept = [job for job in drawn if job.gang_size <= gpus]
    fastest = [max(job.throughput.values()) * job.gang_size for job in kept]
    service = [math.ceil(job.iterations / x) for job, x in zip(kept, fastest, strict=True)]
    work = sum(p * job.gang_size for p, job in zip(service, kept, strict=True))
    span = max(job.submit_seconds for job in kept)
    speed = Fraction(work) / gpus / LOAD / span
    asked = [
        (int(job.submit_seconds * speed), p, job.gang_size)
        for p, job in zip(service, kept, strict=True)
    ]
    rows = zip(asked, replay(asked, gpus, "backfill"), strict=True)
    logged = [
        TraceJob(
            f"j{i}",
            Fraction(submit),
            gang,
            Fraction(p),
            attempts=tuple((Fraction(start), Fraction(end)) for start, end in runs),
        )
        for i, ((submit, p, gang), runs) in enumerate(rows)
    ]
    logged.sort(key=lambda job: job.submit_seconds)
    return Trace("normalised", f"{jobs:,} synthetic jobs", tuple(logged), {}, len(logged))


def measure(jobs: int, gpus: int) -> None:
    """Print one row."""
    log = make_log(jobs, gpus)
    audit(make_log(50, gpus), f"GPU=1x{gpus}")  # compiles or loads the kernels
    started = time.process_time()
    found = audit(log, f"GPU=1x{gpus}")
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"| {len(log.jobs):,} | {seconds:.3g} | {peak:.2g} | {headline(found)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", default="40000,208000,1000000")
    parser.add_argument("--gpus", type=int, default=1950)
    options = parser.parse_args()
    print("| jobs | CPU s | peak GB, log included | sentence |\n|---|---|---|---|", flush=True)
    for jobs in map(int, options.jobs.split(",")):
        child = os.fork()
        if child == 0:
            try:
                measure(jobs, options.gpus)
            finally:
                os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
