"""One round as a multiple-choice knapsack, for ``single_type`` and ``mixed``.

``max sum_j,w v_jw run_j_t_w``: each job that has arrived runs in at most one way w in round t, and
the gangs fit the GPUs as in `offline_ilp`. ``v_jw`` is U_j at the completion that the job would
have if it kept that allocation: ``f = t + ceil(remaining_j / units_w) - 1``, and 0 beyond the
horizon. This is what a round-based scheduler decides at the start of a round.

Run: ``python -m models.round_ilp INSTANCE --form hall --solver HiGHS -o OUT`` (round 0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pulp

from hadaropt.instance import Instance
from models import offline_ilp
from models.common import Plan, Way, ways
from models.completion import is_one
from models.files import main, place, take
from models.offline_ilp import Program

Value = Callable[[int, int], Fraction]  # of job j completing in round f


def build(
    instance: Instance,
    form: str = "hall",
    t: int = 0,
    remaining: Mapping[int, int] | None = None,
    value: Value | None = None,
) -> Program:
    """Return the program of round t.

    ``remaining`` holds the iterations that each job in the queue still needs (by default: every
    job released by then, with all of its iterations).
    """
    if instance.parallelism == "forked":
        raise ValueError("the instance is forked: choose single_type or mixed")
    if remaining is None:
        jobs = enumerate(instance.jobs)
        remaining = {j: job.iterations for j, job in jobs if job.release <= t}
    program = Program(pulp.LpProblem("round", pulp.LpMaximize), [])
    worth: list[Any] = []
    for j, need in remaining.items():
        values = {
            way: gain
            for way in ways(instance, j, form)
            if (gain := _value(instance, value, j, t + math.ceil(Fraction(need, way.units)) - 1))
        }
        if not values:
            continue
        gang, kept = instance.jobs[j].gang_size, tuple(values)
        plan = Plan(j, gang, t, need, kept, 1, {t: max(values.values())})
        program.plans.append(plan)
        offline_ilp.add_ways(program, plan, integral=True)
        chosen = [program.run[j, t, way] for way in kept]
        program.problem += pulp.lpSum(chosen) <= 1, f"once_{j}"
        worth += [float(values[way]) * program.run[j, t, way] for way in kept]
        if form == "node":
            offline_ilp.add_holding(program, plan, instance, integral=True)
    program.problem.setObjective(pulp.lpSum(worth))
    if form == "node":
        offline_ilp.add_node_capacity(program, instance)
    else:
        offline_ilp.add_pooled_capacity(program, instance)
    return program


def _value(instance: Instance, value: Value | None, j: int, completion: int) -> Fraction:
    if value is not None:
        return value(j, completion)
    return instance.value(j, completion) if completion < instance.num_rounds else Fraction(0)


def allocation(instance: Instance, program: Program) -> dict[int, dict[int, dict[int, int]]]:
    """Return what each job holds, {j: {node: {type: GPUs}}}, in a solved program."""
    chosen: list[tuple[Plan, int, Way]] = [
        (p, p.release, way)
        for p in program.plans
        for way in p.ways
        if is_one(program.run[p.j, p.release, way])
    ]
    if not program.gpus:
        return place(instance, [(p.j, p.gang, way.admitted) for p, _, way in chosen])
    held = {}
    for p, t, way in chosen:
        set_aside = {
            (h, r): round(x.varValue)
            for (j, at, h, r), x in program.gpus.items()
            if (j, at) == (p.j, t) and r in way.admitted and way.node in (-1, h)
        }
        held[p.j] = take(set_aside, p.gang)
    return held


def document(instance: Instance, program: Program) -> dict[str, Any]:
    """Return the objective and the allocation by name."""
    cluster = instance.cluster
    return {
        "objective": pulp.value(program.problem.objective) or 0.0,
        "allocation": {
            instance.jobs[j].name: {
                cluster.nodes[h]: {cluster.accelerators[r]: n for r, n in gpus.items()}
                for h, gpus in held.items()
            }
            for j, held in allocation(instance, program).items()
        },
    }


if __name__ == "__main__":
    main(build, document, form=["hall", "node"])
