"""The configuration LP of a tiny instance, its columns enumerated.

One column for each irredundant schedule s of job j with positive value, as far as its use of
capacity goes: ``max sum u_s x_js``, ``sum w^s_thr x_js <= c_hr`` (price k_thr) and
``sum_s x_js <= 1`` (payoff mu_j). Its value lies between the optimum and the compact relaxation.

Run: ``python -m models.configuration_lp INSTANCE --solver HiGHS -o OUT``
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pulp

from hadaropt.instance import Instance
from models.files import main, values_document

Use = tuple[tuple[int, int, int], ...]  # (h, r, GPUs), in order
Column = tuple[tuple[int, Use], ...]  # (t, use), in order


@dataclass
class Program:
    """A PuLP problem with its columns."""

    problem: pulp.LpProblem
    columns: dict[str, tuple[int, Column, Fraction]]


def gangs(cells: list[tuple[int, int, int]], size: int) -> Iterator[Use]:
    """Every way to take exactly ``size`` GPUs from cells (h, r, free)."""
    if size == 0:
        yield ()
    elif cells:
        (h, r, free), rest = cells[0], cells[1:]
        for count in range(min(free, size) + 1):
            for others in gangs(rest, size - count):
                yield ((h, r, count), *others) if count else others


def choices(instance: Instance, j: int) -> dict[Use, int]:
    """Everything that job j can hold in a round, with the most progress that it makes with it."""
    job, capacity = instance.jobs[j], instance.cluster.capacity
    speed = instance.throughput[j]
    cells = [
        (h, r, c) for h, row in enumerate(capacity) for r, c in enumerate(row) if c and speed[r]
    ]
    found: dict[Use, int] = {}
    for use in gangs(cells, job.gang_size):
        types = {r for _, r, _ in use}
        if instance.parallelism == "single_type" and len(types) > 1:
            continue
        progress = instance.progress(j, spread=len({h for h, _, _ in use}) > 1)
        found[use] = min(progress[r] for r in types)
    if instance.parallelism == "forked":
        progress = instance.progress(j, copies=True)
        inside = [
            list(gangs([c for c in cells if c[0] == h], job.gang_size))
            for h in range(len(capacity))
        ]
        for count in range(2, instance.max_copies(j) + 1):
            for hosts in combinations(range(len(capacity)), count):
                for copies in product(*(inside[h] for h in hosts)):
                    use = tuple(cell for copy in copies for cell in copy)
                    made = sum(min(progress[r] for _, r, _ in copy) for copy in copies)
                    found[use] = max(found.get(use, 0), made)
    return {use: made for use, made in found.items() if made > 0}


def schedules(instance: Instance, j: int) -> Iterator[Column]:
    """Every irredundant schedule of job j on the empty cluster: no round can be left out."""
    need, options = instance.jobs[j].iterations, choices(instance, j)

    def extend(t: int, rounds: Column, made: tuple[int, ...]) -> Iterator[Column]:
        if sum(made) >= need:
            if sum(made) - min(made) < need:
                yield rounds
            return
        for at in range(t, instance.num_rounds):
            for use, progress in options.items():
                yield from extend(at + 1, (*rounds, (at, use)), (*made, progress))

    return extend(instance.jobs[j].release, (), ())


def build(instance: Instance) -> Program:
    """Return the program."""
    problem = pulp.LpProblem("configuration", pulp.LpMaximize)
    columns: dict[str, tuple[int, Column, Fraction]] = {}
    load: dict[tuple[int, int, int], list[Any]] = {}
    value = []
    for j in range(len(instance.jobs)):
        mine = []
        for s, column in enumerate(schedules(instance, j)):
            worth = instance.value(j, column[-1][0])
            if worth == 0:
                continue
            x = problem.add_variable(f"x_{j}_{s}", 0)
            columns[x.name] = j, column, worth
            mine.append(x)
            value.append(float(worth) * x)
            for t, use in column:
                for h, r, count in use:
                    load.setdefault((t, h, r), []).append(count * x)
        if mine:
            problem += pulp.lpSum(mine) <= 1, f"once_{j}"
    for (t, h, r), used in sorted(load.items()):
        limit = instance.cluster.capacity[h][r]
        problem += pulp.lpSum(used) <= limit, f"capacity_{t}_{h}_{r}"
    problem.setObjective(pulp.lpSum(value))
    return Program(problem, columns)


def answer(instance: Instance, program: Program) -> dict[str, Any]:
    """Return the values document."""
    return values_document(program.problem)


if __name__ == "__main__":
    main(build, answer)
