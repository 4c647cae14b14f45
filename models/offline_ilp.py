"""The offline optimum as an integer program, for ``single_type`` and ``mixed``.

``max sum_j,f (U_j(f) - U_j(f+1)) done_j_f``, where a job runs in at most one way per round and
completes when its progress reaches its need (see `common.completion`).

- ``--form hall``: where node identity does not matter (every spread factor 1). For every round t
  and set S of types: the gangs whose admitted types lie in S fit S.
- ``--form node``: ``gpus_j_t_h_r`` GPUs are set aside for the job on each node and type; gangs
  inside one node, and gangs over nodes at the spread factor.

Run: ``python -m models.offline_ilp INSTANCE --form hall --solver HiGHS -o OUT``
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pulp

from hadaropt.instance import Instance
from models.common import Plan, Way, capacity_sets, distinct, label, plans
from models.completion import binary, completion, is_one
from models.files import Rounds, main, place, schedule_document, take

Run = dict[tuple[int, int, Way], Any]  # by job, round and way


@dataclass
class Program:
    """A PuLP problem with its variables."""

    problem: pulp.LpProblem
    plans: list[Plan]
    run: Run = field(default_factory=dict)
    gpus: dict[tuple[int, int, int, int], Any] = field(default_factory=dict)
    forked: dict[tuple[int, int], Any] = field(default_factory=dict)


def build(instance: Instance, form: str = "hall", integral: bool = True) -> Program:
    """Return the program, or its LP relaxation."""
    program = Program(pulp.LpProblem("offline", pulp.LpMaximize), plans(instance, form))
    value: list[Any] = []
    for p in program.plans:
        add_ways(program, p, integral)
        run = {t: [(w, program.run[p.j, t, w]) for w in p.ways] for t in p.rounds}
        made = {t: [w.units * x for w, x in run[t]] for t in p.rounds}
        busy = {t: [x for _, x in run[t]] for t in p.rounds}
        value.append(completion(program.problem, p, made, busy, integral))
        if form == "node":
            add_holding(program, p, instance, integral)
    program.problem.setObjective(pulp.lpSum(value))
    (add_node_capacity if form == "node" else add_pooled_capacity)(program, instance)
    return program


def add_ways(program: Program, p: Plan, integral: bool) -> None:
    """One variable for each way to run in each round."""
    for t in p.rounds:
        for w in p.ways:
            name = f"{w.kind}_{p.j}_{t}_{w.place}"
            program.run[p.j, t, w] = binary(program.problem, name, integral)


def add_pooled_capacity(program: Program, instance: Instance) -> None:
    """Hall's condition, for the sets of types that need a row."""
    capacity = instance.cluster.pooled_capacity
    for t in range(instance.num_rounds):
        there = [(p, w) for p in program.plans if t in p.rounds for w in p.ways]
        for types in capacity_sets(w.admitted for _, w in there):
            used = [p.gang * program.run[p.j, t, w] for p, w in there if w.admitted <= types]
            limit = sum(capacity[r] for r in types)
            program.problem += pulp.lpSum(used) <= limit, f"capacity_{t}_{label(types)}"


def add_holding(program: Program, p: Plan, instance: Instance, integral: bool) -> None:
    """Let what runs fit what is set aside, inside each node and over all nodes."""
    problem, run, j = program.problem, program.run, p.j
    anywhere = [w for w in p.ways if w.node < 0]
    for t in p.rounds:
        held = {}
        for h, counts in enumerate(instance.cluster.capacity):
            inside = [w for w in p.ways if w.node == h]
            for r in sorted({r for w in inside + anywhere for r in w.admitted}):
                if counts[r] > 0:
                    limit = min(counts[r], p.gang) if integral else None
                    cat = "Integer" if integral else "Continuous"
                    held[h, r] = problem.add_variable(f"gpus_{j}_{t}_{h}_{r}", 0, limit, cat)
                    program.gpus[j, t, h, r] = held[h, r]
            for types in distinct(w.admitted for w in inside):
                need = [p.gang * run[j, t, w] for w in inside if w.admitted <= types]
                have = [held[h, r] for r in sorted(types) if (h, r) in held]
                name = f"hold_{j}_{t}_n{h}_{label(types)}"
                problem += pulp.lpSum(need) - pulp.lpSum(have) <= 0, name
        for types in distinct(w.admitted for w in anywhere):
            need = [p.gang * run[j, t, w] for w in p.ways if w.admitted <= types]
            have = [x for (_, r), x in held.items() if r in types]
            problem += pulp.lpSum(need) - pulp.lpSum(have) <= 0, f"hold_{j}_{t}_{label(types)}"


def add_node_capacity(program: Program, instance: Instance) -> None:
    """Let the GPUs set aside on a node fit it."""
    users: dict[tuple[int, int, int], list[Any]] = {}
    for (_, t, h, r), x in program.gpus.items():
        users.setdefault((t, h, r), []).append(x)
    for (t, h, r), used in users.items():
        limit = instance.cluster.capacity[h][r]
        program.problem += pulp.lpSum(used) <= limit, f"capacity_{t}_{h}_{r}"


def schedule(instance: Instance, program: Program) -> dict[str, Any]:
    """Return the schedule document of a solved program."""
    held: dict[int, Rounds] = {}
    for t in range(instance.num_rounds):
        there = [(p, w) for p in program.plans if t in p.rounds for w in p.ways]
        gangs = [(p, w) for p, w in there if is_one(program.run[p.j, t, w])]
        if not program.gpus:
            for j, gpus in place(instance, [(p.j, p.gang, w.admitted) for p, w in gangs]).items():
                held.setdefault(j, {})[t] = gpus, False
            continue
        for p, w in gangs:
            set_aside = {
                (h, r): round(x.varValue)
                for (j, at, h, r), x in program.gpus.items()
                if (j, at) == (p.j, t) and r in w.admitted and w.node in (-1, h)
            }
            held.setdefault(p.j, {})[t] = take(set_aside, p.gang), False
    return schedule_document(instance, held)


if __name__ == "__main__":
    main(build, schedule, form=["hall", "node"])
