"""Policies that are told wrong iterations: they plan on what is declared, the truth is played.

While a job runs, its true length is not known; that it completes is seen at the end of the round.

- Shorter than declared: the job completes when its true iterations are done. The rest of its plan
  is free for every job that arrives in a later round, and the prices of that rest fall again.
- Longer than declared: the plan ends, the job is not complete and earns nothing. A policy that
  commits at arrival leaves it; one that revises plans it again, with one iteration left to do at
  least.

Values are those of the true completion. The declared instance has declared values: those of
`EffectiveThroughput` are counted in iterations, and are as wrong as these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hadaropt.errors import InstanceError, shown
from hadaropt.exact import Exact, to_fraction
from hadaropt.instance import Instance
from hadaropt.online.arrivals import commit_arrivals
from hadaropt.online.foreknowledge import price_scale
from hadaropt.online.heuristics import commit_each, greedy_density, random_choice
from hadaropt.online.primal_dual import commit_one_by_one
from hadaropt.online.quotation import quote
from hadaropt.policies import (
    ArrivalPolicy,
    Fifo,
    GreedyDensity,
    Policy,
    PrimalDual,
    Random,
    RollingHorizon,
)
from hadaropt.results import Prices
from hadaropt.schedule import Schedule, trim_schedule

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Misinformed(Policy):
    """A policy that is told wrong iterations of every job.

    Parameters
    ----------
    inner : Policy
    iterations : number or "unknown"
        Factor > 0 on the iterations of every job; or nothing is known of them: see `declare`.
    """

    inner: Policy
    iterations: Exact = UNKNOWN

    def __post_init__(self) -> None:
        object.__setattr__(self, "iterations", check_iterations(self.iterations))

    @property
    def revises(self) -> bool:  # type: ignore[override]
        """Whether the policy revises its plans."""
        return self.inner.revises

    @property
    def name(self) -> str:
        """Name for tables."""
        unknown = self.iterations == UNKNOWN
        wrong = f"iterations={UNKNOWN}" if unknown else f"iterations*{self.iterations}"
        name = self.inner.name
        return f"{name[:-1]},{wrong}]" if name.endswith("]") else f"{name}[{wrong}]"


def declare(instance: Instance, iterations: Exact) -> Instance:
    """Return the instance as it is declared: Q_j wrong, all else right.

    A factor f declares ceil(f Q_j). ``unknown`` declares every job to need the mean, over the jobs
    that can run, of the seconds that a job needs on its fastest type: the duration of a job is not
    known, only the mean of all.

    Raises
    ------
    InstanceError
        If the factor is not > 0, or what it declares is out of range.
    """
    fastest = [max(row, default=Fraction(0)) for row in instance.throughput]
    told = declared_iterations([job.iterations for job in instance.jobs], fastest, iterations)
    jobs = (replace(job, iterations=q) for job, q in zip(instance.jobs, told, strict=True))
    return replace(instance, jobs=tuple(jobs))


def declared_iterations(
    true: Sequence[int], fastest: Sequence[Fraction], iterations: Exact
) -> list[int]:
    """Return what is declared for jobs of these iterations and speeds on their fastest types."""
    how = check_iterations(iterations)
    if isinstance(how, Fraction):
        return [math.ceil(how * q) for q in true]
    alone = [q / x for q, x in zip(true, fastest, strict=True) if x]
    mean = sum(alone, Fraction(0)) / max(1, len(alone))
    return [math.ceil(mean * x) if x else q for q, x in zip(true, fastest, strict=True)]


def play(
    instance: Instance, policy: Misinformed
) -> tuple[Schedule, tuple[Fraction, ...], Prices | None]:
    """Return what is executed, the payoffs that were expected, and the final prices if any.

    Parameters
    ----------
    instance : Instance
        The true one.
    policy : Misinformed

    Raises
    ------
    InstanceError
        If the policy is none that can be misinformed.
    """
    told, inner = declare(instance, policy.iterations), policy.inner
    nothing = (Fraction(0),) * len(instance.jobs)
    if isinstance(inner, ArrivalPolicy):
        return trim_schedule(instance, commit_arrivals(told, inner, instance)), nothing, None
    if isinstance(inner, RollingHorizon):
        from hadaropt.online.rolling_horizon import rolling_horizon  # loads the solver

        return rolling_horizon(told, inner.time_limit, instance), nothing, None
    if isinstance(inner, PrimalDual):
        quoted = quote(told, inner)
        decided = commit_one_by_one(
            told, quoted.tables, quoted.pool, quoted.told.scale, truth=instance
        )
        return trim_schedule(instance, decided.schedule), decided.payoffs, decided.prices
    if isinstance(inner, Fifo):
        decided = commit_one_by_one(told, None, "type", price_scale(told), truth=instance)
    elif isinstance(inner, GreedyDensity | Random):
        choose = random_choice(inner.seed) if isinstance(inner, Random) else greedy_density
        decided = commit_each(told, choose, instance)
    else:
        raise InstanceError("policy", "must be a policy of hadaropt.policies", shown(inner))
    return trim_schedule(instance, decided.schedule), nothing, None


def check_iterations(value: Exact) -> Fraction | str:
    """Return the factor > 0, or ``unknown``.

    Raises
    ------
    InstanceError
        If it is neither.
    """
    if value == UNKNOWN:
        return UNKNOWN
    factor = to_fraction(value, "iterations")
    if factor <= 0:
        raise InstanceError("iterations", f"must be > 0 or {UNKNOWN}", str(factor))
    return factor
