"""What the adversary may play: small instances within declared limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from hadaropt.instance import Cluster, Instance, Job, Parallelism
from hadaropt.modes import is_pooled
from hadaropt.online.foreknowledge import Foreknowledge, compute_foreknowledge
from hadaropt.policies import Policy, PrimalDual
from hadaropt.utility import Step

TYPES = ("A", "B")
UNIT = 10
"""Values are multiples of 1/UNIT."""


@dataclass(frozen=True)
class Limits:
    """The class of instances that is searched, and what the prices are told of it.

    Densities lie in [1, spread], per resource and over whole schedules as in the foreknowledge;
    the prices are told U = ``spread``, L = 1 and m = ``gang`` of every resource, so that the lower
    bounds of theorems T9 to T12 hold for every deterministic policy on the class.

    Attributes
    ----------
    jobs, rounds : int
        At most so many.
    gpus : int
        GPUs of each type on each node.
    gang : int
        Largest gang.
    spread : int
        U/L.
    nodes, types : int
        At most so many; two types at most.
    parallelism : {"single_type", "mixed", "forked"}
    """

    jobs: int = 10
    rounds: int = 2
    gpus: int = 4
    gang: int = 4
    spread: int = 100
    nodes: int = 1
    types: int = 1
    parallelism: Parallelism = "mixed"

    def __post_init__(self) -> None:
        least = {"spread": 2}
        for name in ("jobs", "rounds", "gpus", "gang", "spread", "nodes", "types"):
            value = getattr(self, name)
            if value < least.get(name, 1):
                raise ValueError(f"{name} = {value}, must be >= {least.get(name, 1)}")
        if self.types > len(TYPES):
            raise ValueError(f"types = {self.types}, must be <= {len(TYPES)}")


@dataclass(frozen=True)
class Offer:
    """One job: its gang makes ``gang * speeds[r]`` iterations a round on type r.

    Attributes
    ----------
    release, gang : int
    work : int
        Iterations over the gang.
    speeds : tuple of int
        Per type; 0: it cannot run there.
    value : int
        What it is worth by its deadline, in 1/UNIT.
    deadline : int
        Last flow time at which it is worth anything.
    """

    release: int
    gang: int
    work: int
    speeds: tuple[int, ...]
    value: int
    deadline: int


@dataclass(frozen=True)
class Play:
    """A candidate: GPUs per node and type, rounds, and jobs in order of the file."""

    gpus: tuple[tuple[int, ...], ...]
    rounds: int
    offers: tuple[Offer, ...]

    def instance(self, parallelism: Parallelism, name: str = "") -> Instance:
        """Return the play as an instance."""
        types = TYPES[: len(self.gpus[0])]
        cluster = Cluster.of(
            {f"n{h}": dict(zip(types, row, strict=True)) for h, row in enumerate(self.gpus)}
        )
        jobs = tuple(
            Job(
                f"j{i}",
                offer.release,
                offer.gang,
                offer.gang * offer.work,
                {
                    r: Fraction(offer.gang * s)
                    for r, s in zip(types, offer.speeds, strict=True)
                    if s
                },
                Step(Fraction(offer.value, UNIT), offer.deadline),
            )
            for i, offer in enumerate(self.offers)
        )
        return Instance(cluster, jobs, self.rounds, Fraction(1), parallelism, name=name)


def truth(instance: Instance) -> Foreknowledge:
    """Return the true U, L and m, for prices as a policy would pool them."""
    return compute_foreknowledge(instance, "type" if is_pooled(instance) else "node")


def belongs(instance: Instance, limits: Limits) -> bool:
    """Whether every job is worth something and the densities are within the limits."""
    if any(instance.unschedulable(j) is not None for j in range(len(instance.jobs))):
        return False
    known = truth(instance)
    return (
        known.least_density >= 1
        and max(known.value_per_unit.values(), default=Fraction(0)) <= limits.spread
    )


def told(instance: Instance, policy: Policy, *, gang: int, spread: int) -> Policy:
    """Return the policy with the class as its foreknowledge; others have none."""
    if not isinstance(policy, PrimalDual):
        return policy
    known = truth(instance)
    declared = replace(
        known,
        value_per_unit=dict.fromkeys(known.value_per_unit, Fraction(spread)),
        bundle={
            place: max(min(gang, known.capacity[place]), least)
            for place, least in known.bundle.items()
        },
        least_density=Fraction(1),
        origin=f"declared: U = {spread}, L = 1, m = {gang}",
    )
    widest = max(declared.bundle.values(), default=1)
    return replace(policy, foreknowledge=replace(declared, widest=widest))
