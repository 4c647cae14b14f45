"""Policies for `hadaropt.run_online`: each decides on a job at its arrival, irrevocably.

Two ways to add one: a subclass of `ArrivalPolicy`, or a price function (`PriceFunction`) for
`PrimalDual`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, Literal

from hadaropt.errors import InstanceError, refuse_class, shown
from hadaropt.exact import to_fraction, to_integer
from hadaropt.names import known_name, spelled
from hadaropt.online.prices.function import PriceFunction as PriceFunction
from hadaropt.plugins import POLICIES, PRICES, make_plugin, plugin_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hadaropt.instance import Instance
    from hadaropt.online.foreknowledge import Foreknowledge
    from hadaropt.schedule import Allocation

MAX_SEED = 2**63 - 1
"""Largest seed of `Random`."""
PRICE_NAMES = (
    "zero_start",
    "exponential",
    "exponential_paper",
    "last_unit",
    "telescoped",
    "threshold",
    "linear",
    "step",
    "mixed_threshold",
)
"""The price functions of hadaropt (formulas: `hadaropt.online.prices`)."""


@dataclass(frozen=True)
class Policy:
    """Base class of the policies."""

    revises: ClassVar[bool] = False
    """Whether what is planned for later rounds may still change."""

    @property
    def name(self) -> str:
        """Name for tables; `hadaropt.run_online` takes that of a policy of hadaropt too."""
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
            None of them after the round in which they complete the job. Too few to complete it are
            worth nothing: the job holds its GPUs in vain.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class PrimalDual(Policy):
    """The online primal-dual algorithm: accept the best schedule at current prices iff it pays.

    Prices rise with the GPUs that are sold, as the price function says.

    Parameters
    ----------
    price : str or PriceFunction
        The name of a price function, one of `price_names`, or a price function of your own.
    pool : {"auto", "type", "node"}
        Prices per type or per node; ``auto`` takes types where nodes do not matter, else nodes.
    U, L, m : number
        Factors > 0 by which the declared foreknowledge is wrong (1: right).
    foreknowledge : Foreknowledge, optional
        What the price function is told; computed from the whole instance by default.
    """

    price: str | PriceFunction = "zero_start"
    pool: Literal["auto", "type", "node"] = "auto"
    U: Fraction = Fraction(1)
    L: Fraction = Fraction(1)
    m: Fraction = Fraction(1)
    foreknowledge: Foreknowledge | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.price, str):
            _check_price(self.price)
        elif self.price not in PRICE_NAMES:
            object.__setattr__(self, "price", _known("price", self.price, price_names()))
        known_name("pool", self.pool, ("auto", "type", "node"))
        for name in ("U", "L", "m"):
            factor = to_fraction(getattr(self, name), name)
            if factor <= 0:
                raise InstanceError(name, "must be > 0", str(factor))
            object.__setattr__(self, name, factor)

    @property
    def price_name(self) -> str:
        """Name of the price function."""
        return self.price if isinstance(self.price, str) else self.price.name

    @property
    def name(self) -> str:
        """Name for tables."""
        wrong = [f"{x}*{getattr(self, x)}" for x in ("U", "L", "m") if getattr(self, x) != 1]
        pool = [] if self.pool == "auto" else [f"pool={self.pool}"]
        extras = pool + wrong
        return f"primal_dual:{self.price_name}" + (f"[{','.join(extras)}]" if extras else "")


def _check_price(price: object) -> None:
    """Check that an object can be a price function.

    Raises
    ------
    TypeError
        If it is a class, or lacks a name or the method.
    InstanceError
        If it takes the name of a price function of hadaropt.
    """
    refuse_class(price)
    if not isinstance(price, PriceFunction):
        expected = "a name of a price function, or an object with a name and tables(known)"
        raise TypeError(f"price = {shown(price)}, must be {expected}")
    called = type(price).__name__
    if not isinstance(price.name, str) or not price.name:
        raise TypeError(f'{called}.name = {shown(price.name)}, must be a str, such as "mine"')
    if price.name in PRICE_NAMES:
        from hadaropt.online.prices.registry import PRICES as OWN

        if type(price) is not type(OWN[price.name]):
            rule = "must not be the name of a price function of hadaropt"
            raise InstanceError(f"{called}.name", rule, shown(price.name))


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
        return "random" if self.seed == 0 else f"random[seed={self.seed}]"


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


FAMILY = "primal_dual"
"""Policies with prices: ``primal_dual:PRICE``."""
DEFAULT_POLICY = f"{FAMILY}:zero_start"
"""What ``primal_dual`` means where no price function is named."""


UNNAMED_PRICES = {
    "doubling": "hadaropt.online.prices.doubling.Doubling()",
    "threshold_sums": "hadaropt.online.prices.threshold_sums.ThresholdSums()",
    "forward_looking": "hadaropt.online.prices.forward_looking.ForwardLooking()",
}
"""Price functions of hadaropt that are given as objects, and how such an object is made."""


def unnamed_price(text: str) -> str | None:
    """Return the rule that a price function of `UNNAMED_PRICES` breaks as a name, or None.

    Examples
    --------
    >>> unnamed_price("primal_dual:doubling")
    'is for Python only: PrimalDual(price=hadaropt.online.prices.doubling.Doubling())'
    """
    price = spelled(text.partition("[")[0].strip().rpartition(":")[2], UNNAMED_PRICES)
    return (
        None if price is None else f"is for Python only: PrimalDual(price={UNNAMED_PRICES[price]})"
    )


def _known(path: str, text: object, known: Sequence[str]) -> str:
    """Return the known name; the error says how a price function without name is given."""
    if isinstance(text, str) and spelled(text, known) is None and (rule := unnamed_price(text)):
        raise InstanceError(path, rule, shown(text))
    return known_name(path, text, known)


def price_names() -> tuple[str, ...]:
    """Return `PRICE_NAMES`, and the names of the price functions that other packages register."""
    return (*PRICE_NAMES, *plugin_names(PRICES, PRICE_NAMES))


def policy_names() -> tuple[str, ...]:
    """Return `POLICY_NAMES`, and the names that other packages register.

    A price function of another package is the policy ``primal_dual:NAME``.
    """
    priced = (f"{FAMILY}:{price}" for price in plugin_names(PRICES, PRICE_NAMES))
    return (*POLICY_NAMES, *priced, *plugin_names(POLICIES, POLICY_NAMES))


def find_policy(name: str) -> str:
    """Return the name as it stands in `policy_names`.

    It may be given with hyphens, and ``primal_dual`` without its price function, which then is
    ``zero_start``.

    Raises
    ------
    InstanceError
        If there is none; the nearest name is given.
    """
    if name in POLICY_NAMES:
        return name
    known = policy_names()
    if isinstance(name, str) and name not in known and spelled(name, (FAMILY,)):
        return DEFAULT_POLICY
    return _known("policy", name, known)


def make_policy(name: str) -> Policy:
    """Return the policy called ``name``, see `find_policy`.

    Raises
    ------
    InstanceError
        If there is none; the nearest name is given.
    """
    chosen = find_policy(name)
    family, colon, price = chosen.partition(":")
    if family == FAMILY and colon:
        return PrimalDual(price)
    if chosen not in POLICY_NAMES:
        return _of_another_package(chosen)
    plain: dict[str, Policy] = {
        "fifo": Fifo(),
        "greedy_density": GreedyDensity(),
        "random": Random(),
        "rolling_horizon": RollingHorizon(),
    }
    return plain[chosen]


def _of_another_package(chosen: str) -> Policy:
    made = make_plugin(POLICIES, chosen)
    if not isinstance(made, Policy):
        rule = "must make a hadaropt.policies.Policy"
        raise InstanceError(f"entry point {chosen} of {POLICIES}", rule, shown(made))
    return made
