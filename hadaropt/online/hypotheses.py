"""The hypotheses of the master theorem (T4, T8), checked exactly on integer price tables.

d is the dual price, C(g, w) what a bundle of w units is charged when g are sold; C(g, w) = w d(g)
for prices that are linear in the bundle.

(M) d(g) <= d(g+1), d(0) >= 0.
(C) C(g, w) <= w d(g).
(F) if g + w > c for a schedule that holds w units, then d(g) w >= u: ONE resource prices out the
    whole job. With u <= U w and w <= m it is enough that d(g) >= U from g = c - m + 1 on.
(I) if g + w <= c: c (d(g+w) - d(g)) <= t1 C(g, w) + t2 L w.
(V) sum_r L w_r <= u.
Then OPT <= (t1 + t2) P + sum c d(0).

T9 (one resource, unit demand) has conditions of its own: see `check_threshold`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from hadaropt.online.foreknowledge import Foreknowledge, Resource
from hadaropt.online.prices.tables import PriceTables


@dataclass(frozen=True)
class Checked:
    """What holds of the tables.

    Attributes
    ----------
    failure : str
        "" if all hypotheses hold; else the first that fails, with the place.
    constant : Fraction
        The smallest t1 + t2 with t1 >= 1, t2 >= 0 for which (I) holds on the tables.
    additive : Fraction
        sum c d(0).
    """

    failure: str
    constant: Fraction = Fraction(0)
    additive: Fraction = Fraction(0)


Charge = Callable[[int, int], int]
"""(g, w) -> C(g, w) in units of 1/scale."""


def check_hypotheses(truth: Foreknowledge, tables: PriceTables) -> Checked:
    """Check (M), (C), (F), (I), (V) on the tables against the true ranges of the instance.

    (V) holds for L = ``truth.least_density`` by how that is computed; the true U and m are used,
    not those that the tables were told.
    """
    additive = sum(
        (c * tables.tables[place][0] / tables.scale for place, c in truth.capacity.items()),
        Fraction(0),
    )
    if truth.least_density == 0:  # no schedule is worth anything: OPT = 0
        return Checked("", Fraction(1), additive)
    lines: set[tuple[Fraction, Fraction]] = set()
    seen: set[tuple[object, ...]] = set()
    for place, table in tables.tables.items():
        c, m, U = truth.capacity[place], truth.bundle[place], truth.value_per_unit[place]
        key = (id(table), c, m, U)
        if key in seen:
            continue
        seen.add(key)
        charge = _charge(tables, place)
        failure = _check_table(place, table, charge, tables.scale, c, m, U)
        if failure:
            return Checked(failure)
        lines |= _increments(table, charge, tables.scale, c, m)
    return Checked("", smallest_constant(lines, truth.least_density), additive)


def _charge(tables: PriceTables, place: Resource) -> Charge:
    if tables.marginals is None:
        table = tables.tables[place]
        return lambda g, w: w * table[g]
    sums = [tuple(accumulate(row, initial=0)) for row in tables.marginals[place]]
    return lambda g, w: sums[g][w]


def _check_table(
    place: Resource,
    table: tuple[int, ...],
    charge: Charge,
    scale: Fraction,
    c: int,
    m: int,
    U: Fraction,
) -> str:
    if table[0] < 0 or any(a > b for a, b in pairwise(table)):
        return f"(M) fails at {place}: the table is not non-negative and non-decreasing"
    for g in range(c):
        for w in range(1, min(m, c - g) + 1):
            if charge(g, w) > w * table[g]:
                return f"(C) fails at {place}: {w} units are charged above the dual price at {g}"
    for g in range(c - m + 1, c + 1):
        if table[g] / scale < U:
            return (
                f"(F) fails at {place}: with {g} of {c} GPUs sold a bundle of {m} may not fit, "
                f"but the price {float(table[g] / scale):.6g} is below U = {float(U):.6g}"
            )
    return ""


def _increments(
    table: tuple[int, ...], charge: Charge, scale: Fraction, c: int, m: int
) -> set[tuple[Fraction, Fraction]]:
    """Return the (C(g, w)/w, c (d(g+w) - d(g))/w) of (I): t1 first + t2 L >= second.

    Of lines with equal first part only the steepest matters.
    """
    steepest: dict[Fraction, Fraction] = {}
    for g in range(c):
        for w in range(1, min(m, c - g) + 1):
            rise = Fraction(c * (table[g + w] - table[g]), w)
            base = Fraction(charge(g, w), w)
            if rise > steepest.get(base, Fraction(0)):
                steepest[base] = rise
    return {(base / scale, rise / scale) for base, rise in steepest.items()}


def check_threshold(truth: Foreknowledge, tables: PriceTables) -> Checked:
    """Check T9: one resource, every schedule holds one unit of it, values in (k(0), U].

    With S(n) = sum_(i<n) k(i) and tau the number of entries below every value: OPT <= alpha P for
    alpha = max(1, max_(n >= tau) c k(n)/S(n)), since fewer than tau sold means nobody was rejected.
    """
    if len(tables.tables) != 1:
        return Checked(f"T9 needs one resource; here are {len(tables.tables)}")
    if truth.least_density == 0:
        return Checked("", Fraction(1))
    ((place, table),) = tables.tables.items()
    c, U = truth.capacity[place], truth.value_per_unit[place]
    if truth.bundle[place] > 1 or truth.most_units > 1:
        return Checked("T9 needs unit demand; here a schedule may hold several units")
    failure = _check_table(place, table, lambda g, w: w * table[g], tables.scale, c, 1, U)
    if failure:
        return Checked(failure)
    below = sum(price / tables.scale < truth.least_density for price in table)
    if below == 0:
        return Checked(f"T9 needs values above k(0) = {float(table[0] / tables.scale):.6g}")
    alpha = Fraction(1)
    for n in range(below, c + 1):
        sold = sum(table[:n])
        if sold == 0:
            return Checked("T9 needs a positive price below every value")
        alpha = max(alpha, Fraction(c * table[n], sold))
    return Checked("", alpha)


def smallest_constant(lines: set[tuple[Fraction, Fraction]], L: Fraction) -> Fraction:
    """Return min t1 + t2 over t1 >= 1, t2 >= 0 with k t1 + L t2 >= b for all (k, b), exactly.

    t1 + max_i (b_i - k_i t1)/L is convex and piecewise linear in t1: walk right along the binding
    lines while they fall faster than t1 grows (k > L). L > 0 unless there are no lines.
    """
    t1 = Fraction(1)
    while lines:
        t2, k = max((((b - k * t1) / L, -k) for k, b in lines))
        k = -k
        if t2 <= 0:
            return t1
        if k <= L:
            return t1 + t2
        top = k * t1 + L * t2
        crossings = ((top - b) / (k - other) for other, b in lines if other < k)
        t1 = min([top / k, *(crossing for crossing in crossings if crossing > t1)])
    return t1
