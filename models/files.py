"""Answers of the programs as files, and their command line."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pulp

from hadaropt.instance import Instance
from hadaropt.io import instance_sha256, read_instance

Gpus = dict[int, dict[int, int]]  # by node, by type
Rounds = dict[int, tuple[Gpus, bool]]  # by round: what is held, and whether as copies


def schedule_document(instance: Instance, held: dict[int, Rounds]) -> dict[str, Any]:
    """Return a ``hadaropt-schedule/1`` document, with the exact completion rounds and value."""
    cluster = instance.cluster
    total, jobs = Fraction(0), []
    for j, rounds in sorted(held.items()):
        job, done, completion, entries = instance.jobs[j], 0, None, []
        for t, (gpus, copies) in sorted(rounds.items()):
            if completion is not None:
                break  # the placement was faster than the level
            speed = instance.progress(j, copies=copies, spread=not copies and len(gpus) > 1)
            slowest = [min(speed[r] for r in types) for types in gpus.values()]
            done += sum(slowest) if copies else min(slowest)
            entry: dict[str, Any] = {"round": t, "gpus": {}}
            for h, types in gpus.items():
                named = {cluster.accelerators[r]: n for r, n in types.items()}
                entry["gpus"][cluster.nodes[h]] = named
            entries.append({**entry, "copies": True} if copies else entry)
            if done >= job.iterations:
                completion = t
                total += instance.value(j, t)
        jobs.append({"name": job.name, "completion": completion, "rounds": entries})
    return {
        "format": "hadaropt-schedule/1",
        "instance_sha256": instance_sha256(instance),
        "objective": str(total),
        "jobs": jobs,
    }


def values_document(problem: pulp.LpProblem) -> dict[str, Any]:
    """Return the objective and the non-zero variables of a linear program."""
    values = {v.name: v.varValue for v in problem.variables() if v.varValue}
    return {"objective": pulp.value(problem.objective) or 0.0, "values": values}


def main(
    build: Callable[..., Any],
    answer: Callable[[Instance, Any], dict[str, Any]],
    **options: list[str],
) -> None:
    """Command line: INSTANCE --solver NAME [-o OUT] [--option VALUE]."""
    parser = argparse.ArgumentParser()
    parser.add_argument("instance")
    parser.add_argument("--solver", default="HiGHS", help="one of pulp.listSolvers(True)")
    parser.add_argument("-o", "--out", "--output", dest="output")
    for name, choices in options.items():
        parser.add_argument(f"--{name}", choices=choices, default=choices[0])
    given = vars(parser.parse_args())
    instance = read_instance(given["instance"])
    program = build(instance, **{name: given[name] for name in options})
    solve(program.problem, given["solver"])
    document = answer(instance, program)
    if given["output"]:
        with open(given["output"], "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
    print("objective", document["objective"])


def solve(problem: pulp.LpProblem, solver: str = "HiGHS") -> float:
    """Solve to optimality at gap 0, or raise; return the value."""
    if not problem.variables():
        return 0.0
    # HiGHS keeps the number of threads of the first run for the whole process.
    problem.solve(pulp.getSolver(solver, msg=False, gapRel=0, threads=1))
    value = pulp.value(problem.objective)
    if pulp.LpStatus[problem.status] != "Optimal" or value is None or not math.isfinite(value):
        raise RuntimeError(f"{solver} answers {pulp.LpStatus[problem.status]}")
    return float(value)


def place(instance: Instance, gangs: list[tuple[int, int, frozenset[int]]]) -> dict[int, Gpus]:
    """Put gangs (j, W_j, admitted types) of one round on nodes: a small transport program."""
    problem = pulp.LpProblem("place", pulp.LpMinimize)
    problem.setObjective(pulp.lpSum([]))
    capacity = instance.cluster.capacity
    cells = [(h, r) for h, row in enumerate(capacity) for r, count in enumerate(row) if count]
    put = {
        (j, h, r): problem.add_variable(f"put_{j}_{h}_{r}", 0, gang, "Integer")
        for j, gang, admitted in gangs
        for h, r in cells
        if r in admitted
    }
    for j, gang, _ in gangs:
        problem += pulp.lpSum(x for (i, _, _), x in put.items() if i == j) == gang
    for h, r in cells:
        here = [x for (_, *cell), x in put.items() if cell == [h, r]]
        problem += pulp.lpSum(here) <= capacity[h][r]
    solve(problem)
    held: dict[int, Gpus] = {}
    for (j, h, r), x in put.items():
        if round(x.varValue) > 0:
            held.setdefault(j, {}).setdefault(h, {})[r] = round(x.varValue)
    return held


def take(set_aside: dict[tuple[int, int], int], amount: int) -> Gpus:
    """Return the first ``amount`` of the GPUs that are set aside for a job."""
    gpus: Gpus = {}
    for (h, r), count in sorted(set_aside.items()):
        if part := min(amount, count):
            gpus.setdefault(h, {})[r] = part
            amount -= part
    return gpus
