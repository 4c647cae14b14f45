"""The hypotheses of theorem T19, checked exactly on charges that add up over single units."""

from __future__ import annotations

from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.hypotheses import Checked
from hadaropt.online.prices.rounding import RoundedTables


def check_sums(truth: Foreknowledge, tables: RoundedTables) -> Checked:
    """Check T19: one resource, w units cost S(g + w) - S(g) when g are sold, for some table S.

    S must not fall. Then OPT <= f P for the least f >= 1 with c (S(g+w) - S(g)) <= w f S(g) for all
    w <= m that fit and may cost as much as L per unit, and c U <= f S(g) where a bundle of m does
    not fit. Loads that a run can reach are looked at.
    """
    if len(tables.tables) != 1:
        return Checked(f"T19 needs one resource; here are {len(tables.tables)}")
    if truth.least_density == 0:
        return Checked("", Fraction(1))
    ((place, table),) = tables.tables.items()
    if tables.marginals is None:
        return Checked("T19 needs charges for each further unit of a bundle")
    rows = tables.marginals[place]
    c, m, U = truth.capacity[place], truth.bundle[place], truth.value_per_unit[place]
    highest = len(table) - 1
    paid = [0]
    for g in range(highest):
        paid.append(paid[g] + rows[g][0])
        if rows[g][0] < 0:
            return Checked(f"T19 needs charges >= 0, not {rows[g][0]} with {g} units sold")
        for i in range(min(m, highest - g)):
            if rows[g][i] != rows[g + i][0]:
                return Checked(
                    f"T19 needs sums: with {g} units sold the {i + 1}th further one costs "
                    f"{rows[g][i]}, with {g + i} sold the next one {rows[g + i][0]}"
                )
    least, most = truth.least_density * tables.scale, U * tables.scale
    f = Fraction(1)
    for g, held in enumerate(paid):
        demands = [
            Fraction(c * (paid[g + w] - held), w)
            for w in range(1, min(m, highest - g) + 1)
            if paid[g + w] - held >= w * least
        ]
        if g > c - m:
            demands.append(c * most)
        if demands and held == 0:
            return Checked(f"T19 needs something paid with {g} units sold before any is refused")
        f = max([f, *(demand / held for demand in demands)])
    return Checked("", f)
