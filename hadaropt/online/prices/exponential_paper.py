"""The exponential as published: it reaches U only when all GPUs are sold (refuted: E1, E2)."""

from __future__ import annotations

import math
from collections.abc import Callable

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.logarithms import log_ratio
from hadaropt.online.prices.saturating import saturating_table, used
from hadaropt.online.prices.tables import Declared, PriceTables


class ExponentialPaper:
    """k(g) = L_r (U/L_r)^(g/c) with L_r = min(U, u_min/(4 sum c)).

    u_min is the least of the jobs' best values, sum c counts the GPUs of all resources. Where
    m = 1 this is the repaired exponential from another start, and theorem T5 holds. With larger
    bundles a job may not fit although the price is below U: hypothesis (F) fails.
    """

    name = "exponential_paper"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables."""
        total = sum(known.capacity.values())

        def steepness(at: Declared) -> float:
            return log_ratio(at.U, min(at.U, known.least_best_value / (4 * total)))

        alpha = max(map(steepness, used(known)), default=0.0)
        return known.tabulate(
            lambda at: saturating_table(at, _share(steepness(at))),
            closed_form=max(1.0, 2 * alpha),
            parameters={"claimed": f"2 alpha, alpha = {alpha}"},
        )


def _share(steepness: float) -> Callable[[int, Declared], float]:
    """(L_r/U)^(1 - g/c)."""
    return lambda g, at: math.exp(steepness * (g / at.c - 1))
