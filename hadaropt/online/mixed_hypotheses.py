"""The hypotheses of theorems T14, T16, T18 and T20, checked exactly on rounded price tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.hypotheses import Checked, charge_of, check_table
from hadaropt.online.prices.rounding import RoundedTables


def check_mixed_threshold(
    truth: Foreknowledge, tables: RoundedTables, *, capped: bool = False, id: str = ""
) -> Checked:
    """Check T14: one resource, each job offers one bundle of at most m units, worth above k(0).

    The prices must not fall (M), and from N = c - m + 1 on be at least U (F). Let S(g) be the least
    that is paid for g units: S(0) = 0, S(g) = min over w = 1 .. min(m, g) of S(g - w) + w k(g - w).
    Then OPT <= alpha P for alpha = max(1, max c k(g)/S(g)) over the reachable g > 0 at which k(g)
    is not below every value; where it is, nobody was rejected. T16 (``capped``) is the same for
    min(k(g), U) in place of k(g): no job comes that would pay more, whatever U was expected.
    """
    id = id or ("T16" if capped else "T14")
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


def check_too_small(truth: Foreknowledge, tables: RoundedTables) -> Checked:
    """Check T20: T14 for U' = k(N) in place of a larger U; OPT <= (U/U') alpha P.

    What T14 says of prices that were made for a U that is too small.
    """
    if len(tables.tables) != 1:
        return Checked(f"T20 needs one resource; here are {len(tables.tables)}")
    ((place, table),) = tables.tables.items()
    at = truth.capacity[place] - truth.bundle[place] + 1
    if at >= len(table):
        return Checked("T20 is for prices that a run may reach at N")
    declared, U = table[at] / tables.scale, truth.value_per_unit[place]
    if not truth.least_density < declared < U:
        return Checked(f"T20 needs L < k(N) < U; k(N) is {declared}")
    told = replace(truth, value_per_unit={place: declared})
    checked = check_mixed_threshold(told, tables, id="T20")
    return checked if checked.failure else Checked("", U / declared * checked.constant)


def check_learnt(truth: Foreknowledge, posted: Sequence[tuple[Fraction, RoundedTables]]) -> Checked:
    """Check T18: the tables that were posted one after the other, each for the least L so far.

    Each must satisfy T16 for the true U and m and its own L, and none, capped at U, may be above
    the one before. Then OPT <= alpha P for the largest alpha of all.

    Parameters
    ----------
    truth : Foreknowledge
    posted : sequence of (Fraction, RoundedTables)
        L > 0, at most the value per GPU of all bundles that came until the next tables, and these
        tables; in the order of time.
    """
    alpha = Fraction(1)
    before: dict[tuple[int, ...], list[Fraction]] = {}
    for least, tables in posted:
        checked = check_mixed_threshold(
            replace(truth, least_density=least), tables, capped=True, id="T18"
        )
        if checked.failure:
            return checked
        alpha = max(alpha, checked.constant)
        for place, table in tables.tables.items():
            most = truth.value_per_unit[place] * tables.scale
            now = [min(Fraction(k), most) for k in table]
            for g, (k, last) in enumerate(zip(now, before.get(place, now), strict=True)):
                if k > last:
                    rule = "T18 needs prices that fall with L"
                    return Checked(f"{rule}; with {g} GPUs sold one rose to {k / tables.scale}")
            before[place] = now
    return Checked("", alpha)
