"""Thresholds that do not know the largest bundle (theorem T19): bundles pay unit by unit."""

from __future__ import annotations

from collections.abc import Sequence

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import MOST_CHARGES, LazyTable, LoneTable
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables, Resource
from hadaropt.online.prices.threshold import Threshold

Rows = Sequence[Sequence[ExactPrice]]


class ThresholdSums:
    """w GPUs cost k(g) + ... + k(g + w - 1) where g are sold, with k as in `Threshold`.

    No price is made for a largest bundle: on one resource the guarantee is that of `Threshold` as
    long as all bundles are single GPUs, and alpha (1 + alpha/c)^(m - 1) or little more when they
    have up to m (c/alpha at least m). The dual prices, k(g + m - 1) and U from N on, are for the
    bound of the run alone.
    """

    name = "threshold_sums"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the dual prices and the charges."""
        units = Threshold().tables(known)
        prices: dict[Resource, Sequence[ExactPrice]] = {}
        charges: dict[Resource, Rows] = {}
        made: dict[tuple[Declared, int], tuple[Sequence[ExactPrice], Rows]] = {}
        for place, at in known.resources().items():
            lone = known.highest(place) * known.most_charged > MOST_CHARGES
            key = at, id(units.prices[place])
            if key not in made:
                made[key] = _sums(at, units.prices[place], known.most_charged, lone=lone)
            prices[place], charges[place] = made[key]
        return PriceTables(prices, charges, parameters=units.parameters)


def _sums(
    at: Declared, k: Sequence[ExactPrice], widest: int, *, lone: bool
) -> tuple[Sequence[ExactPrice], Rows]:
    """Return the dual prices and the charges for each further GPU."""

    def dual(g: int, before: ExactPrice | None) -> ExactPrice:
        return max(k[min(g + at.m - 1, at.c)], at.U if g >= at.N else 0)

    def row(g: int, before: object = None) -> list[ExactPrice]:
        return [k[min(g + i, at.c)] for i in range(widest)]

    rows: Rows = LoneTable(at.c, row) if lone else LazyTable(at.c, row)
    return LazyTable(at.c + 1, dual), rows
