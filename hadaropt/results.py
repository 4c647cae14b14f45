"""What the solvers and the online algorithms return: value, bound, gap, status, schedule, proof."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from hadaropt.display import Display, Lines, completed, per_cent
from hadaropt.errors import one_of, shown
from hadaropt.exact import to_fraction
from hadaropt.figures import at_most, counted, decimal, number
from hadaropt.frozen import Value, freeze_fields
from hadaropt.instance import Cluster, Instance
from hadaropt.renamed import Renamed, missing_name
from hadaropt.rows import Row, to_frame
from hadaropt.schedule import Schedule
from hadaropt.theory import CASES_OF_T4, Statement, theorems

Pool = Literal["type", "node"]


class _Word(StrEnum):
    """One of a few words; an unknown one is answered with the nearest."""

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        rule = one_of(str(value), [word.value for word in cls])
        raise ValueError(f"{cls.__name__.lower()} = {shown(value)}, {rule}")


class Status(_Word):
    """What is known of a value and a bound. Where there is neither, the status is None."""

    PROVED = "proved"
    """The exact bound equals the exact value."""
    SOLVER_OPTIMAL = "solver_optimal"
    """The solver says optimal at gap 0, and the value was recomputed exactly."""
    FEASIBLE = "feasible"
    """A checked schedule."""
    BOUND = "bound"
    """A bound without a schedule."""


class Termination(_Word):
    """Why a solve ended."""

    OPTIMAL = "optimal"
    """Nothing better exists: the optimum is found, or the relaxation is solved."""
    TARGET_GAP = "target_gap"
    """The relative gap that was asked for is reached."""
    TARGET = "target"
    """The bound that was asked for is reached."""
    TOLERANCE = "tolerance"
    """The solver cannot tell what it has from anything better: its tolerance is too wide."""
    TIME_LIMIT = "time_limit"
    WORK_LIMIT = "work_limit"
    SEARCH_LIMIT = "search_limit"
    """A large instance and no limit: the search ended after its own number of steps."""
    LIMIT = "limit"
    """A limit of the solver's own, of nodes or iterations."""
    STOPPED = "stopped"
    """The callback said so."""
    INTERRUPTED = "interrupted"
    """Ctrl-C."""
    TOO_LARGE = "too_large"
    """The tables of the method cannot hold the instance."""
    SOLVER_ERROR = "solver_error"
    """The LP solver failed on the way; what was proved before holds."""
    FAILED = "failed"
    """An error ended the solve; it carries this answer."""
    DEFECT = "defect"
    """An error that nobody foresaw ended the solve; it carries this answer."""


@dataclass(frozen=True, eq=False)
class Prices(Value):
    """Prices of GPUs per round: k[t, r] (``pool="type"``) or k[t, h, r] (``pool="node"``).

    ``prices[t, "V100"]`` (with nodes: ``prices[t, "n0", "V100"]``) is one of them, and `exact`
    gives all, as exact Fractions.

    Attributes
    ----------
    units : ndarray of int64
        Shape (T, R) or (T, H, R), >= 0; a read-only copy of what is given: how prices are stored.
    scale : Fraction
        The price of a GPU is ``units / scale``, exactly.
    pool : {"type", "node"}
    types, nodes : tuple of str
        Names of the accelerator types and of the nodes, where they are known; not compared.
    """

    units: NDArray[np.int64]
    scale: Fraction
    pool: Pool = "type"
    types: tuple[str, ...] = field(default=(), compare=False)
    nodes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", to_fraction(self.scale, "scale"))
        freeze_fields(self)

    def named(self, cluster: Cluster) -> Prices:
        """Return the prices with the names of the types and nodes of a cluster."""
        return replace(self, types=cluster.accelerators, nodes=cluster.nodes)

    def price(self, *place: int | str) -> Fraction:
        """Return the exact price at (t, r) or (t, h, r), by index or by name.

        Raises
        ------
        KeyError
            If a name is unknown; the nearest is given.
        IndexError
            If the place has too few or too many parts, or lies outside.
        """
        if len(place) != self.units.ndim:
            parts = "round, type" if self.pool == "type" else "round, node, type"
            raise IndexError(f"prices{list(place)}, must be prices[{parts}]")
        names = ((), self.types) if len(place) == 2 else ((), self.nodes, self.types)
        index = tuple(
            _index_of(part, known) if isinstance(part, str) else part
            for part, known in zip(place, names, strict=True)
        )
        return int(self.units[index]) / self.scale

    def __getitem__(self, place: tuple[int | str, ...]) -> Fraction:
        return self.price(*place) if isinstance(place, tuple) else self.price(place)

    def __str__(self) -> str:
        """Say in a line how many prices there are, and which of them is the largest."""
        text = f"prices by {self.pool}, {' x '.join(map(str, self.units.shape))}"
        if not self.units.size or not self.units.any():
            return f"{text}: all 0"
        rest = int(self.units.argmax())
        place: tuple[int, ...] = ()
        for size in reversed(self.units.shape):
            rest, i = divmod(rest, size)
            place = (i, *place)
        where = [str(_named(place[-1], self.types)), f"round {place[0]}"]
        if len(place) == 3:
            where.insert(1, str(_named(place[1], self.nodes)))
        above = int((self.units > 0).sum())
        largest = number(self.price(*place))
        return f"{text}: {above} above 0, the largest {largest} ({', '.join(where)})"

    def to_rows(self) -> list[Row]:
        """Return a row for each price: ``round``, ``node`` (with nodes), ``type``, ``price``.

        Types and nodes are named where their names are known, and numbered elsewhere.
        """
        return [
            {
                "round": place[0],
                "node": None if len(place) == 2 else _named(place[1], self.nodes),
                "type": _named(place[-1], self.types),
                "price": price,
            }
            for place, price in self.exact().items()
        ]

    def to_frame(self) -> Any:
        """Return the rows as a data frame of polars, or else of pandas, prices as floats."""
        return to_frame(self.to_rows(), ("round", "node", "type", "price"))

    def exact(self) -> dict[tuple[int, ...], Fraction]:
        """Return every price by its place, (t, r) or (t, h, r), in order of the places."""
        return {place: self.price(*place) for place in product(*map(range, self.units.shape))}


def _index_of(name: str, known: tuple[str, ...]) -> int:
    if name in known:
        return known.index(name)
    rule = one_of(name, known) if known else "must be an index: these prices know no names"
    raise KeyError(f"{shown(name)}, {rule}")


def _named(index: int, names: tuple[str, ...]) -> int | str:
    return names[index] if names else index


@dataclass(frozen=True)
class Timings:
    """Seconds spent assembling the model, solving it, and extracting the answer.

    Attributes
    ----------
    assemble, solve, extract : float
    compile : float or None
        Spent on compiling kernels, which uses up no time limit; None where it was not measured.
    """

    assemble: float = 0.0
    solve: float = 0.0
    extract: float = 0.0
    compile: float | None = None


@dataclass(frozen=True, eq=False)
class SolverFacts(Value):
    """Which solver ran, and how."""

    name: str
    version: str
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze_fields(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(Value, Display, Renamed):
    """The answer of an offline solver. What does not exist is None.

    Attributes
    ----------
    method : str
        ``auto``, ``ilp``, ``lp``, ``dual``, ...
    termination : Termination
        Why it stopped.
    status : Status or None
        What is known; None where there is neither a schedule nor a bound.
    value : Fraction or None
        Exact value of the schedule; None without one.
    bound : Fraction, float or None
        Upper bound on the optimum: exact (Fraction) where it is proved, else the solver's float.
    schedule : Schedule or None
    prices : Prices or None
        Non-negative prices of GPUs, from the duals of the capacity rows.
    branching_tree : mapping or None
        The branching tree with exact prices at its leaves, as it stands in an L2 certificate.
    relaxation_value : float or None
        What the solver says that the LP is worth, of the methods that solve one (``lp``, ``dual``,
        ``configuration_lp``). It proves nothing; ``bound`` is the exact bound at its prices.
    raw_status : str
        The solver's own words.
    history : tuple of (seconds, value or None, bound or None)
        The best schedule and the best bound known from that moment on, where it was recorded.
    instance : Instance or None
        What was solved; not compared.
    """

    method: str
    termination: Termination
    status: Status | None = None
    value: Fraction | None = None
    bound: Fraction | float | None = None
    schedule: Schedule | None = None
    prices: Prices | None = None
    branching_tree: Mapping[str, object] | None = None
    relaxation_value: float | None = None
    raw_status: str = ""
    timings: Timings = Timings()
    solver: SolverFacts | None = None
    nodes: int = 0
    history: tuple[tuple[float, Fraction | None, Fraction | None], ...] = ()
    instance: Instance | None = field(default=None, compare=False, repr=False)

    _renamed: ClassVar[Mapping[str, str]] = {
        "objective": "value (of an LP: relaxation_value)",
        "grade": "status",
        "primal": "schedule, which is None where there is none",
        "tree": "branching_tree",
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "termination", Termination(self.termination))
        if self.status is not None:
            object.__setattr__(self, "status", Status(self.status))
        freeze_fields(self)

    @property
    def gap(self) -> float | None:
        """(bound - value) / max(1, abs(value)), rounded up; None where one of the two is missing.

        0 only if the bound does not exceed the value, exactly.
        """
        return gap_between(self.bound, self.value)

    @property
    def proof(self) -> Mapping[str, object] | Prices | None:
        """What proves the bound: the branching tree, or prices; None for a solver's own word."""
        if not isinstance(self.bound, Fraction):
            return None
        return self.prices if self.branching_tree is None else self.branching_tree

    def price_rows(self) -> list[Row]:
        """Return a row for each price; none where the answer has no prices."""
        return [] if self.prices is None else self.prices.to_rows()

    def lines(self) -> Lines:
        """Return (label, text) for people."""
        lines = [
            ("method", self.method),
            ("status", self.status or "none"),
            ("termination", self.termination),
            ("value", number(self.value)),
        ]
        if self.relaxation_value is not None:
            lines.append(("relaxation", f"{number(self.relaxation_value)}, as the solver says"))
        return [
            *lines,
            ("bound", number(self.bound, up=True)),
            ("gap", per_cent(self.gap)),
            ("proof", self._proof_in_words()),
            ("jobs", completed(self.instance, self.schedule)),
            ("seconds", _seconds(self.timings)),
        ]

    def _proof_in_words(self) -> str:
        if self.proof is None:
            return "none" if self.bound is None else "none: the bound is the solver's word"
        if isinstance(self.proof, Prices):
            return f"prices by {self.proof.pool}"
        return f"branching tree, {counted(self.nodes, 'node')}"


VACUOUS = 1000
"""A guarantee of more than so many times the value collected says nothing worth knowing."""


FORETOLD = ("U", "L", "m", "k")
"""What an algorithm may be told about the future: U, L and m, the ranges of `Foreknowledge`, for
prices; k, the most rounds that a job takes, for a scheduler that plans anew."""


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
        What the algorithm was told about the future, of `FORETOLD`.
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
    def stated_by(self) -> str:
        """Id of the theorem that states `constant`.

        T4, on the exact tables, where `id` is a case of it whose formula differs by more than a
        millionth from the constant; else `id` itself.
        """
        if self.id not in CASES_OF_T4:
            return self.id
        formula = self.closed_form
        if formula is None or not math.isfinite(formula):
            return "T4"
        near = abs(self.constant - Fraction(formula)) <= self.constant / 10**6
        return self.id if near else "T4"

    @property
    def vacuous(self) -> bool:
        """Whether the constant says nothing: above U/L, or above `VACUOUS`."""
        return self.constant > min(VACUOUS, self.spread)


class CertifiedRun:
    """What follows from the exact value of a run and an exact bound on the optimum."""

    value: Fraction
    bound: Fraction

    @property
    def status(self) -> Status:
        """``proved`` where the bound equals the value, else ``feasible``."""
        return Status.PROVED if self.bound == self.value else Status.FEASIBLE

    @property
    def gap(self) -> float:
        """(bound - value) / max(1, value), rounded up."""
        return relative_gap(self.bound, self.value)

    @property
    def certified_ratio(self) -> float:
        """Bound / value: 1 when both are 0, inf when only the value is 0."""
        return ratio(self.bound, self.value)


@dataclass(frozen=True, eq=False)
class PostedPrices(Value):
    """What an online algorithm charges, by how much of a resource is sold, in units of 1/scale.

    Attributes
    ----------
    scale : Fraction
    tables : mapping
        Resource, (t, r) or (t, h, r) -> the dual prices of a GPU when 0, 1, .. are sold.
    charges : mapping or None
        Resource -> for each of those numbers the charges for the GPUs of a bundle, one by one. None
        where each costs the dual price.
    """

    scale: Fraction
    tables: Mapping[tuple[int, ...], tuple[int, ...]]
    charges: Mapping[tuple[int, ...], tuple[tuple[int, ...], ...]] | None = None

    def __post_init__(self) -> None:
        freeze_fields(self)


@dataclass(frozen=True, eq=False)
class OnlineRun(CertifiedRun, Value, Display, Renamed):
    """The outcome of an online algorithm on an instance.

    Attributes
    ----------
    policy : str
    schedule : Schedule
    completion : tuple of (int or None)
    value : Fraction
        P: the value collected.
    payoffs : tuple of Fraction
        Payoff of each job at its arrival (0 if rejected).
    prices : Prices or None
        Final prices; None for policies without prices.
    bound : Fraction
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
    posted : PostedPrices or None
        The price tables; None for policies without prices.
    """

    policy: str
    schedule: Schedule
    completion: tuple[int | None, ...]
    value: Fraction
    payoffs: tuple[Fraction, ...]
    prices: Prices | None
    bound: Fraction
    online_dual: Fraction | None
    dual_feasible: bool | None
    theorem: Theorem | None
    theorem_absent: str = ""
    foreknowledge: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    instance: Instance | None = field(default=None, compare=False, repr=False)
    posted: PostedPrices | None = field(default=None, compare=False, repr=False)

    _renamed: ClassVar[Mapping[str, str]] = {"primal": "value", "dual": "bound"}

    def __post_init__(self) -> None:
        freeze_fields(self)

    @property
    def proof(self) -> Prices | None:
        """The prices that prove the bound; None where those are all 0."""
        return self.prices

    def price_rows(self) -> list[Row]:
        """Return a row for each price; none where the run has no prices."""
        return [] if self.prices is None else self.prices.to_rows()

    def lines(self) -> Lines:
        """Return (label, text) for people."""
        return [("policy", self.policy), *_run_lines(self)]


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundRun(CertifiedRun, Value, Display):
    """The outcome of a round scheduler on an instance.

    Attributes
    ----------
    scheduler : str
    schedule : Schedule
        Feasible; a job that does not complete may have run in vain.
    completion : tuple of (int or None)
    value : Fraction
        The exact value of the schedule.
    bound : Fraction
        A proven upper bound on the optimum: every job at its best alone (prices of 0).
    theorem : Theorem or None
        The guarantee whose hypotheses were checked, or None.
    theorem_absent : str
        Why there is no theorem, in words ("" if there is one).
    seconds : float
        Of the run, without checking and bounding it.
    instance : Instance or None
        What was run; not compared.
    """

    scheduler: str
    schedule: Schedule
    completion: tuple[int | None, ...]
    value: Fraction
    bound: Fraction
    theorem: Theorem | None = None
    theorem_absent: str = ""
    seconds: float = 0.0
    instance: Instance | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        freeze_fields(self)

    def lines(self) -> Lines:
        """Return (label, text) for people."""
        return [("scheduler", self.scheduler), *_run_lines(self)]


def _run_lines(run: OnlineRun | RoundRun) -> Lines:
    return [
        ("status", run.status),
        ("value", number(run.value)),
        ("bound", number(run.bound, up=True)),
        ("gap", per_cent(run.gap)),
        ("OPT / value", f"<= {at_most(run.bound, run.value)}"),
        ("theorem", _promised(run.theorem, run.theorem_absent)),
        ("jobs", completed(run.instance, run.schedule, run.completion)),
        ("seconds", f"{run.seconds:.3g}"),
    ]


def _promised(theorem: Theorem | None, absent: str) -> str:
    if theorem is None:
        return f"none: {absent}"
    constant = decimal(theorem.constant, 6, up=True)
    additive = decimal(theorem.additive, 6, up=True)
    vacuous = ", vacuous" if theorem.vacuous else ""
    by = theorem.id if theorem.stated_by == theorem.id else f"T4, with the tables of {theorem.id}"
    return f"{by}: OPT <= {constant} value + {additive}{vacuous}"


def _seconds(timings: Timings) -> str:
    text = f"{timings.assemble + timings.solve + timings.extract:.3g}"
    return text if not timings.compile else f"{text}, and {timings.compile:.3g} of compiling"


def best_known(error: BaseException) -> Result | None:
    """Return the best answer that was known when an error ended a solve; None without one."""
    return cast("Result | None", getattr(error, "best_known", None))


def gap_between(bound: Fraction | float | None, value: Fraction | None) -> float | None:
    """Return the relative gap; None where there is no bound or no value."""
    return None if bound is None or value is None else relative_gap(bound, value)


def relative_gap(bound: Fraction | float, value: Fraction | float) -> float:
    """Return max(0, bound - value) / max(1, abs(value)), computed exactly and rounded up.

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


_RENAMED = {"SolveResult": "hadaropt.results.Result", "Grade": "hadaropt.results.Status"}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise missing_name(__name__, name, _RENAMED)
