"""What the programs share: the ways a job has to run, and when it pays.

Symbols are in the table of ``models/README.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

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
        gains = [min(p, job.iterations) if c else 0 for p, c in zip(progress, count, strict=True)]
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
