"""What the solvers and the online algorithms return: objective, bound and gap travel together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from hadaropt.exact import to_fraction
from hadaropt.frozen import Value, freeze_fields
from hadaropt.schedule import Schedule
from hadaropt.theory import Statement, theorems

Pool = Literal["type", "node"]
Grade = Literal["proved", "solver_optimal", "feasible", "bound", "none"]
"""``proved``: an exact bound equals the exact value. ``solver_optimal``: the solver says optimal
at gap 0 and the value was recomputed exactly. ``feasible``: a checked schedule with a bound.
``bound``: a bound without a schedule. ``none``: neither."""


@dataclass(frozen=True, eq=False)
class Prices(Value):
    """Prices of GPUs per round: k[t, r] (``pool="type"``) or k[t, h, r] (``pool="node"``).

    `price` gives one of them and `exact` all, as exact Fractions.

    Attributes
    ----------
    units : ndarray of int64
        Shape (T, R) or (T, H, R), >= 0; a read-only copy of what is given: how prices are stored.
    scale : Fraction
        The price of a GPU is ``units / scale``, exactly.
    pool : {"type", "node"}
    """

    units: NDArray[np.int64]
    scale: Fraction
    pool: Pool = "type"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", to_fraction(self.scale, "scale"))
        freeze_fields(self)

    def price(self, *place: int) -> Fraction:
        """Return the exact price at (t, r) or (t, h, r)."""
        return int(self.units[place]) / self.scale

    def exact(self) -> dict[tuple[int, ...], Fraction]:
        """Return every price by its place, (t, r) or (t, h, r), in order of the places."""
        return {place: self.price(*place) for place in product(*map(range, self.units.shape))}


@dataclass(frozen=True)
class Timings:
    """Seconds spent assembling the model, solving it, and extracting the answer."""

    assemble: float = 0.0
    solve: float = 0.0
    extract: float = 0.0


@dataclass(frozen=True, eq=False)
class SolverFacts(Value):
    """Which solver ran, and how."""

    name: str
    version: str
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze_fields(self)


@dataclass(frozen=True, eq=False)
class SolveResult(Value):
    """The answer of an offline solver.

    Attributes
    ----------
    method : str
        ``ilp``, ``lp``, ``dual``, ...
    termination : str
        Why it stopped: ``optimal``, ``time_limit``, ``interrupted``, ...
    primal : str
        ``feasible`` (there is a schedule, or an LP point) or ``none``.
    raw_status : str
        The solver's own words.
    objective : Fraction or float
        Exact value of the schedule; the LP's value as a float; nan without either.
    bound : Fraction or float
        Upper bound on the optimum: exact (Fraction) where proved, else the solver's float.
    grade : Grade
    schedule : Schedule or None
    prices : Prices or None
        Non-negative prices of GPUs, from the duals of the capacity rows.
    tree : mapping or None
        The branching tree with exact prices at its leaves, as it stands in an L2 certificate.
    history : tuple of (seconds, value or None, bound or None)
        The best schedule and the best bound known from that moment on, where it was recorded.
    """

    method: str
    termination: str
    primal: str
    raw_status: str
    objective: Fraction | float
    bound: Fraction | float
    grade: Grade
    schedule: Schedule | None = None
    prices: Prices | None = None
    timings: Timings = Timings()
    solver: SolverFacts | None = None
    nodes: int = 0
    tree: Mapping[str, object] | None = None
    history: tuple[tuple[float, Fraction | None, Fraction | None], ...] = ()

    def __post_init__(self) -> None:
        freeze_fields(self)

    @property
    def gap(self) -> float:
        """(bound - objective) / max(1, |objective|), rounded up; inf without an objective.

        0 only if the bound does not exceed the objective, exactly.
        """
        return relative_gap(self.bound, self.objective)


VACUOUS = 1000
"""A guarantee of more than so many times the value collected says nothing worth knowing."""


@dataclass(frozen=True, eq=False)
class Theorem(Value):
    """A theorem whose hypotheses were checked on this very instance: OPT <= constant P + additive.

    P is the value that the algorithm collected.

    Attributes
    ----------
    id : str
        Such as ``T7``; a key of `hadaropt.theorems`.
    constant : Fraction
        The multiplicative guarantee, >= 1.
    additive : Fraction
        Sum of c k(0) over the resources, and of what inexact pricing may have missed.
    foreknowledge : tuple of str
        What the algorithm was told about the future.
    closed_form : float or None
        The constant of the formula before the table was rounded, for comparison; None where the
        price function states none.
    spread : float
        U/L: the most value of a GPU over the least.
    """

    id: str
    constant: Fraction
    additive: Fraction
    foreknowledge: tuple[str, ...]
    closed_form: float | None
    spread: float = math.inf

    def __post_init__(self) -> None:
        freeze_fields(self)

    @property
    def statement(self) -> Statement:
        """What the theorem says, its hypotheses, and where the proof is."""
        return theorems[self.id]

    @property
    def vacuous(self) -> bool:
        """Whether the constant says nothing: above U/L, or above `VACUOUS`."""
        return self.constant > min(VACUOUS, self.spread)


@dataclass(frozen=True, eq=False)
class OnlineRun(Value):
    """The outcome of an online algorithm on an instance.

    Attributes
    ----------
    policy : str
    schedule : Schedule
    completion : tuple of (int or None)
    primal : Fraction
        P: the value collected.
    payoffs : tuple of Fraction
        Payoff of each job at its arrival (0 if rejected).
    prices : Prices or None
        Final prices; None for policies without prices.
    dual : Fraction
        D(k): a proven upper bound on the optimum, from the final prices by weak duality
        (the payoffs are recomputed over all schedules, fitting or not).
    online_dual : Fraction or None
        D_alg: payoffs at arrival + sum c k. An upper bound only if the dual is feasible.
    dual_feasible : bool or None
        Whether the payoffs at arrival and the final prices are dual-feasible, exactly.
    theorem : Theorem or None
        The guarantee whose hypotheses were checked, or None.
    theorem_absent : str
        Why there is no theorem, in words ("" if there is one).
    """

    policy: str
    schedule: Schedule
    completion: tuple[int | None, ...]
    primal: Fraction
    payoffs: tuple[Fraction, ...]
    prices: Prices | None
    dual: Fraction
    online_dual: Fraction | None
    dual_feasible: bool | None
    theorem: Theorem | None
    theorem_absent: str = ""
    foreknowledge: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        freeze_fields(self)

    @property
    def certified_ratio(self) -> float:
        """D(k)/P: 1 when both are 0, inf when only P is 0."""
        return ratio(self.dual, self.primal)


def best_known(error: BaseException) -> SolveResult | None:
    """Return the best answer that was known when an error ended a solve; None without one."""
    return cast("SolveResult | None", getattr(error, "best_known", None))


def relative_gap(bound: Fraction | float, value: Fraction | float) -> float:
    """Return max(0, bound - value) / max(1, |value|), computed exactly and rounded up.

    inf if either is not a finite number, or beyond the floats.
    """
    if not all(isinstance(x, Fraction | int) or math.isfinite(x) for x in (bound, value)):
        return 0.0 if bound == value else math.inf
    low, high = Fraction(value), Fraction(bound)
    exact = max(Fraction(0), high - low) / max(Fraction(1), abs(low))
    try:
        found = float(exact)
    except OverflowError:
        return math.inf
    return found if found >= exact else math.nextafter(found, math.inf)


def ratio(bound: Fraction | float, value: Fraction | float) -> float:
    """Return bound / value for reporting: 1 when both are 0, inf when only ``value`` is 0."""
    if value == 0:
        return 1.0 if bound == 0 else math.inf
    try:
        return float(bound / value)
    except OverflowError:
        return math.inf
