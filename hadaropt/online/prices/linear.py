"""The linear price (theorem T4): right where a bundle may be about as large as the resource."""

from __future__ import annotations

import math
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.saturating import saturating_table, used
from hadaropt.online.prices.tables import PriceTables


class LinearPrice:
    """k(g) = U min(g, N)/N; the guarantee is 1 + max_r c U/(N L)."""

    name = "linear"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables."""
        L = known.least_density
        worst = max((Fraction(at.c, at.N) * at.U for at in used(known)), default=Fraction(0))
        return known.tabulate(
            lambda at: saturating_table(at, lambda g, at: min(g, at.N) / at.N),
            closed_form=1.0 + float(worst / L) if L > 0 else (math.inf if worst else 1.0),
        )
