"""Policies for `hadaropt.run_online`: what to do with a job at its arrival, irrevocably."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, Literal

from hadaropt.errors import InstanceError, one_of, shown
from hadaropt.exact import to_fraction, to_integer
from hadaropt.plugins import POLICIES, make_plugin, plugin_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hadaropt.instance import Instance
    from hadaropt.online.foreknowledge import Foreknowledge
    from hadaropt.schedule import Allocation

MAX_SEED = 2**63 - 1
PRICE_NAMES = (
    "zero_start",
    "exponential",
    "exponential_paper",
    "last_unit",
    "telescoped",
    "threshold",
    "linear",
    "step",
)


@dataclass(frozen=True)
class Policy:
    """Base class of the policies."""

    revises: ClassVar[bool] = False
    """Whether what is planned for later rounds may still change."""

    @property
    def name(self) -> str:
        """Name for tables."""
        raise NotImplementedError


@dataclass(frozen=True)
class ArrivalPolicy(Policy):
    """Base class for policies of your own: implement `name` and `arrive`."""

    def arrive(
        self, past: Instance, j: int, free: NDArray[np.int64]
    ) -> Sequence[Allocation] | None:
        """Decide on the job that arrives now, irrevocably.

        Parameters
        ----------
        past : Instance
            The instance with the jobs that have arrived so far, the new one last; immutable.
        j : int
            Index of the new job in ``past``.
        free : ndarray of int64, shape (T, H, R)
            Free GPUs per round, node and type; a copy.

        Returns
        -------
        sequence of Allocation, or None to reject the job.
            None of them after the round in which they complete the job.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class PrimalDual(Policy):
    """The online primal-dual algorithm with a price function.

    Parameters
    ----------
    price : str
        The price function, one of `PRICE_NAMES` (formulas: `hadaropt.online.prices.exponential`).
    pool : {"auto", "type", "node"}
        Prices per type or per node; ``auto`` takes types where nodes do not matter, else nodes.
    U, L, m : number
        Factors by which the declared foreknowledge is wrong (1: right).
    foreknowledge : Foreknowledge, optional
        What the prices are told; computed from the whole instance by default.
    """

    price: str = "zero_start"
    pool: Literal["auto", "type", "node"] = "auto"
    U: Fraction = Fraction(1)
    L: Fraction = Fraction(1)
    m: Fraction = Fraction(1)
    foreknowledge: Foreknowledge | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_choice("price", self.price, PRICE_NAMES)
        check_choice("pool", self.pool, ("auto", "type", "node"))
        for name in ("U", "L", "m"):
            factor = to_fraction(getattr(self, name), name)
            if factor <= 0:
                raise InstanceError(name, "must be > 0", str(factor))
            object.__setattr__(self, name, factor)

    @property
    def name(self) -> str:
        """Name for tables."""
        wrong = [f"{x}*{getattr(self, x)}" for x in ("U", "L", "m") if getattr(self, x) != 1]
        pool = [] if self.pool == "auto" else [self.pool]
        extras = pool + wrong
        return f"primal_dual:{self.price}" + (f"[{','.join(extras)}]" if extras else "")


@dataclass(frozen=True)
class Fifo(Policy):
    """Every job takes the schedule of earliest completion that still fits, in order of arrival."""

    @property
    def name(self) -> str:
        """Name for tables."""
        return "fifo"


@dataclass(frozen=True)
class GreedyDensity(Policy):
    """Every job takes the schedule that fits with the most value per GPU-round."""

    @property
    def name(self) -> str:
        """Name for tables."""
        return "greedy_density"


@dataclass(frozen=True)
class Random(Policy):
    """Every job takes the best schedule at prices drawn at random.

    Parameters
    ----------
    seed : int
        >= 0.
    """

    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", to_integer(self.seed, "seed", most=MAX_SEED))

    @property
    def name(self) -> str:
        """Name for tables."""
        return "random" if self.seed == 0 else f"random[{self.seed}]"


@dataclass(frozen=True)
class RollingHorizon(Policy):
    """Re-optimises all known jobs at each arrival: a strong heuristic that revises its plans.

    Parameters
    ----------
    time_limit : float or None
        Seconds >= 0 for each re-optimisation; with a limit that is reached, two runs may differ.
    """

    revises = True
    time_limit: float | None = 2.0

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not (isinstance(limit, Real) and limit >= 0):
            raise InstanceError("time_limit", "must be >= 0 or None", shown(limit))

    @property
    def name(self) -> str:
        """Name for tables."""
        return "rolling_horizon"


POLICY_NAMES = (
    *(f"primal_dual:{price}" for price in PRICE_NAMES),
    "fifo",
    "greedy_density",
    "random",
    "rolling_horizon",
)


def policy_names() -> tuple[str, ...]:
    """Return `POLICY_NAMES`, and the names that other packages register."""
    return (*POLICY_NAMES, *plugin_names(POLICIES, POLICY_NAMES))


def make_policy(name: str) -> Policy:
    """Return the policy called ``name`` (one of `policy_names`; ``-`` and ``_`` are alike).

    Raises
    ------
    InstanceError
        If there is none; the nearest name is given.
    """
    wanted = name.replace("-", "_")
    if wanted not in POLICY_NAMES:
        return _of_another_package(name, wanted)
    family, _, price = wanted.partition(":")
    if family == "primal_dual":
        return PrimalDual(price)
    plain: dict[str, Policy] = {
        "fifo": Fifo(),
        "greedy_density": GreedyDensity(),
        "random": Random(),
        "rolling_horizon": RollingHorizon(),
    }
    return plain[family]


def _of_another_package(name: str, wanted: str) -> Policy:
    known = policy_names()
    chosen = name if name in known else wanted
    check_choice("policy", chosen, known)
    made = make_plugin(POLICIES, chosen)
    if not isinstance(made, Policy):
        rule = "must make a hadaropt.policies.Policy"
        raise InstanceError(f"entry point {chosen} of {POLICIES}", rule, shown(made))
    return made


def check_choice(path: str, value: object, known: tuple[str, ...]) -> None:
    """Check that ``value`` is one of the known names; the error names the nearest.

    Raises
    ------
    InstanceError
        If it is not.
    """
    if value not in known:
        raise InstanceError(path, one_of(str(value), known), shown(value))
