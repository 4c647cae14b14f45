"""The hypotheses of theorems T14 and T16, checked exactly on a rounded price table."""

from __future__ import annotations

from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.hypotheses import Checked, charge_of, check_table
from hadaropt.online.prices.rounding import RoundedTables


def check_mixed_threshold(
    truth: Foreknowledge, tables: RoundedTables, *, capped: bool = False
) -> Checked:
    """Check T14: one resource, each job offers one bundle of at most m units, worth above k(0).

    The prices must not fall (M), and from N = c - m + 1 on be at least U (F). Let S(g) be the least
    that is paid for g units: S(0) = 0, S(g) = min over w = 1 .. min(m, g) of S(g - w) + w k(g - w).
    Then OPT <= alpha P for alpha = max(1, max c k(g)/S(g)) over the reachable g > 0 at which k(g)
    is not below every value; where it is, nobody was rejected. T16 (``capped``) is the same for
    min(k(g), U) in place of k(g): no job comes that would pay more, whatever U was expected.
    """
    id = "T16" if capped else "T14"
    if len(tables.tables) != 1:
        return Checked(f"{id} needs one resource; here are {len(tables.tables)}")
    if truth.least_density == 0:
        return Checked("", Fraction(1))
    ((place, table),) = tables.tables.items()
    c, m, U = truth.capacity[place], truth.bundle[place], truth.value_per_unit[place]
    violation = check_table(
        place, table, charge_of(tables, place), tables.scale, c, m, U, linear=True
    )
    if violation is not None:
        return Checked.failing(violation)
    below = sum(price / tables.scale < truth.least_density for price in table)
    if below == 0:
        return Checked(f"{id} needs values above k(0)")
    price = list(table)
    if capped:
        most, unit = (U * tables.scale).as_integer_ratio()
        price = [min(k * unit, most) for k in table]
    paid = [0]
    alpha = Fraction(1)
    for g in range(1, len(table)):
        paid.append(min(paid[g - w] + w * price[g - w] for w in range(1, min(m, g) + 1)))
        if g >= below:
            if paid[g] == 0:
                return Checked(f"{id} needs a positive price below every value")
            alpha = max(alpha, Fraction(c * price[g], paid[g]))
    return Checked("", alpha)
