"""Bounds and schedules of large instances: value, proven bound, gap, seconds, memory, growth.

Every instance is solved in a process of its own, so that its peak memory is its own. Reported are
the seconds to the prices of the bound (until it is within 0.1 % of the best one), the gap that
`hadaropt.solve` proves within the time limit, and the exponents b of seconds ~ jobs^b. The schedule
is checked and valued exactly by the checker, and the bound is an exact integer sum. With
``--read`` the instance is written by another process and read from its file. With ``--verify`` the
certificate is also made and verified, without a solver; the peak of memory is that of all of it.

    python benchmarks/runtime/large_scale.py --jobs 1000 10000 100000 --seconds 60 120 300
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hadaropt import Instance

FAMILIES = ("six_class", "measured_rates")


def made_or_read(task: dict, *, read: bool) -> Instance:
    """Return an instance, by way of a file that another process writes if it is to be read."""
    from hadaropt import read_instance
    from hadaropt.generate import generate

    if not read:
        return generate(**task)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/instance.json"
        write = (
            "import json, sys; from hadaropt.generate import generate; "
            "from hadaropt import write_instance; "
            "write_instance(generate(**json.loads(sys.argv[1])), sys.argv[2])"
        )
        subprocess.run([sys.executable, "-c", write, json.dumps(task), path], check=True)
        begin = time.perf_counter()
        instance = read_instance(path)
        print(f"read in {time.perf_counter() - begin:.1f} s", file=sys.stderr)
        return instance


def measure(
    family: str, jobs: int, rounds: int, load: str, seed: int, seconds: float, *, read: bool
) -> dict:
    """Solve one instance and return its figures."""
    import hadaropt
    from hadaropt.generate import generate
    from hadaropt.schedule import check_schedule

    warm = generate(family, seed=0, num_jobs=300, num_rounds=20)
    for _ in range(3):  # compile: what one call does not reach in time, the next one does
        hadaropt.solve(warm, time_limit=1.0, cross_check=False)
    begin = time.perf_counter()
    task = {"family": family, "seed": seed, "num_jobs": jobs, "num_rounds": rounds, "load": load}
    instance = made_or_read(task, read=read)
    made = time.perf_counter() - begin
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu = time.process_time()
    result = hadaropt.solve(instance, time_limit=seconds, cross_check=False)
    cpu = time.process_time() - cpu
    took = time.perf_counter() - begin - made
    value = check_schedule(instance, result.schedule).value
    assert value == result.value <= result.bound
    close = [s for s, _, bound in result.history if bound and bound <= result.bound * 1.001]
    curve = [
        (round(s, 1), round(100 * float(b / v - 1), 3)) for s, v, b in result.history if v and b
    ]
    return {
        "family": family,
        "jobs": jobs,
        "rounds": rounds,
        "seed": seed,
        "generate": made,
        "seconds": took,
        "cpu": cpu,
        "bound_seconds": close[0],
        "value": float(value),
        "bound": float(result.bound),
        "gap": 100 * float(result.bound / value - 1),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "instance_megabytes": before / 1024,
        "facts": result.raw_status,
        "curve": curve[:: max(1, len(curve) // 8)],
        "_instance": instance,
        "_result": result,
    }


class _Clocked(list):
    """A history whose entries carry the processor time instead of the clock."""

    def append(self, entry: tuple) -> None:
        super().append((time.process_time(), *entry[1:]))


def bound_alone(family: str, jobs: int, rounds: int, load: str, seconds: float) -> None:
    """Print when `lagrangian_bound` was within 1, 0.5 and 0.1 % of its last value."""

    from hadaropt.generate import generate
    from hadaropt.offline.lagrangian.bound import Lagrangian, lagrangian_bound

    lagrangian_bound(generate(family, seed=0, num_jobs=300, num_rounds=20), time_limit=2)
    instance = generate(family, seed=0, num_jobs=jobs, num_rounds=rounds, load=load)
    begin = time.process_time()
    work = Lagrangian(instance)
    tables = time.process_time() - begin
    work.history = _Clocked()
    work.run(seconds=seconds)
    last = float(work.bound)
    reached = [
        next(at for at, _, bound in work.history if float(bound) <= last * (1 + near)) - begin
        for near in (0.01, 0.005, 0.001)
    ]
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cells = [family, str(jobs), f"{tables:.1f}", *(f"{s:.1f}" for s in reached)]
    cells += [f"{time.process_time() - begin:.1f}", f"{megabytes:.0f}"]
    print(f"| {' | '.join(cells)} |", flush=True)


def certificate(found: dict) -> dict:
    """Make and verify the certificate of an answer."""
    from hadaropt.certificates import certify, verify

    instance, result = found["_instance"], found["_result"]
    begin = time.perf_counter()
    made = certify(instance, result)
    certified = time.perf_counter()
    checked = verify(instance, made)
    assert checked.bound is not None and checked.bound >= checked.value == result.value
    return {
        "certified_gap": 100 * float(checked.bound / checked.value - 1),
        "certify_seconds": certified - begin,
        "verify_seconds": time.perf_counter() - certified,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def exponent(points: list[tuple[int, float]]) -> float:
    """Least-squares slope of log seconds over log jobs."""
    xs = [math.log(jobs) for jobs, _ in points]
    ys = [math.log(max(seconds, 1e-3)) for _, seconds in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--jobs", nargs="+", type=int, default=[1000, 10_000, 100_000])
    parser.add_argument("--seconds", nargs="+", type=float, default=[60.0, 120.0, 300.0])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--load", default="1.3")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--read", action="store_true", help="instances come from a file")
    parser.add_argument("--bound", action="store_true", help="the dual bound alone (P6)")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        found = measure(**json.loads(options.one), read=options.read)
        extra = certificate(found) if options.verify else {}
        public = {key: x for key, x in found.items() if not key.startswith("_")}
        print(json.dumps({**public, **extra}))
        return
    if len(options.seconds) != len(options.jobs):
        parser.error("--seconds must have as many numbers as --jobs")
    if options.bound:
        print("| family | jobs | tables | to 1 % | to 0.5 % | to 0.1 % | cpu s | peak MB |")
        print(f"|{'---|' * 8}")
        for family in options.families:
            for jobs, seconds in zip(options.jobs, options.seconds, strict=True):
                bound_alone(family, jobs, options.rounds, options.load, seconds)
        return
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    head = ("family", "jobs", "seed", "s", "s bound", "value", "bound", "gap %", "MB", "MB before")
    print(("{:>15}" + "{:>11}" * 9).format(*head))
    for family in options.families:
        points = []
        for jobs, seconds in zip(options.jobs, options.seconds, strict=True):
            for seed in options.seeds:
                task = {"family": family, "jobs": jobs, "rounds": options.rounds}
                task |= {"load": options.load, "seed": seed, "seconds": seconds}
                command = [sys.executable, __file__, "--one", json.dumps(task)]
                command += ["--verify"] if options.verify else []
                command += ["--read"] if options.read else []
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                found = json.loads(done.stdout)
                points.append((jobs, found["bound_seconds"]))
                print(
                    f"{family:>15}{jobs:>11}{seed:>11}{found['seconds']:>11.1f}"
                    f"{found['bound_seconds']:>11.1f}{found['value']:>11.6g}{found['bound']:>11.6g}"
                    f"{found['gap']:>11.3f}{found['megabytes']:>11.0f}"
                    f"{found['instance_megabytes']:>11.0f}",
                    flush=True,
                )
                print(
                    f"{'':>15} cpu {found['cpu']:.1f} s; (s, gap %): {found['curve']}; "
                    f"{found['facts']}",
                    flush=True,
                )
                if options.verify:
                    keys = ("certified_gap", "certify_seconds", "verify_seconds")
                    print(f"{'':>15} " + ", ".join(f"{k} {found[k]:.3f}" for k in keys), flush=True)
        if len(set(options.jobs)) > 1:
            print(f"{family:>15} bound seconds grow like jobs^{exponent(points):.2f}")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
