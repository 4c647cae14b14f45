"""Cluster, Job and Instance: immutable, exact, validated once, and unaware of any solver."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Literal, get_args

from hadaropt.errors import InstanceError, LimitError, check_type, shown, unknown_accelerator
from hadaropt.exact import (
    MAX_ITERATIONS,
    Exact,
    to_fraction,
    to_integer,
    to_non_negative,
    to_text,
)
from hadaropt.figures import counted
from hadaropt.frozen import FrozenDict
from hadaropt.keywords import known_fields
from hadaropt.names import known_name
from hadaropt.utility import Utility

Parallelism = Literal["single_type", "mixed", "forked"]
PARALLELISM: tuple[Parallelism, ...] = get_args(Parallelism)


def _check_names(names: Sequence[object], path: str) -> tuple[str, ...]:
    """Return distinct non-empty strings."""
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        place = path.format(i)
        if not isinstance(name, str) or not name:
            raise InstanceError(place, "must be a non-empty string", shown(name))
        if not name.isascii() and any("\ud800" <= sign <= "\udfff" for sign in name):
            rule = "must not hold half a character (a lone surrogate)"
            raise InstanceError(place, rule, ascii(name))
        if name in seen:
            raise InstanceError(place, f"is a duplicate of {path.format(seen[name])}", shown(name))
        seen[name] = i
    return tuple(seen)


@known_fields
@dataclass(frozen=True)
class Cluster:
    """Nodes with their accelerators.

    Parameters
    ----------
    accelerators : sequence of str
        Names of the R accelerator types, in the order that decides ties.
    nodes : sequence of str
        Names of the H nodes.
    capacity : sequence of sequences of int
        c[h, r], shape (H, R): GPUs of type r on node h.

    Raises
    ------
    InstanceError
        If there is no node, a name occurs twice, or a count is negative.
    """

    accelerators: tuple[str, ...]
    nodes: tuple[str, ...]
    capacity: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        accelerators = _check_names(self.accelerators, "accelerators[{}]")
        if not self.nodes:
            raise InstanceError("nodes", "must have at least one node", "[]")
        nodes = _check_names(self.nodes, "nodes[{}].name")
        if len(self.capacity) != len(nodes):
            raise InstanceError("capacity", f"must have {len(nodes)} rows", str(len(self.capacity)))
        rows = []
        for h, row in enumerate(self.capacity):
            if len(row) != len(accelerators):
                rule = f"must have {len(accelerators)} counts"
                raise InstanceError(f"nodes[{h}].gpus", rule, str(len(row)))
            rows.append(
                tuple(
                    to_integer(count, f"nodes[{h}].gpus.{accelerators[r]}")
                    for r, count in enumerate(row)
                )
            )
        object.__setattr__(self, "accelerators", accelerators)
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "capacity", tuple(rows))

    @classmethod
    def of(
        cls,
        nodes: Mapping[str, Mapping[str, Exact]],
        accelerators: Sequence[str] | None = None,
    ) -> Cluster:
        """Return the cluster with these nodes: ``Cluster.of({"n0": {"V100": 2}})``.

        Accelerators default to the types that occur, in order of first occurrence.
        """
        if accelerators is None:
            accelerators = tuple(dict.fromkeys(r for gpus in nodes.values() for r in gpus))
        for h, gpus in enumerate(nodes.values()):
            for name in gpus:
                if name not in accelerators:
                    rule = unknown_accelerator(str(name), accelerators)
                    raise InstanceError(f"nodes[{h}].gpus.{name}", rule)
        capacity = tuple(tuple(gpus.get(r, 0) for r in accelerators) for gpus in nodes.values())
        return cls(tuple(accelerators), tuple(nodes), capacity)  # type: ignore[arg-type]

    @classmethod
    def parse(cls, text: str) -> Cluster:
        """Return the cluster of ``TYPE=NODESxGPUS,...``; ``TYPE=N`` is one node of N GPUs.

        Types keep the case in which they are written.
        """
        nodes: dict[str, dict[str, Exact]] = {}
        accelerators: list[str] = []
        for i, part in enumerate(text.split(",")):
            name, equals, size = part.strip().partition("=")
            count, times, gpus = size.partition("x")
            if not times:
                count, gpus = "1", size
            if not name or not equals or name in accelerators:
                rule = "must be TYPE=NODESxGPUS with each type once, such as v100=5x4,p100=5x4"
                raise InstanceError(f"cluster[{i}]", rule, shown(part))
            accelerators.append(name)
            per_node = to_integer(gpus.strip(), f"cluster[{i}].gpus", least=1)
            for k in range(to_integer(count.strip(), f"cluster[{i}].nodes", least=1, most=100_000)):
                nodes[f"{name}-{k}"] = {name: per_node}
        return cls.of(nodes, accelerators)

    @cached_property
    def pooled_capacity(self) -> tuple[int, ...]:
        """C_r = sum_h c[h, r], shape (R,)."""
        return tuple(sum(column) for column in zip(*self.capacity, strict=True))

    @property
    def gpus_by_type(self) -> dict[str, int]:
        """C_r by the name of the type r."""
        return dict(zip(self.accelerators, self.pooled_capacity, strict=True))

    @cached_property
    def equal_nodes(self) -> Mapping[tuple[int, ...], tuple[int, ...]]:
        """The nodes h of each distinct row c[h], ascending, in order of their first one."""
        nodes: dict[tuple[int, ...], list[int]] = {}
        for h, row in enumerate(self.capacity):
            nodes.setdefault(row, []).append(h)
        return FrozenDict({row: tuple(equal) for row, equal in nodes.items()})


@known_fields
@dataclass(frozen=True)
class Job:
    """One training job of an instance.

    Parameters
    ----------
    name : str
        Unique within the instance.
    release : int
        a_j: first round in which the job may run, >= 0.
    gang_size : int
        W_j: GPUs held in every round in which it runs, >= 1.
    iterations : int
        Q_j: training iterations to completion, >= 1.
    throughput : mapping of str to number
        X_jr: iterations per second of the whole gang on type r; a type left out cannot run it.
        A float is read as its shortest decimal text. Kept in a mapping that cannot be changed.
    utility : Utility
        U_j(d): value of completing with flow time d.
    spread_factor : number
        rho_j in (0, 1]: speed multiplier when the gang spans more than one node.
    max_copies : int, optional
        Most copies at a time under ``forked``; None means the number of nodes.
    """

    name: str
    release: int
    gang_size: int
    iterations: int
    throughput: Mapping[str, Fraction]
    utility: Utility
    spread_factor: Fraction = Fraction(1)
    max_copies: int | None = None

    def __post_init__(self) -> None:
        _check_names([self.name], "name")
        store = object.__setattr__
        store(self, "release", to_integer(self.release, "release"))
        store(self, "gang_size", to_integer(self.gang_size, "gang_size", least=1))
        most = MAX_ITERATIONS
        store(self, "iterations", to_integer(self.iterations, "iterations", least=1, most=most))
        if not isinstance(self.throughput, Mapping):
            raise InstanceError("throughput", "must map types to numbers", shown(self.throughput))
        speeds = {r: to_non_negative(x, f"throughput.{r}") for r, x in self.throughput.items()}
        store(self, "throughput", FrozenDict({r: x for r, x in speeds.items() if x}))
        store(self, "spread_factor", to_fraction(self.spread_factor, "spread_factor"))
        if not 0 < self.spread_factor <= 1:
            text = to_text(self.spread_factor)
            raise InstanceError("spread_factor", "must be > 0 and <= 1", text)
        if self.max_copies is not None:
            store(self, "max_copies", to_integer(self.max_copies, "max_copies", least=1))
        if not isinstance(self.utility, Utility):
            raise InstanceError("utility", "must be a Utility", shown(self.utility))


LATTICE_CELLS = 50_000
"""Jobs x rounds up to which a quick `Instance.round_down` lists the values of all jobs."""
MAX_CELLS = 2**28
"""Most rounds times accelerator types that tables of prices are made for."""


@known_fields
@dataclass(frozen=True)
class Instance:
    """A slotted, finite-horizon scheduling problem: what the optimisers solve.

    In Graham's notation R | r_j, pmtn, size_j | sum U_j(C_j), with gangs over typed accelerators.

    Parameters
    ----------
    cluster : Cluster
    jobs : sequence of Job
        J jobs with distinct names; none is legal (optimum 0).
    num_rounds : int
        T: rounds 0 .. T-1.
    round_seconds : number
        tau: length of a round in seconds, > 0.
    parallelism : {"single_type", "mixed", "forked"}
        Whether a gang may mix types and whether a job may run as copies.
    consolidation_seconds : number
        Time that each copy loses in a round with two or more copies.
    name : str
        A label; not part of the instance's identity.

    Raises
    ------
    InstanceError
        Naming path, value and rule.
    """

    cluster: Cluster
    jobs: tuple[Job, ...]
    num_rounds: int
    round_seconds: Fraction = Fraction(360)
    parallelism: Parallelism = "mixed"
    consolidation_seconds: Fraction = Fraction(0)
    name: str = ""
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __str__(self) -> str:
        """Say in a line what it is: jobs, rounds, parallelism, GPUs."""
        gpus = ", ".join(f"{count} {kind}" for kind, count in self.cluster.gpus_by_type.items())
        return (
            f"{self.name or 'instance'}: {counted(len(self.jobs), 'job')}, "
            f"{counted(self.num_rounds, 'round')} of {to_text(self.round_seconds)} s, "
            f"{self.parallelism}, {gpus or 'no GPUs'} on {counted(len(self.cluster.nodes), 'node')}"
        )

    def _repr_html_(self) -> str:
        """Show the same line in a notebook."""
        return f"<p>{escape(str(self))}</p>"

    def __post_init__(self) -> None:
        store = object.__setattr__
        if isinstance(self.jobs, Mapping) or not isinstance(self.jobs, Iterable):
            raise InstanceError("jobs", "must be a sequence of Jobs", shown(self.jobs))
        store(self, "jobs", tuple(self.jobs))
        for j, job in enumerate(self.jobs):
            if not isinstance(job, Job):
                raise InstanceError(f"jobs[{j}]", "must be a Job", shown(job))
        store(self, "num_rounds", to_integer(self.num_rounds, "num_rounds", least=1))
        store(self, "round_seconds", to_fraction(self.round_seconds, "round_seconds"))
        if self.round_seconds <= 0:
            raise InstanceError("round_seconds", "must be > 0", to_text(self.round_seconds))
        if self.parallelism not in PARALLELISM:
            store(self, "parallelism", known_name("parallelism", self.parallelism, PARALLELISM))
        consolidation = to_non_negative(self.consolidation_seconds, "consolidation_seconds")
        store(self, "consolidation_seconds", consolidation)
        if not isinstance(self.name, str):
            raise InstanceError("name", "must be a string", shown(self.name))
        names = _check_names([job.name for job in self.jobs], "jobs[{}].name")
        store(self, "_index", FrozenDict({name: j for j, name in enumerate(names)}))
        known = set(self.cluster.accelerators)
        for j, job in enumerate(self.jobs):
            for r in job.throughput:
                if r not in known:
                    rule = unknown_accelerator(r, sorted(known))
                    raise InstanceError(f"jobs[{j}].throughput.{r}", rule)

    def __reduce__(self) -> tuple[object, ...]:
        return Instance, (
            self.cluster,
            self.jobs,
            self.num_rounds,
            self.round_seconds,
            self.parallelism,
            self.consolidation_seconds,
            self.name,
        )

    def with_parallelism(self, parallelism: Parallelism) -> Instance:
        """Return the same instance under another parallelism model."""
        return replace(self, parallelism=parallelism)

    def index(self, name: str) -> int:
        """Return the index of the job called ``name`` (KeyError if there is none)."""
        return self._index[name]

    @cached_property
    def throughput(self) -> tuple[tuple[Fraction, ...], ...]:
        """X[j, r], shape (J, R): iterations per second of the whole gang. Equal rows are one."""
        zero = Fraction(0)
        types = self.cluster.accelerators
        known: dict[tuple[Fraction, ...], tuple[Fraction, ...]] = {}
        rows = (tuple(job.throughput.get(r, zero) for r in types) for job in self.jobs)
        return tuple(known.setdefault(row, row) for row in rows)

    def check_size(self) -> None:
        """Check, before any is made, that tables over rounds and types are of a possible size.

        Raises
        ------
        LimitError
            If there are more than `MAX_CELLS` rounds times types.
        """
        types = max(1, len(self.cluster.accelerators))
        if self.num_rounds * types > MAX_CELLS:
            raise LimitError(
                f"num_rounds = {self.num_rounds}, times {types} accelerators: must be <= "
                f"{MAX_CELLS} for tables over rounds and types"
            )

    def max_copies(self, j: int) -> int:
        """Return the most copies of job j at a time (1 unless ``forked``)."""
        if self.parallelism != "forked":
            return 1
        copies = self.jobs[j].max_copies
        nodes = len(self.cluster.nodes)
        return nodes if copies is None else min(copies, nodes)

    def progress(self, j: int, *, spread: bool = False, copies: bool = False) -> tuple[int, ...]:
        """Return the iterations of one round when type r is the slowest type used, shape (R,).

        floor(X_jr * tau) for a gang inside one node, floor(X_jr * rho_j * tau) if it spans nodes
        (``spread``), floor(X_jr * max(0, tau - consolidation_seconds)) for each copy of a round
        with two or more copies (``copies``). Exact; 0 where the job cannot run.
        """
        mode = 1 if spread else 2 if copies else 0
        key = (self._speeds_index[j], self.jobs[j].spread_factor if spread else 1, mode)
        if key not in self._progress:
            factor = self.round_seconds
            if spread:
                factor = factor * self.jobs[j].spread_factor
            elif copies:
                factor = max(Fraction(0), factor - self.consolidation_seconds)
            self._progress[key] = tuple(math.floor(x * factor) for x in self.throughput[j])
        return self._progress[key]

    @cached_property
    def _progress(self) -> dict[tuple[int, Fraction | int, int], tuple[int, ...]]:
        """What `progress` has computed, shared by jobs of equal throughput."""
        return {}

    @cached_property
    def _speeds_index(self) -> tuple[int, ...]:
        """Number of the distinct throughput row of each job."""
        rows: dict[tuple[Fraction, ...], int] = {}
        return tuple(rows.setdefault(row, len(rows)) for row in self.throughput)

    def admitted(self, j: int, r: int) -> tuple[int, ...]:
        """Return the types admitted at the level of type r: A_jr = {q : X_jq >= X_jr > 0}."""
        speeds = self.throughput[j]
        return tuple(q for q, x in enumerate(speeds) if x >= speeds[r] > 0)

    def value(self, j: int, completion: int) -> Fraction:
        """Return U_j(completion - a_j + 1), the value of completing in that round."""
        job = self.jobs[j]
        flow_time = completion - job.release + 1
        return job.utility.value(flow_time, job.iterations, self.round_seconds)

    def utility_values(self, j: int) -> tuple[Fraction, ...]:
        """Return U_j for completion in the rounds a_j .. T-1 (empty if a_j >= T)."""
        return tuple(self.value(j, f) for f in range(self.jobs[j].release, self.num_rounds))

    @cached_property
    def value_unit(self) -> Fraction:
        """The largest number of which every schedule's value is a multiple (1 if all are 0).

        The rational gcd of the utilities: gcd of the numerators over lcm of the denominators.
        """
        values = {
            value
            for j in range(len(self.jobs))
            if self.unschedulable(j) is None
            for value in self.utility_values(j)
        }
        return Fraction(
            math.gcd(*(value.numerator for value in values)) or 1,
            math.lcm(*(value.denominator for value in values)),
        )

    def round_down(self, bound: Fraction, *, quick: bool = False) -> Fraction:
        """Return the largest multiple of `value_unit` that is at most ``bound``.

        Parameters
        ----------
        bound : Fraction
        quick : bool
            Return ``bound`` itself where there are more than `LATTICE_CELLS` jobs x rounds: to
            list their values takes long.
        """
        if quick and len(self.jobs) * self.num_rounds > LATTICE_CELLS:
            return bound
        return bound // self.value_unit * self.value_unit

    def unschedulable(self, j: int) -> str | None:
        """Return why job j can never complete, in words, or None if nothing obvious forbids it."""
        job = self.jobs[j]
        if job.release >= self.num_rounds:
            return f"release {job.release} is not before the horizon of {self.num_rounds} rounds"
        if not job.throughput:
            return "its throughput is zero on every type"
        counts = self.cluster.pooled_capacity
        usable = [counts[r] if x > 0 else 0 for r, x in enumerate(self.throughput[j])]
        most = max(usable, default=0) if self.parallelism == "single_type" else sum(usable)
        if job.gang_size > most:
            return f"its gang of {job.gang_size} exceeds the {most} GPUs that it could hold at once"
        return None


def check_instance(given: object) -> None:
    """Check an argument that must be an instance.

    Raises
    ------
    TypeError
        If it is none; the message says how one is made.
    """
    hint = "read one with hadaropt.read_instance, or Workload.to_instance makes one"
    check_type("instance", given, Instance, hint)
