"""The hypotheses of the master theorem T4, checked exactly on rounded price tables.

d(g) is the dual price of a GPU when g of the c GPUs of a resource are sold. C(g, w) is what a
bundle of w GPUs is charged then: w d(g), unless the price function charges by the bundle (T8). A
schedule is worth u and holds w GPUs of a resource; U, m and L are those of `Foreknowledge`.

(M) d(g) <= d(g+1), d(0) >= 0.
(C) C(g, w) <= w d(g).
(F) if g + w > c, then d(g) w >= u: ONE resource prices out the whole job. With u <= U w and w <= m
    it is enough that d(g) >= U from g = c - m + 1 on.
(I) if g + w <= c: c (d(g+w) - d(g)) <= t1 C(g, w) + t2 L w.
(V) sum_r L w_r <= u.

Only states that a run can reach matter: g + w is at most what all jobs together can hold, which
is where a table ends (`Foreknowledge.reach`); if that is less than c - m + 1, (F) has no case.

Then OPT <= (t1 + t2) P + sum c d(0), where t1 >= 1 and t2 >= 0. Some t1 and t2 satisfy (I) on every
table, as L > 0: the check returns the smallest sum.

T9 (one resource, unit demand) has conditions of its own: see `check_threshold`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np

from hadaropt.exact import nearest_float, to_text
from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import MOST_CHARGES
from hadaropt.online.prices.rounding import RoundedTables
from hadaropt.online.prices.tables import Resource
from hadaropt.online.state import Ints

_BLOCK = 1 << 20
"""Slopes that are compared at a time."""


@dataclass(frozen=True)
class Violation:
    """Where a hypothesis fails.

    Attributes
    ----------
    hypothesis : {"M", "C", "F"}
    resource : tuple of int
        (t, r) or (t, h, r).
    sold, units : int
        g, the GPUs that are sold; w, those of the bundle.
    found, bound : Fraction
        The two sides of the inequality: ``found`` has to be at least ``bound`` for (M) and (F), at
        most ``bound`` for (C).
    reason : str
        In words.
    """

    hypothesis: str
    resource: Resource
    sold: int
    units: int
    found: Fraction
    bound: Fraction
    reason: str

    def __str__(self) -> str:
        return f"({self.hypothesis}) fails at {in_words(self.resource)}: {self.reason}"


def in_words(place: Resource) -> str:
    """Return a resource in words: ``round 3, node 1, type 0``."""
    kinds = ("round", "type") if len(place) == 2 else ("round", "node", "type")
    return ", ".join(f"{kind} {i}" for kind, i in zip(kinds, place, strict=True))


@dataclass(frozen=True)
class Checked:
    """What holds of the tables.

    Attributes
    ----------
    failure : str
        "" if all hypotheses hold; else which one fails, with the place and the values.
    constant : Fraction
        The smallest t1 + t2 for which (I) holds on the tables.
    additive : Fraction
        sum c d(0).
    violation : Violation or None
        The same as ``failure``, where it is one of (M), (C) and (F).
    """

    failure: str
    constant: Fraction = Fraction(0)
    additive: Fraction = Fraction(0)
    violation: Violation | None = None

    @classmethod
    def failing(cls, violation: Violation) -> Checked:
        """Return that a hypothesis fails."""
        return cls(str(violation), violation=violation)


MOST_PAIRS = 500_000_000
"""Pairs (g, w) of all tables together that are looked at, some ten seconds' work, where bundles are
charged w times the price of a GPU; `MOST_CHARGES` where each has a charge of its own."""
Line = tuple[int, int, int]
"""d(g), d(g + w) - d(g), and w."""

Charge = Callable[[int, int], int]
"""(g, w) -> C(g, w) in units of 1/scale."""


def check_hypotheses(truth: Foreknowledge, tables: RoundedTables) -> Checked:
    """Check (M), (C), (F), (I), (V) on the tables against the true ranges of the instance.

    (V) holds for L = ``truth.least_density`` by how that is computed; the true U and m are used,
    not those that the price function was told.
    """
    additive = sum(
        (c * tables.tables[place][0] / tables.scale for place, c in truth.capacity.items()),
        Fraction(0),
    )
    if truth.least_density == 0:  # no schedule is worth anything: OPT = 0
        return Checked("", Fraction(1), additive)
    lines: set[tuple[Fraction, Fraction]] = set()
    seen: set[tuple[object, ...]] = set()
    pairs, most = 0, MOST_PAIRS if tables.marginals is None else MOST_CHARGES
    for place, table in tables.tables.items():
        c, m, U = truth.capacity[place], truth.bundle[place], truth.value_per_unit[place]
        key = (id(table), c, m, U)
        if key in seen:
            continue
        seen.add(key)
        pairs += len(table) * min(m, len(table))
        if pairs > most:
            return Checked(
                f"its hypotheses were not checked: {len(table)} prices and bundles of up to {m} "
                f"GPUs make more than {most} pairs"
            )
        charge = charge_of(tables, place)
        violation = check_table(
            place, table, charge, tables.scale, c, m, U, tables.marginals is None
        )
        if violation is not None:
            return Checked.failing(violation)
        if tables.marginals is None:
            lines |= linear_increments(table, tables.scale, c, m)
        else:
            lines |= increments(table, charge, tables.scale, c, m)
    return Checked("", smallest_constant(lines, truth.least_density), additive)


def charge_of(tables: RoundedTables, place: Resource) -> Charge:
    """Return what a bundle is charged on a resource."""
    if tables.marginals is None:
        table = tables.tables[place]
        return lambda g, w: w * table[g]
    sums = [tuple(accumulate(row, initial=0)) for row in tables.marginals[place]]
    return lambda g, w: sums[g][w]


def check_table(
    place: Resource,
    table: Sequence[int],
    charge: Charge,
    scale: Fraction,
    c: int,
    m: int,
    U: Fraction,
    linear: bool,
) -> Violation | None:
    """Return where (M), (C) or (F) fails on one table, if it does; linear charges satisfy (C)."""

    def fails(name: str, g: int, w: int, found: int, bound: Fraction, reason: str) -> Violation:
        return Violation(name, place, g, w, found / scale, bound, reason)

    if table[0] < 0:
        reason = f"the price of the first GPU is {_shown(table[0] / scale)} < 0"
        return fails("M", 0, 1, table[0], Fraction(0), reason)
    for g, (now, after) in enumerate(pairwise(table)):
        if after < now:
            reason = (
                f"the price falls from {_shown(now / scale)} with g = {g} GPUs sold to "
                f"{_shown(after / scale)} with {g + 1}"
            )
            return fails("M", g + 1, 1, after, now / scale, reason)
    top = len(table) - 1  # no more GPUs are ever sold
    for g in range(0 if linear else top):
        for w in range(1, min(m, top - g) + 1):
            if charge(g, w) > w * table[g]:
                reason = (
                    f"with g = {g} GPUs sold a bundle of w = {w} is charged "
                    f"{_shown(charge(g, w) / scale)}, above w times the dual price "
                    f"{_shown(table[g] / scale)}"
                )
                return fails("C", g, w, charge(g, w), w * table[g] / scale, reason)
    for g in range(c - m + 1, top + 1):
        if table[g] / scale < U:
            reason = (
                f"with g = {g} of {c} GPUs sold a bundle of w = {m} may not fit, but the price "
                f"{_shown(table[g] / scale)} is below U = {_shown(U)}"
            )
            return fails("F", g, m, table[g], U, reason)
    return None


def _shown(number: Fraction) -> str:
    """Return a number exactly where that is short, else to six digits."""
    exact = to_text(number)
    return exact if len(exact) <= 12 else f"{nearest_float(number):.6g}"


def increments(
    table: Sequence[int], charge: Charge, scale: Fraction, c: int, m: int
) -> set[tuple[Fraction, Fraction]]:
    """Return pairs (base, rise) = (C(g, w)/w, c (d(g+w) - d(g))/w): (I) is t1 base + t2 L >= rise.

    Of the pairs with the same base only the one of the largest rise matters.
    """
    steepest: dict[tuple[int, int], tuple[int, int]] = {}  # base and rise in whole numbers
    top = len(table) - 1
    for g in range(top):
        for w in range(1, min(m, top - g) + 1):
            rise = table[g + w] - table[g]
            if rise == 0:
                continue
            charged = charge(g, w)
            common = math.gcd(charged, w)
            base = charged // common, w // common
            known = steepest.get(base)
            if known is None or rise * known[1] > known[0] * w:
                steepest[base] = rise, w
    return {
        (Fraction(*base) / scale, Fraction(c * rise, w) / scale)
        for base, (rise, w) in steepest.items()
    }


def linear_increments(
    table: Sequence[int], scale: Fraction, c: int, m: int
) -> set[tuple[Fraction, Fraction]]:
    """Return those pairs of `increments`, under linear charges, that can bind for some t1 >= 1.

    Then (base, rise) = (d(g), c times the steepest slope from g to one of the next m levels). The
    slopes are compared as floats, and exactly where floats cannot tell them apart; of the pairs,
    the rising part of the upper hull is kept.
    """
    hull: list[Line] = []  # with increasing d(g)
    for g, w in steepest_slopes(table, m):
        point = table[g], table[g + w] - table[g], w
        if hull and hull[-1][0] == table[g]:
            if point[1] * hull[-1][2] <= hull[-1][1] * w:
                continue
            hull.pop()
        elif point[1] == 0:
            continue
        while len(hull) > 1 and _is_below(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    found = [(base / scale, Fraction(c * rise, w) / scale) for base, rise, w in hull]
    while len(found) > 1 and found[-1][1] <= found[-2][1]:
        found.pop()
    return set(found)


def _is_below(first: Line, middle: Line, last: Line) -> bool:
    """Return whether the middle one of three (base, rise, width) is on or below the outer two."""
    left = (middle[1] * first[2] - first[1] * middle[2]) * (last[0] - first[0]) * last[2]
    right = (last[1] * first[2] - first[1] * last[2]) * (middle[0] - first[0]) * middle[2]
    return left <= right


def steepest_slopes(table: Sequence[int], m: int) -> Iterator[tuple[int, int]]:
    """Yield (g, w) with the largest (d(g + w) - d(g))/w over w = 1 .. m, for every g < top.

    A float quotient is off by less than 2^-50 of its value, so that only those that are closer than
    that to the largest one need be compared exactly.
    """
    top = len(table) - 1
    if table[-1] >= 2**62:
        candidates: Iterator[tuple[int, list[int]]] = (
            (g, list(range(1, min(m, top - g) + 1))) for g in range(top)
        )
    else:
        candidates = _near_steepest(np.array(table, np.int64), min(m, top))
    for g, widths in candidates:
        best = widths[0]
        for w in widths[1:]:
            if (table[g + w] - table[g]) * best > (table[g + best] - table[g]) * w:
                best = w
        yield g, best


def _near_steepest(levels: Ints, m: int) -> Iterator[tuple[int, list[int]]]:
    """Yield every g with the w whose slopes floats cannot tell from the steepest one."""
    top = len(levels) - 1
    block = max(1, _BLOCK // max(1, m))
    widths = np.arange(1, m + 1)
    for begin in range(0, top, block):
        g = np.arange(begin, min(top, begin + block))
        ends = g[:, None] + widths
        inside = ends <= top
        rise = levels[np.minimum(ends, top)] - levels[g][:, None]
        slope = np.where(inside, rise / widths, -1.0)
        near = slope >= slope.max(axis=1, keepdims=True) * (1 - 2.0**-49)
        for k, row in enumerate(near):
            yield begin + k, (np.flatnonzero(row) + 1).tolist()


def check_threshold(truth: Foreknowledge, tables: RoundedTables) -> Checked:
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
    charge = charge_of(tables, place)
    violation = check_table(place, table, charge, tables.scale, c, 1, U, linear=True)
    if violation is not None:
        return Checked.failing(violation)
    below = sum(price / tables.scale < truth.least_density for price in table)
    if below == 0:
        return Checked(f"T9 needs values above k(0) = {_shown(table[0] / tables.scale)}")
    alpha = Fraction(1)
    for n in range(below, len(table)):
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
    # Whole multiples of one unit: exact, and far faster than with fractions.
    units = math.lcm(*(number.denominator for line in lines for number in line))
    rows = [(int(k * units), int(b * units)) for k, b in lines]
    t1 = Fraction(1)
    while rows:
        p, q = t1.numerator, t1.denominator
        above, low, top = max((b * q - k * p, -k, b) for k, b in rows)
        k, t2 = -low, Fraction(above, units * q) / L
        if t2 <= 0:
            return t1
        if Fraction(k, units) <= L:
            return t1 + t2
        up, down = top, k  # where the binding line meets 0, or another line before
        for other, b in rows:
            if (
                other < k
                and q * (top - b) > p * (k - other)
                and (top - b) * down < up * (k - other)
            ):
                up, down = top - b, k - other
        t1 = Fraction(up, down)
    return t1
