"""The score of R2: what an allocation is worth, less the more rounds the job still needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from hadaropt.simulate.schedulers.worth import VALUE_BITS
from hadaropt.simulate.view import QueuedJob, RoundView

Ints = npt.NDArray[np.int64]

POWER_BITS = 120
"""Powers of beta are enclosed between multiples of 2**-POWER_BITS."""
EXACT_ROUNDS = 16
"""Up to so many rounds a common denominator of all scores is looked for."""


class Discount:
    """The powers of beta = 1 - 1/k.

    Parameters
    ----------
    rounds : int
        k, >= 1.
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self._low, self._high = [1 << POWER_BITS], [1 << POWER_BITS]

    def enclosed(self, q: int) -> tuple[int, int]:
        """Return integers with low <= beta^(q-1) 2**POWER_BITS <= high, for q = 1 .. k."""
        k, low, high = self.rounds, self._low, self._high
        while len(low) < q:
            low.append(low[-1] * (k - 1) // k)
            high.append(-(-high[-1] * (k - 1) // k))
        return low[q - 1], high[q - 1]

    def exact(self, q: int) -> Fraction:
        """Return beta^(q-1), 0^0 = 1."""
        return Fraction((self.rounds - 1) ** (q - 1), self.rounds ** (q - 1))

    def floats(self) -> npt.NDArray[np.float64]:
        """Return beta^(q-1) for q = 0 .. k; the entry of q = 0 means nothing."""
        return np.power(1 - 1 / self.rounds, np.maximum(np.arange(self.rounds + 1) - 1, 0))


@dataclass(frozen=True)
class Scores:
    """The scores of a round as integers.

    Attributes
    ----------
    worth : (J, R) int64
        By slowest type: score / unit, rounded down, but at least 1 where it is positive.
    unit : Fraction
    over : Fraction
        The score of any set differs from worth x unit by at most so much.
    """

    worth: Ints
    unit: Fraction
    over: Fraction


def score(q: QueuedJob, now: int, rounds: int, discount: Discount) -> Fraction:
    """Return U_j(now + rounds - a_j) beta^(rounds-1), exactly; 0 where rounds > k."""
    if rounds > discount.rounds:
        return Fraction(0)
    return q.job.value(now - 1 + rounds) * discount.exact(rounds)


def scores(view: RoundView, needed: Sequence[Sequence[int]], discount: Discount) -> Scores:
    """Return the scores of a round.

    Exact (``over`` = 0) where k is small and the values have a small common denominator, else
    rounded down to multiples of the largest value / 2**VALUE_BITS.

    Parameters
    ----------
    view : RoundView
    needed : (J, R)
        Rounds that each job still needs by slowest type; 0: it cannot run there.
    discount : Discount
    """
    values = [
        [q.job.value(view.round - 1 + n) if 0 < n <= discount.rounds else Fraction(0) for n in row]
        for q, row in zip(view.queue, needed, strict=True)
    ]
    top = max((max(row, default=Fraction(0)) for row in values), default=Fraction(0))
    worth = np.zeros((len(values), len(values[0]) if values else 0), np.int64)
    if top == 0:
        return Scores(worth, Fraction(1), Fraction(0))
    if discount.rounds <= EXACT_ROUNDS:
        exact = _exactly(values, needed, discount, top)
        if exact is not None:
            return exact
    unit, over = top / (1 << VALUE_BITS), 0
    for i, (row, rounds) in enumerate(zip(values, needed, strict=True)):
        most = 0
        for r, v in enumerate(row):
            if v:
                low, high = discount.enclosed(rounds[r])
                up = v.numerator * unit.denominator
                down = v.denominator * unit.numerator << POWER_BITS
                least, greatest = up * low // down, -(-up * high // down)
                given = max(1, least)
                worth[i, r] = given
                most = max(most, greatest - given, given - least)
        over += most
    return Scores(worth, unit, over * unit)


def _exactly(
    values: Sequence[Sequence[Fraction]],
    needed: Sequence[Sequence[int]],
    discount: Discount,
    top: Fraction,
) -> Scores | None:
    """Return the scores over their common denominator; None where that is too large."""
    most = (1 << VALUE_BITS) // top
    if most < 1:
        return None
    powers = {n: discount.exact(n) for row in needed for n in row if 0 < n <= discount.rounds}
    exact = [
        [v * powers[n] if v else v for v, n in zip(row, rounds, strict=True)]
        for row, rounds in zip(values, needed, strict=True)
    ]
    common = 1
    for denominator in {s.denominator for row in exact for s in row}:
        common = math.lcm(common, denominator)
        if common > most:
            return None
    worth = np.array([[int(s * common) for s in row] for row in exact], np.int64)
    return Scores(worth, Fraction(1, common), Fraction(0))
