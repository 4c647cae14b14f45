"""The hypotheses of the master theorem T4, checked exactly on integer price tables.

(M) k(g) <= k(g+1), k(0) >= 0.
(F) if g + w > c for a schedule that holds w units, then k(g) w >= u: ONE resource prices out the
    whole job. With u <= U w and w <= m it is enough that k(g) >= U from g = c - m + 1 on.
(I) if g + w <= c: c (k(g+w) - k(g)) <= w (t1 k(g) + t2 L).
(V) sum_r L w_r <= u.
Then OPT <= (t1 + t2) P + sum c k(0).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hadaropt.online.foreknowledge import Foreknowledge, Resource
from hadaropt.online.prices import PriceTables


@dataclass(frozen=True)
class Checked:
    """What holds of the tables.

    Attributes
    ----------
    failure : str
        "" if (M), (F), (I) and (V) hold; else the first that fails, with the place.
    constant : Fraction
        The smallest t1 + t2 with t1 >= 1, t2 >= 0 for which (I) holds on the tables.
    additive : Fraction
        sum c k(0).
    """

    failure: str
    constant: Fraction
    additive: Fraction


def check_hypotheses(truth: Foreknowledge, tables: PriceTables) -> Checked:
    """Check (M), (F), (I), (V) on the tables against the true ranges of the instance.

    (V) holds for L = ``truth.least_density`` by how that is computed; the true U and m are used,
    not those that the tables were told.
    """
    additive = Fraction(0)
    lines: set[tuple[Fraction, Fraction]] = set()
    seen: set[tuple[object, ...]] = set()
    for place, table in tables.tables.items():
        c, m, U = truth.capacity[place], truth.bundle[place], truth.value_per_unit[place]
        additive += c * table[0] / tables.scale
        key = (table, c, m, U)
        if key in seen:
            continue
        seen.add(key)
        failure = _check_table(place, table, tables.scale, c, m, U)
        if failure:
            return Checked(failure, Fraction(0), additive)
        lines |= _increments(table, tables.scale, c, m)
    return Checked("", smallest_constant(lines, truth.least_density), additive)


def _check_table(
    place: Resource, table: tuple[int, ...], scale: Fraction, c: int, m: int, U: Fraction
) -> str:
    if table[0] < 0 or any(a > b for a, b in pairwise(table)):
        return f"(M) fails at {place}: the table is not non-negative and non-decreasing"
    for g in range(c - m + 1, c + 1):
        if table[g] / scale < U:
            return (
                f"(F) fails at {place}: with {g} of {c} GPUs sold a bundle of {m} may not fit, "
                f"but the price {float(table[g] / scale):.6g} is below U = {float(U):.6g}"
            )
    return ""


def _increments(
    table: tuple[int, ...], scale: Fraction, c: int, m: int
) -> set[tuple[Fraction, Fraction]]:
    """Return the (k(g), c (k(g+w) - k(g)) / w) of (I): for each g, only the steepest w matters."""
    lines = set()
    for g in range(c):
        steepest = max(
            (Fraction(c * (table[g + w] - table[g]), w) for w in range(1, min(m, c - g) + 1)),
        )
        if steepest > 0:
            lines.add((table[g] / scale, steepest / scale))
    return lines


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
