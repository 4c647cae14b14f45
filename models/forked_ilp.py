"""The offline optimum under ``forked``: a job may run as 2 .. max_copies copies at a time.

The node form of `offline_ilp`, with copies: ``copy_j_t_h_l``, one copy of job j inside node h at
the level of type l (its progress is floored per copy, in the time that consolidation leaves), and
``forked_j_t``, the job runs as copies in round t.

- ``most``: at most max_copies copies, and none unless forked;
- ``least``: at least two copies if forked;
- ``one``: at most one copy on each node, and none unless forked.

Run: ``python -m models.forked_ilp INSTANCE --solver HiGHS -o OUT``
"""

from __future__ import annotations

from typing import Any

import pulp

from hadaropt.instance import Instance
from models.common import Plan, plans
from models.completion import binary, completion, is_one
from models.files import Rounds, main, schedule_document, take
from models.offline_ilp import Program, add_holding, add_node_capacity, add_ways


def build(instance: Instance, integral: bool = True) -> Program:
    """Return the program, or its LP relaxation."""
    program = Program(pulp.LpProblem("forked", pulp.LpMaximize), plans(instance, "node"))
    value: list[Any] = []
    for p in program.plans:
        add_ways(program, p, integral)
        if p.copies > 1:
            add_copies(program, p, integral)
        made, busy = {}, {}
        for t in p.rounds:
            made[t] = [w.units * program.run[p.j, t, w] for w in p.ways]
            busy[t] = [program.run[p.j, t, w] for w in p.ways if w.kind != "copy"]
            if p.copies > 1:
                busy[t].append(program.forked[p.j, t])
        value.append(completion(program.problem, p, made, busy, integral))
        add_holding(program, p, instance, integral)
    program.problem.setObjective(pulp.lpSum(value))
    add_node_capacity(program, instance)
    return program


def add_copies(program: Program, p: Plan, integral: bool) -> None:
    """How many copies, and where."""
    problem, j = program.problem, p.j
    copies = [w for w in p.ways if w.kind == "copy"]
    for t in p.rounds:
        forked = program.forked[j, t] = binary(problem, f"forked_{j}_{t}", integral)
        total = pulp.lpSum(program.run[j, t, w] for w in copies)
        problem += total - p.copies * forked <= 0, f"most_{j}_{t}"
        problem += 2 * forked - total <= 0, f"least_{j}_{t}"
        for h in sorted({w.node for w in copies}):
            here = pulp.lpSum(program.run[j, t, w] for w in copies if w.node == h)
            problem += here - forked <= 0, f"one_{j}_{t}_{h}"


def schedule(instance: Instance, program: Program) -> dict[str, Any]:
    """Return the schedule document of a solved program."""
    held: dict[int, Rounds] = {}
    for p in program.plans:
        for t in p.rounds:
            used = [w for w in p.ways if is_one(program.run[p.j, t, w])]
            gpus: dict[int, dict[int, int]] = {}
            for w in used:
                set_aside = {
                    (h, r): round(x.varValue)
                    for (j, at, h, r), x in program.gpus.items()
                    if (j, at) == (p.j, t) and r in w.admitted and w.node in (-1, h)
                }
                gpus |= take(set_aside, p.gang)
            if used:
                copies = any(w.kind == "copy" for w in used)
                held.setdefault(p.j, {})[t] = gpus, copies
    return schedule_document(instance, held)


if __name__ == "__main__":
    main(build, schedule)
