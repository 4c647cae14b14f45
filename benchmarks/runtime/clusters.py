"""P15: the same 50 jobs, gangs of 1 to 64, on clusters of more and more GPUs of two types.

    python -m benchmarks.runtime.clusters [--gpus 32 512 2048 20000 100000] [--jobs 50]

Seconds are processor time of a fresh process of the command, start-up included.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import hadaropt
from hadaropt.utility import Linear, Sigmoid, Step, Utility
from hadaropt.workload import Workload, WorkloadJob

COMMANDS = ("online", "check", "verify", "solve", "simulate yarn", "simulate hadar")
GANGS = (1, 2, 4, 8, 16, 32, 64)
SPEEDS = ((20, 8), (20, 12), (10, 14), (7, 3))
ROUNDS, HOURS, NODE = 24, 4, 8
SOLVE_SECONDS = 5


def cluster(gpus: int) -> hadaropt.Cluster:
    """Return half the GPUs of each type, in nodes of 8 and a rest."""
    nodes = {}
    for name, count in (("V100", gpus // 2), ("P100", gpus - gpus // 2)):
        for h in range(-(-count // NODE)):
            nodes[f"{name}-{h}"] = {name: min(NODE, count - h * NODE)}
    return hadaropt.Cluster.of(nodes, ("V100", "P100"))


def write_inputs(folder: Path, gpus: int, jobs: int) -> None:
    """Write an instance and a workload."""
    rng = random.Random(0)
    slotted, timed = [], []
    for j in range(jobs):
        gang = rng.choice(GANGS)
        speeds = dict(zip(("V100", "P100"), rng.choice(SPEEDS), strict=True))
        length = rng.randint(1, ROUNDS // 3)
        choices: tuple[Utility, ...] = (
            Linear(100 * gang, gang),
            Step(80 * gang, rng.randint(length, ROUNDS)),
            Sigmoid(peak=90 * gang, deadline=2 * length, steepness=1),
        )
        steps = 360 * speeds["V100"] * length - rng.randint(0, 300)
        utility = choices[rng.randrange(3)]
        release = rng.randrange(ROUNDS // 2)
        slotted.append(hadaropt.Job(f"j{j}", release, gang, steps, speeds, utility))
        instant = Fraction(rng.randrange(3600 * HOURS))
        timed.append(WorkloadJob(f"j{j}", instant, gang, steps, speeds))
    instance = hadaropt.Instance(cluster(gpus), tuple(slotted), ROUNDS, 360)
    hadaropt.write_instance(instance, folder / "instance.json")
    hadaropt.write_workload(Workload(instance.cluster, tuple(timed)), folder / "workload.json")


def seconds_of(arguments: Sequence[str]) -> float:
    """Return the processor seconds of a command, which has to succeed or to reach its limit."""
    command = [sys.executable, "-m", "hadaropt", *arguments]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 3), f"{arguments}: exit code {child.returncode}"
    return usage.ru_utime + usage.ru_stime


def measure(command: str, gpus: int, jobs: int = 50) -> float:
    """Return the processor seconds of a command on a cluster of so many GPUs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder, gpus, jobs)
        instance, workload = str(folder / "instance.json"), str(folder / "workload.json")
        plan, proof = str(folder / "plan.json"), str(folder / "proof.json")
        first, _, scheduler = command.partition(" ")
        if first == "simulate":
            return seconds_of([first, workload, "--scheduler", scheduler])
        if first == "solve":
            return seconds_of([first, instance, "--time-limit", str(SOLVE_SECONDS)])
        online = seconds_of(["online", instance, "--out", plan, "--certificate", proof])
        if first == "online":
            return online
        return seconds_of([first, instance, plan if first == "check" else proof])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpus", type=int, nargs="+", default=[32, 512, 2048, 20_000, 100_000])
    parser.add_argument("--jobs", type=int, default=50)
    parser.add_argument("--commands", nargs="+", default=COMMANDS)
    options = parser.parse_args()
    print(f"{'cpu s, GPUs':16}" + "".join(f"{gpus:9}" for gpus in options.gpus))
    for command in options.commands:
        measure(command, options.gpus[0], options.jobs)  # compiles what it needs
        found = [measure(command, gpus, options.jobs) for gpus in options.gpus]
        print(f"{command:16}" + "".join(f"{seconds:9.2f}" for seconds in found), flush=True)


if __name__ == "__main__":
    main()
