"""What the programs share: the ways a job has to run, when it pays, and its completion rows.

Symbols are in the table of ``models/README.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pulp

from hadaropt.instance import Instance

Types = frozenset[int]


@dataclass(frozen=True)
class Way:
    """One way to run a job in a round: at least ``units`` of progress on ``admitted`` types."""

    kind: str  # run (anywhere), inside (one node), spread (over nodes, at rho), copy (one of 2..)
    level: int  # smallest type index of the level
    node: int  # h, or -1
    units: int
    admitted: Types

    @property
    def place(self) -> str:
        """Last part of the variable's name."""
        return f"{self.level}" if self.node < 0 else f"{self.node}_{self.level}"


@dataclass(frozen=True)
class Plan:
    """What job j can do: its ways, its need in units, and the rounds in which completing pays."""

    j: int
    gang: int
    release: int
    need: int
    ways: tuple[Way, ...]
    copies: int
    value: dict[int, Fraction]  # U_j by completion round, positive and reachable only

    @property
    def rounds(self) -> range:
        """Rounds in which the job may run."""
        return range(self.release, max(self.value) + 1)

    @property
    def gain(self) -> dict[int, Fraction]:
        """U_j(f) - U_j(f + 1), the coefficient of done_j_f."""
        return {f: u - self.value.get(f + 1, 0) for f, u in self.value.items()}


def ways(instance: Instance, j: int, form: str) -> list[Way]:
    """All ways of job j, progress in iterations capped at Q_j."""
    job, cluster = instance.jobs[j], instance.cluster
    mixing = instance.parallelism != "single_type"

    def levels(kind: str, progress: tuple[int, ...], node: int = -1) -> list[Way]:
        count = cluster.pooled_capacity if node < 0 else cluster.capacity[node]
        gains = [min(p, job.iterations) for p in progress]
        found = []
        for r, gain in enumerate(gains):
            if gain > 0 and not (mixing and gain in gains[:r]):
                faster = frozenset(q for q, other in enumerate(gains) if other >= gain)
                found.append(Way(kind, r, node, gain, faster if mixing else frozenset({r})))
        return [way for way in found if job.gang_size <= sum(count[r] for r in way.admitted)]

    nodes = range(len(cluster.nodes))
    if form == "hall" or job.gang_size == 1 or job.spread_factor == 1:
        result = levels("run", instance.progress(j))
    else:
        result = [way for h in nodes for way in levels("inside", instance.progress(j), h)]
        result += levels("spread", instance.progress(j, spread=True))
    if form == "node" and instance.max_copies(j) > 1:
        copies = [w for h in nodes for w in levels("copy", instance.progress(j, copies=True), h)]
        result += copies if len({way.node for way in copies}) > 1 else []
    return result


def plan(instance: Instance, j: int, form: str) -> Plan | None:
    """Return the plan of job j, or None if it cannot earn anything."""
    job, raw = instance.jobs[j], ways(instance, j, form)
    hosts = {way.node for way in raw if way.kind == "copy"}
    most = [max(w.units for w in raw if w.kind == "copy" and w.node == h) for h in hosts]
    copies = min(instance.max_copies(j), len(hosts)) if hosts else 1
    best = max([w.units for w in raw if w.kind != "copy"] + [sum(sorted(most)[-copies:])])
    if best == 0 or job.release >= instance.num_rounds:
        return None
    first = job.release + math.ceil(Fraction(job.iterations, best)) - 1
    value = {f: instance.value(j, f) for f in range(first, instance.num_rounds)}
    value = {f: u for f, u in value.items() if u > 0}
    if not value:
        return None
    # Divide by the gcd of the ways that do not complete the job at once.
    unit = math.gcd(*(w.units for w in raw if w.units < job.iterations)) or job.iterations
    need = math.ceil(Fraction(job.iterations, unit))
    scaled = [
        Way(
            w.kind,
            w.level,
            w.node,
            need if w.units == job.iterations else w.units // unit,
            w.admitted,
        )
        for w in raw
    ]
    return Plan(j, job.gang_size, job.release, need, tuple(scaled), copies, value)


def plans(instance: Instance, form: str) -> list[Plan]:
    """Return the plans of the jobs that can earn something."""
    found = (plan(instance, j, form) for j in range(len(instance.jobs)))
    return [p for p in found if p is not None]


def capacity_sets(admitted: Iterable[Types]) -> list[Types]:
    """Return the sets S that need a row: admitted sets and unions of overlapping ones."""
    found = set(admitted)
    while new := {a | b for a in found for b in found if a & b} - found:
        found |= new
    return distinct(found)


def distinct(sets: Iterable[Types]) -> list[Types]:
    """Return the distinct sets, by size, then by elements."""
    return sorted(set(sets), key=lambda s: (len(s), sorted(s)))


def label(types: Types) -> str:
    """Write a set of types in a name."""
    return "_".join(map(str, sorted(types)))


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
