"""What a planner of forked jobs knows at the start of a round."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from hadaropt.errors import InstanceError
from hadaropt.exact import MAX_ITERATIONS, to_fraction, to_integer, to_non_negative, to_text
from hadaropt.instance import Cluster

Row = tuple[int, ...]
"""GPUs of each type on one node, shape (R,)."""


@dataclass(frozen=True)
class ForkJob:
    """One unfinished job.

    Parameters
    ----------
    name : str
    gang_size : int
        W_j: GPUs of one copy, >= 1.
    remaining : int
        Q_j: iterations left, >= 1.
    speed : sequence of number, shape (R,)
        Iterations per second of a copy when r is the slowest type that it uses; 0: cannot run.
    max_copies : int, optional
        kappa_j, 1 .. number of nodes, which is also the default.
    spread_factor : number
        rho_j in (0, 1]: multiplier on the speed of one gang that spans nodes.
    weight : number
        w_j >= 0 in sum w_j C_j.
    release : number
        Seconds from now before which it cannot run (looked at by the completion-time bound).
    worth : callable, optional
        Worth of completing in the d-th round from now, d = 1, 2, ...; >= 0 and non-increasing.
    """

    name: str
    gang_size: int
    remaining: int
    speed: tuple[Fraction, ...]
    max_copies: int | None = None
    spread_factor: Fraction = Fraction(1)
    weight: Fraction = Fraction(1)
    release: Fraction = Fraction(0)
    worth: Callable[[int], Fraction] | None = None
    _known: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        store = object.__setattr__
        store(self, "gang_size", to_integer(self.gang_size, "gang_size", least=1))
        store(
            self, "remaining", to_integer(self.remaining, "remaining", least=1, most=MAX_ITERATIONS)
        )
        speed = tuple(to_non_negative(x, f"speed[{r}]") for r, x in enumerate(self.speed))
        store(self, "speed", speed)
        if self.max_copies is not None:
            store(self, "max_copies", to_integer(self.max_copies, "max_copies", least=1))
        store(self, "spread_factor", to_fraction(self.spread_factor, "spread_factor"))
        if not 0 < self.spread_factor <= 1:
            text = to_text(self.spread_factor)
            raise InstanceError("spread_factor", "must be > 0 and <= 1", text)
        store(self, "weight", to_non_negative(self.weight, "weight"))
        store(self, "release", to_non_negative(self.release, "release"))

    def later(self, remaining: int, worth: Callable[[int], Fraction] | None = None) -> ForkJob:
        """Return the same job with other iterations left and another worth; nothing is copied."""
        twin = object.__new__(ForkJob)
        twin.__dict__.update(self.__dict__)
        object.__setattr__(
            twin, "remaining", to_integer(remaining, "remaining", least=1, most=MAX_ITERATIONS)
        )
        object.__setattr__(twin, "worth", worth)
        return twin

    @property
    def pull(self) -> tuple[float, ...]:
        """w_j X_jr, shape (R,)."""
        if "pull" not in self._known:
            self._known["pull"] = tuple(float(self.weight * x) for x in self.speed)
        found: tuple[float, ...] = self._known["pull"]
        return found

    def levels(self, mixing: bool) -> tuple[int, ...]:
        """Return the types that can be the slowest one of a gang, the fastest first.

        Of types of equal speed only the first, where a gang may mix them.
        """
        key = "levels", mixing
        if key not in self._known:
            speed = self.speed
            able = sorted((r for r, x in enumerate(speed) if x), key=lambda r: (-speed[r], r))
            if mixing:
                able = list({speed[r]: r for r in reversed(able)}.values())[::-1]
            self._known[key] = tuple(able)
        found: tuple[int, ...] = self._known[key]
        return found

    def admitted(self, mixing: bool, level: int) -> tuple[int, ...]:
        """Return the types that a gang may use when `level` is the slowest."""
        key = "admitted", mixing, level
        if key not in self._known:
            speed = self.speed
            faster = (r for r, x in enumerate(speed) if x >= speed[level])
            self._known[key] = tuple(faster) if mixing else (level,)
        found: tuple[int, ...] = self._known[key]
        return found

    def row_level(self, mixing: bool, row: Row) -> int | None:
        """Return the fastest level at which a node with these GPUs holds a gang, or None."""
        key = "row", mixing, row
        if key not in self._known:
            self._known[key] = next(
                (
                    level
                    for level in self.levels(mixing)
                    if sum(row[r] for r in self.admitted(mixing, level)) >= self.gang_size
                ),
                None,
            )
        found: int | None = self._known[key]
        return found

    def steps(self, level: int, seconds: Fraction) -> int:
        """Return floor(X_level seconds)."""
        key = "steps", level, seconds
        if key not in self._known:
            self._known[key] = math.floor(self.speed[level] * seconds)
        found: int = self._known[key]
        return found


@dataclass(frozen=True)
class ForkProblem:
    """Unfinished jobs on a cluster, from now on.

    Parameters
    ----------
    cluster : Cluster
    jobs : sequence of ForkJob
    round_seconds : number
        tau > 0.
    consolidation_seconds : number
        Lost by each copy in a round in which its job runs as two or more, in [0, tau].
    mixing : bool
        Whether a gang may mix types.

    Raises
    ------
    InstanceError
        Naming place, value and rule: more copies than nodes, a speed for each type missing, a job
        that no part of the cluster can run.
    """

    cluster: Cluster
    jobs: tuple[ForkJob, ...]
    round_seconds: Fraction = Fraction(360)
    consolidation_seconds: Fraction = Fraction(0)
    mixing: bool = True

    def __post_init__(self) -> None:
        store = object.__setattr__
        store(self, "jobs", tuple(self.jobs))
        store(self, "round_seconds", to_fraction(self.round_seconds, "round_seconds"))
        tau = self.round_seconds
        if tau <= 0:
            raise InstanceError("round_seconds", "must be > 0", to_text(tau))
        lost = to_non_negative(self.consolidation_seconds, "consolidation_seconds")
        store(self, "consolidation_seconds", lost)
        if lost > tau:
            rule = f"must be <= round_seconds = {to_text(tau)}"
            raise InstanceError("consolidation_seconds", rule, to_text(lost))
        nodes, types = len(self.cluster.nodes), len(self.cluster.accelerators)
        for j, job in enumerate(self.jobs):
            if len(job.speed) != types:
                rule = f"must have one speed for each of the {types} accelerator types"
                raise InstanceError(f"jobs[{j}].speed", rule, str(len(job.speed)))
            if job.max_copies is not None and job.max_copies > nodes:
                rule = f"must be at most the number of nodes, {nodes}: a node holds one copy"
                raise InstanceError(f"jobs[{j}].max_copies", rule, str(job.max_copies))
            if not any(job.speed):
                raise InstanceError(f"jobs[{j}].speed", "must be > 0 on some type", "0")
            nowhere = all(self.row_level(j, row) is None for row, _ in self.groups)
            if nowhere and not self.can_spread(j):
                rule = "must fit on GPUs that can run it: no node and no set of nodes holds it"
                raise InstanceError(f"jobs[{j}].gang_size", rule, str(job.gang_size))

    def copies(self, j: int) -> int:
        """Return kappa_j."""
        most = self.jobs[j].max_copies
        return len(self.cluster.nodes) if most is None else most

    def levels(self, j: int) -> tuple[int, ...]:
        """Return the levels of a gang of j; see `ForkJob.levels`."""
        return self.jobs[j].levels(self.mixing)

    def admitted(self, j: int, level: int) -> tuple[int, ...]:
        """Return the types that a gang of j may use when `level` is the slowest."""
        return self.jobs[j].admitted(self.mixing, level)

    def row_level(self, j: int, row: Row) -> int | None:
        """Return the fastest level at which a node with these GPUs holds a gang of j."""
        return self.jobs[j].row_level(self.mixing, row)

    @cached_property
    def groups(self) -> tuple[tuple[Row, tuple[int, ...]], ...]:
        """Nodes with equal GPUs: (GPUs, nodes), in order of the first node."""
        found: dict[Row, list[int]] = {}
        for h, row in enumerate(self.cluster.capacity):
            found.setdefault(row, []).append(h)
        return tuple((row, tuple(nodes)) for row, nodes in found.items())

    @cached_property
    def group_speeds(self) -> tuple[tuple[Fraction, ...], ...]:
        """X_jg: speed of the fastest copy of j that a node of group g holds, shape (J, G)."""

        def fastest(j: int, row: Row) -> Fraction:
            level = self.row_level(j, row)
            return Fraction(0) if level is None else self.jobs[j].speed[level]

        return tuple(
            tuple(fastest(j, row) for row, _ in self.groups) for j in range(len(self.jobs))
        )

    @cached_property
    def node_speeds(self) -> tuple[tuple[Fraction, ...], ...]:
        """X_jh: speed of the fastest copy of j that node h holds, shape (J, H)."""
        group = {h: g for g, (_, nodes) in enumerate(self.groups) for h in nodes}
        nodes = range(len(self.cluster.nodes))
        return tuple(tuple(row[group[h]] for h in nodes) for row in self.group_speeds)

    @cached_property
    def shared_node(self) -> str | None:
        """What `check_node_machine` says."""
        nodes = self.cluster.nodes
        for row, members in self.groups:
            where = f"node {nodes[members[0]]}"
            usable = [frozenset(r for r in job.levels(False) if row[r]) for job in self.jobs]
            able = [j for j in range(len(self.jobs)) if self.row_level(j, row) is not None]
            # Small gangs first: where nodes are shared, a pair is then found at once.
            able.sort(key=lambda j: self.jobs[j].gang_size)
            for a, i in enumerate(able):
                for k in able[a + 1 :]:
                    room = sum(row[r] for r in usable[i] | usable[k])
                    if self.jobs[i].gang_size + self.jobs[k].gang_size <= room:
                        names = f"a copy of {self.jobs[i].name} and one of {self.jobs[k].name}"
                        return f"{where} holds {names}"
            for j, job in enumerate(self.jobs):
                types = usable[j]
                count, speeds = sum(row[r] for r in types), {job.speed[r] for r in types}
                part = count != job.gang_size or len(speeds) > 1 or j not in able
                if types and part and self.can_spread(j):
                    return f"a gang of {job.name} can span nodes and use only a part of {where}"
        return None

    def can_spread(self, j: int) -> bool:
        """Whether one gang of j could span nodes."""
        job, counts = self.jobs[j], self.cluster.pooled_capacity
        if job.gang_size < 2 or len(self.cluster.nodes) < 2:
            return False
        return any(
            sum(counts[r] for r in self.admitted(j, level)) >= job.gang_size
            for level in self.levels(j)
        )

    def progress(self, j: int, level: int, *, copies: bool = False, spread: bool = False) -> int:
        """Return the iterations of one round of one gang at a level.

        floor(X tau) inside a node, floor(X rho tau) over nodes, floor(X (tau - consolidation)) as
        one of two or more copies.
        """
        job, seconds = self.jobs[j], self.round_seconds
        if copies:
            seconds = self._trained
        elif spread:
            seconds *= job.spread_factor
        return job.steps(level, seconds)

    @cached_property
    def _trained(self) -> Fraction:
        return self.round_seconds - self.consolidation_seconds


def check_node_machine(problem: ForkProblem) -> str | None:
    """Return why a node is not one machine, in words, or None if theorems H1 - H8 apply.

    They need that no two jobs ever share a node, and that no gang over nodes does what copies
    cannot: each gang of two or more GPUs takes all usable GPUs, of one speed, of each node.
    """
    return problem.shared_node


def related_speeds(
    problem: ForkProblem,
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]] | None:
    """Return x (J,) and s (H,) with X_jh = x_j s_h, s_h relative to the first node, or None."""
    table = problem.node_speeds
    if not table or not all(all(row) for row in table):
        return None
    s = tuple(speed / table[0][0] for speed in table[0])
    if any(row[h] != row[0] * s[h] for row in table for h in range(len(s))):
        return None
    return tuple(row[0] for row in table), s
