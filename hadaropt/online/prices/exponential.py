"""The exponential, repaired (theorem T5): it reaches U as soon as a largest bundle may not fit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.logarithms import log_ratio
from hadaropt.online.prices.saturating import exponential_theta, saturating_table
from hadaropt.online.prices.tables import Declared, PriceTables, Resource


@dataclass(frozen=True)
class Exponential:
    """k(g) = L_r (U/L_r)^x with x = min(g, N)/N.

    Parameters
    ----------
    start : mapping, optional
        Resource -> L_r, the price of its first GPU (at most U; 0 stands for U). By default
        L_r = min(U, omega u*/(2 c)), where omega is 1 over the number of resources and u* the best
        value of the first arrival that has a positive one: then sum_r c_r L_r <= OPT/2.
    """

    start: Mapping[Resource, Fraction] | None = field(default=None, repr=False)
    name = "exponential"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables; no price is above U, which is reached at g = N."""
        omega = Fraction(1, max(1, len(known.capacity)))
        start = self.start
        if start is None:
            start = {r: omega * known.first_value / (2 * c) for r, c in known.capacity.items()}
        kinds = dict.fromkeys(known.resources(start).values())
        return known.tabulate(
            lambda at: saturating_table(at, _share),
            start,
            closed_form=exponential_theta([at for at in kinds if at.U > 0], _steepness),
            parameters={"omega": str(omega)} if self.start is None else {"L": "given"},
        )


def _steepness(at: Declared) -> float:
    """ln(U/L_r), where `Declared.L` is the price of the first GPU."""
    return max(0.0, log_ratio(at.U, min(at.U, at.L))) if at.L > 0 else 0.0


def _share(g: int, at: Declared) -> float:
    """(L_r/U)^(1 - x)."""
    return math.exp(_steepness(at) * (min(g, at.N) / at.N - 1))
