"""One cell: a policy on an instance, checked and certified, as a row of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from hadaropt.bench.ratio.contestants import run_contestant
from hadaropt.bench.ratio.reference import Reference
from hadaropt.certificates import certify, verify
from hadaropt.errors import InvariantError
from hadaropt.instance import Instance
from hadaropt.policies import Policy
from hadaropt.results import VACUOUS, OnlineRun, ratio


@dataclass(frozen=True)
class Cell:
    """The result of one policy on one instance.

    Attributes
    ----------
    family, parallelism, policy : str
    seed : int
    jobs, rounds : int
    instance_sha256 : str
    primal : Fraction
        P, exact.
    best, bound : Fraction
        Best schedule known and proven bound: equal when the optimum is proved.
    dual : Fraction
        Verified D(k) >= OPT, from the policy's own final prices (from the reference's prices for
        policies without prices).
    theorem : str
        Id, or "" where no theorem holds.
    guarantee : float
        (constant P + additive) / P: proven a priori; inf without a theorem.
    vacuous : bool
        Whether the guarantee is above the spread U/L of densities, or above 1000.
    seconds : float
        Time of the run itself.
    """

    family: str
    seed: int
    parallelism: str
    policy: str
    jobs: int
    rounds: int
    instance_sha256: str
    primal: Fraction
    best: Fraction
    bound: Fraction
    dual: Fraction
    theorem: str
    guarantee: float
    vacuous: bool
    seconds: float

    @property
    def closed(self) -> bool:
        """Whether the reference is a proved optimum."""
        return self.best == self.bound

    @property
    def ratio_low(self) -> float:
        """Best known / P: the ratio against OPT when the optimum is proved."""
        return ratio(self.best, self.primal)

    @property
    def ratio_high(self) -> float:
        """Bound / P."""
        return ratio(self.bound, self.primal)

    @property
    def certified(self) -> float:
        """D / P."""
        return ratio(self.dual, self.primal)


def run_cell(
    instance: Instance, sha: str, family: str, seed: int, policy: Policy, reference: Reference
) -> tuple[Cell, OnlineRun]:
    """Run a policy, verify its certificate and check it against the reference.

    Raises
    ------
    InvariantError
        If the policy is above the proven bound, or its certificate below a feasible value.
    """
    run = run_contestant(instance, policy)
    source = run if run.prices is not None else reference.prices
    verified = verify(instance, certify(instance, source, schedule=run.schedule))
    dual = run.bound if verified.bound is None else verified.bound
    if run.value > reference.bound:
        raise InvariantError(
            f"{policy.name} is worth {run.value}, above the proven bound {reference.bound}"
        )
    if dual < reference.value:
        raise InvariantError(
            f"{policy.name} certifies {dual}, below the feasible value {reference.value}"
        )
    guarantee, vacuous = _guarantee(run)
    return Cell(
        family,
        seed,
        instance.parallelism,
        policy.name,
        len(instance.jobs),
        instance.num_rounds,
        sha,
        run.value,
        reference.value,
        reference.bound,
        dual,
        "" if run.theorem is None else run.theorem.id,
        guarantee,
        vacuous,
        run.seconds,
    ), run


def settle(cells: list[Cell]) -> list[Cell]:
    """Return the cells of one instance with the best value and the best bound of them all."""
    best = max(cell.best for cell in cells)
    best = max([best, *(cell.primal for cell in cells)])
    bound = min([*(cell.bound for cell in cells), *(cell.dual for cell in cells)])
    if bound < best:
        raise InvariantError(f"a certificate proves {bound}, below the feasible value {best}")
    return [replace(cell, best=best, bound=bound) for cell in cells]


def _guarantee(run: OnlineRun) -> tuple[float, bool]:
    if run.theorem is None:
        return float("inf"), False
    promised = ratio(run.theorem.constant * run.value + run.theorem.additive, run.value)
    return promised, promised > min(VACUOUS, run.theorem.spread)
