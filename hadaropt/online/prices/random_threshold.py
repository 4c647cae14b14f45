"""One random price for the whole run (theorem T13): a logarithm for bundles of any size.

Let n be the number of levels and e the least multiple of 2**-`BITS` with e^n >= U/L. The price is
0 with probability e/alpha, and L e^i with probability (e - 1)/alpha for i = 1 .. n-1, alpha = 1 +
n (e - 1). On one resource, with bundles of at most m of its c units, OPT <= c/(c - m + 1) alpha
E[P], E over the draw; alpha tends to 1 + ln(U/L) as n grows, and no random rule has less (T10).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from random import Random

from hadaropt.errors import InstanceError
from hadaropt.exact import nearest_float, to_integer
from hadaropt.instance import Instance
from hadaropt.online.foreknowledge import Foreknowledge, compute_foreknowledge
from hadaropt.online.prices.tables import PriceTables
from hadaropt.online.run import run_online
from hadaropt.policies import MAX_SEED, PrimalDual

BITS = 16
LEVELS = 64


@dataclass(frozen=True)
class RandomPrice:
    """The prices that may be drawn.

    Attributes
    ----------
    prices : tuple of Fraction
    probabilities : tuple of Fraction
        Their sum is 1.
    alpha : Fraction
        1 + n (e - 1).
    """

    prices: tuple[Fraction, ...]
    probabilities: tuple[Fraction, ...]
    alpha: Fraction


def random_price(low: Fraction, high: Fraction, levels: int = LEVELS) -> RandomPrice:
    """Return the prices for values per unit in [low, high].

    Parameters
    ----------
    low, high : Fraction
        L and U, 0 < L <= U.
    levels : int
        n >= 1.

    Examples
    --------
    >>> drawn = random_price(Fraction(1), Fraction(100), 1)
    >>> drawn.prices, drawn.alpha
    ((Fraction(0, 1),), Fraction(100, 1))
    """
    if not 0 < low <= high:
        raise InstanceError("low", f"must be > 0 and <= {high}", str(low))
    n = to_integer(levels, "levels", least=1)
    units = math.ceil(math.exp(math.log(nearest_float(high / low)) / n) * 2**BITS)
    while Fraction(units, 2**BITS) ** n < high / low:
        units += 1
    while units > 2**BITS and Fraction(units - 1, 2**BITS) ** n >= high / low:
        units -= 1
    e = Fraction(units, 2**BITS)
    alpha = 1 + n * (e - 1)
    prices = (Fraction(0), *(low * e**i for i in range(1, n)))
    return RandomPrice(prices, (e / alpha, *((e - 1) / alpha for _ in range(1, n))), alpha)


@dataclass(frozen=True)
class FixedPrice:
    """The same price for every GPU of every resource, however many are sold."""

    price: Fraction
    name: str = "fixed"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables."""
        return known.tabulate(lambda at: [self.price] * (at.c + 1))


@dataclass(frozen=True)
class RandomThreshold:
    """One price, drawn before the first job; a guarantee holds in expectation on one resource.

    Pass it to `hadaropt.policies.PrimalDual`. A single run has no theorem (nobody is priced out
    when the GPUs are gone); `expected_run` gives what holds of the draws together.

    Parameters
    ----------
    seed : int
        Of the draw, >= 0.
    levels : int
        n >= 1.
    """

    seed: int = 0
    levels: int = LEVELS
    name: str = "random_threshold"

    def __post_init__(self) -> None:
        to_integer(self.seed, "seed", most=MAX_SEED)
        to_integer(self.levels, "levels", least=1)

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables at the price that is drawn."""
        low, high = known.least_density, max(known.value_per_unit.values(), default=Fraction(0))
        if low == 0:  # no job is worth anything
            return FixedPrice(Fraction(0)).tables(known)
        found = random_price(low, max(low, high), self.levels)
        draw = Fraction(Random(self.seed).getrandbits(64), 2**64)
        sums = accumulate(found.probabilities)
        price = next(p for p, reached in zip(found.prices, sums, strict=True) if draw < reached)
        return FixedPrice(price).tables(known)


@dataclass(frozen=True)
class ExpectedRun:
    """What a random price collects, over all its draws.

    Attributes
    ----------
    value : Fraction
        E[P], exactly.
    constant : Fraction or None
        OPT <= constant E[P] by theorem T13; None where its hypotheses fail.
    absent : str
        Why there is no constant ("" if there is one).
    """

    value: Fraction
    constant: Fraction | None
    absent: str = ""


def expected_run(instance: Instance, levels: int = LEVELS) -> ExpectedRun:
    """Run every price that may be drawn, and weigh what it collects.

    Parameters
    ----------
    instance : Instance
        T13 holds for one resource (one type in one round, nodes of no matter), U, L and m being
        those of the instance.
    levels : int
        n >= 1.
    """
    known = compute_foreknowledge(instance, "type")
    low, high = known.least_density, max(known.value_per_unit.values(), default=Fraction(0))
    if low == 0:
        return ExpectedRun(Fraction(0), Fraction(1))
    found = random_price(low, max(low, high), levels)
    value = Fraction(0)
    for price, probability in zip(found.prices, found.probabilities, strict=True):
        run = run_online(instance, PrimalDual(FixedPrice(price), foreknowledge=known))
        value += probability * run.value
    used = [place for place, U in known.value_per_unit.items() if U > 0]
    if len(used) != 1:
        return ExpectedRun(value, None, f"jobs use {len(used)} resources, not one")
    c, m = known.capacity[used[0]], known.bundle[used[0]]
    return ExpectedRun(value, Fraction(c, c - m + 1) * found.alpha)
