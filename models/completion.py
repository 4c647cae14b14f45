"""Progress and completion of one job: the rows that every integer program shares."""

from __future__ import annotations

from typing import Any

import pulp

from models.common import Plan


def binary(problem: pulp.LpProblem, name: str, integral: bool) -> pulp.LpVariable:
    """Add a variable in {0, 1}, or >= 0 in the relaxation, where rows imply <= 1."""
    if integral:
        return problem.add_variable(name, 0, 1, "Integer")
    return problem.add_variable(name, 0)


def completion(
    problem: pulp.LpProblem,
    p: Plan,
    made: dict[int, list[Any]],
    busy: dict[int, list[Any]],
    integral: bool,
) -> Any:
    """Progress and completion of one job; returns the value that it earns.

    ``made[t]`` are the units made in round t, ``busy[t]`` the variables that say that it runs.
    """
    j, last = p.j, p.rounds[-1]
    progress = {t: problem.add_variable(f"progress_{j}_{t}", 0) for t in p.rounds}
    done = {f: binary(problem, f"done_{j}_{f}", integral) for f in p.value}
    for t in p.rounds:
        before = [progress[t - 1]] if t > p.release else []
        problem += progress[t] - pulp.lpSum(before + made[t]) <= 0, f"advance_{j}_{t}"
        before = [done[t - 1]] if t - 1 in done else []
        problem += pulp.lpSum(before + busy[t]) - done[last] <= 0, f"active_{j}_{t}"
    for f in p.value:
        problem += p.need * done[f] - progress[f] <= 0, f"complete_{j}_{f}"
        if f - 1 in done:
            problem += done[f - 1] - done[f] <= 0, f"monotone_{j}_{f}"
    problem += done[last] <= 1, f"once_{j}"
    return pulp.lpSum(float(gain) * done[f] for f, gain in p.gain.items())


def is_one(variable: pulp.LpVariable) -> bool:
    """Whether an integer variable is 1."""
    value = variable.varValue
    if value is None or abs(value - round(value)) > 1e-6:
        raise RuntimeError(f"{variable.name} = {value}, must be an integer")
    return bool(round(value) == 1)
