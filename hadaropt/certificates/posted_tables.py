"""The hypotheses (M), (C), (F) and (I) of theorem T4 on posted price tables.

See `hadaropt.certificates.posted` for what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from fractions import Fraction
from itertools import accumulate, pairwise

from hadaropt.certificates.posted_document import Posted, Table
from hadaropt.certificates.ranges import Ranges
from hadaropt.errors import CertificateError, LimitError
from hadaropt.exact import to_text

MAX_STEPS = 2_000_000
"""Pairs (g, w) of all tables together that are looked at."""


def check_tables(posted: Posted, ranges: Ranges, constant: Fraction) -> None:
    """Check (M), (C), (F) and (I) on all tables; equal cases once."""
    L, scale = ranges.least_density, posted.scale
    if constant < 1:
        raise CertificateError("theorem.constant", "must be >= 1", to_text(constant))
    rising: set[int] = set()
    seen: set[tuple[int, int, int, int, Fraction]] = set()
    for place, c in ranges.capacity.items():
        i, m, U = posted.table_of[place], ranges.bundle[place], ranges.value_per_unit[place]
        if (i, c, m, ranges.reach[place], U) in seen:
            continue
        seen.add((i, c, m, ranges.reach[place], U))
        table, path = posted.tables[i], f"posted.tables[{i}]"
        check_length(table, path, c, ranges.reach[place])
        if i not in rising:
            check_monotone(table, path)
            rising.add(i)
        check_late(table, path, c, m, U * scale)
    share = _Share(L, constant, Fraction(scale))
    steps = 0
    for (i, c), m in _widest(posted, ranges).items():
        table, path = posted.tables[i], f"posted.tables[{i}]"
        top = len(table.prices) - 1
        steps += top * min(m, max(1, top))
        if steps > MAX_STEPS:
            raise LimitError("the theorem of this certificate: too many prices to check it")
        if L == 0:  # no schedule is worth anything: OPT = 0
            continue
        _check_rows(table, path, m)
        prices = table.prices
        if table.charges is None:
            narrowed = copy(share)
            if all(narrowed.allows(*bundle) for bundle in _steepest(prices, c, m)):
                share = narrowed
                continue
            # refused: all bundles in turn, for the first that the message is about
        for g, w, charge in _charges(table, m):
            if charge > w * prices[g]:
                rule = f"must charge at most {w} times the price (hypothesis C)"
                raise CertificateError(f"{path}.charges[{g}]", rule)
            if not share.allows(w, charge, c * (prices[g + w] - prices[g])):
                rule = (
                    f"is too small: with {g} of {c} GPUs sold a bundle of {w} raises the price by "
                    f"more than it pays for (hypothesis I, {path})"
                )
                raise CertificateError("theorem.constant", rule, to_text(constant))


def least_share(posted: Posted, ranges: Ranges, constant: Fraction) -> Fraction:
    """Return the least t1 with which (I) holds for t2 = constant - t1, if there is any such."""
    share = _Share(ranges.least_density, constant, Fraction(posted.scale))
    if ranges.least_density:
        for (i, c), m in _widest(posted, ranges).items():
            prices = posted.tables[i].prices
            if posted.tables[i].charges is None:
                for bundle in _steepest(prices, c, m):
                    share.allows(*bundle)
                continue
            for g, w, charge in _charges(posted.tables[i], m):
                share.allows(w, charge, c * (prices[g + w] - prices[g]))
    return share.least


def _widest(posted: Posted, ranges: Ranges) -> dict[tuple[int, int], int]:
    """Return the largest bundle by table and capacity: what holds for it holds for less."""
    found: dict[tuple[int, int], int] = {}
    for place, i in posted.table_of.items():
        c = ranges.capacity[place]
        found[i, c] = max(ranges.bundle[place], found.get((i, c), 0))
    return found


class _Share:
    """The interval of all t1 with which (I) holds for every bundle so far; t2 is constant - t1.

    In integers: (I) times w, the scale of the prices and the denominators of L and the constant.

    Parameters
    ----------
    L, constant, scale : Fraction
    """

    def __init__(self, L: Fraction, constant: Fraction, scale: Fraction) -> None:
        self._paid = L.denominator * constant.denominator * scale.denominator
        self._worth = L.numerator * constant.denominator * scale.numerator
        self._promised = L.numerator * constant.numerator * scale.numerator
        self._low = 1, 1
        self._high = constant.numerator, constant.denominator

    @property
    def least(self) -> Fraction:
        """The lower end, 1 or more."""
        return Fraction(*self._low)

    def allows(self, w: int, charge: int, rise: int) -> bool:
        """Narrow the interval by a bundle: t1 (charge - L w) >= rise - constant L w."""
        slope = charge * self._paid - w * self._worth
        need = rise * self._paid - w * self._promised
        if slope > 0:
            top, bottom = self._low
            if need * bottom > top * slope:
                self._low = need, slope
        elif slope < 0:
            top, bottom = self._high
            if -need * bottom < top * -slope:
                self._high = -need, -slope
        else:
            return need <= 0
        return self._low[0] * self._high[1] <= self._high[0] * self._low[1]


def check_length(table: Table, path: str, c: int, reach: int) -> None:
    """Check that a table is as long as any run needs."""
    top = len(table.prices) - 1
    if not min(c, reach) <= top <= c:
        rule = f"must hold {min(c, reach) + 1} to {c + 1} prices, for 0 GPUs sold and more"
        raise CertificateError(f"{path}.prices", rule, str(top + 1))


def _check_rows(table: Table, path: str, m: int) -> None:
    """Check that there is a charge for every bundle of up to m GPUs."""
    top = len(table.prices) - 1
    if table.charges is None:
        return
    if len(table.charges) < top:
        raise CertificateError(f"{path}.charges", f"must have {top} rows", str(len(table.charges)))
    for g, row in enumerate(table.charges):
        if len(row) < min(m, top - g):
            rule = f"must charge bundles of up to {min(m, top - g)} GPUs"
            raise CertificateError(f"{path}.charges[{g}]", rule, str(len(row)))


def check_monotone(table: Table, path: str) -> None:
    """Check (M) on one table."""
    for g, (now, after) in enumerate(pairwise(table.prices)):
        if after < now:
            rule = "must not be below the price before it (hypothesis M)"
            raise CertificateError(f"{path}.prices[{g + 1}]", rule, str(after))


def check_late(table: Table, path: str, c: int, m: int, U: Fraction) -> None:
    """Check (F) on one table; U in units of its prices."""
    for g in range(c - m + 1, len(table.prices)):
        if table.prices[g] < U:
            rule = f"must be at least U = {to_text(U)}, as {m} GPUs may not fit (hypothesis F)"
            raise CertificateError(f"{path}.prices[{g}]", rule, str(table.prices[g]))


def _charges(table: Table, m: int) -> list[tuple[int, int, int]]:
    """Return (g, w, C(g, w)) of all bundles of 1 .. m GPUs that fit."""
    top = len(table.prices) - 1
    found = []
    for g in range(top):
        most = min(m, top - g)
        if table.charges is None:
            found += [(g, w, w * table.prices[g]) for w in range(1, most + 1)]
        elif g < len(table.charges):
            sums = accumulate(table.charges[g][:most])
            found += [(g, w, charge) for w, charge in enumerate(sums, 1)]
    return found


def _steepest(prices: Sequence[int], c: int, m: int) -> Iterator[tuple[int, int, int]]:
    """Yield (w, charge, rise) of the one bundle at each g that (I) asks most of.

    Where bundles are charged w prices[g], (I) divided by w has c (prices[g + w] - prices[g]) / w
    on one side and what does not depend on w on the other: the steepest rise implies the others.
    (C) holds with equality.
    """
    for g, now in enumerate(prices[:-1]):
        steepest, at = prices[g + 1] - now, 1
        for w, price in enumerate(prices[g + 2 : g + m + 1], 2):
            if (price - now) * at > steepest * w:
                steepest, at = price - now, w
        yield at, at * now, c * steepest
