"""The check of T14 on any table: the constant by enumeration, and each condition seen to fail."""

from fractions import Fraction
from itertools import accumulate, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.mixed_hypotheses import check_mixed_threshold
from hadaropt.online.prices.rounding import RoundedTables


def known(*tables, m=2, U=4, L=2):
    """What is true of as many resources as there are tables."""
    c = len(tables[0]) - 1
    places = [(0, r) for r in range(len(tables))]
    return Foreknowledge(
        "type",
        dict.fromkeys(places, c),
        dict.fromkeys(places, Fraction(U)),
        dict.fromkeys(places, m),
        Fraction(L),
        Fraction(1),
        Fraction(1),
        m,
        Fraction(1),
    )


def check(*tables, m=2, U=4, L=2, capped=False):
    truth = known(*tables, m=m, U=U, L=L)
    rows = dict(zip(truth.capacity, tables, strict=True))
    return check_mixed_threshold(truth, RoundedTables(rows, Fraction(1), 1.0, {}), capped=capped)


def paid(table, m, g):
    """The least that is paid for g units, over all orders of bundles."""
    best = []
    for parts in range(g + 1):
        for sizes in product(range(1, m + 1), repeat=parts):
            if sum(sizes) == g:
                loads = [0, *accumulate(sizes)]
                best.append(sum(w * table[at] for w, at in zip(sizes, loads, strict=False)))
    return min(best)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=7), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_the_constant_is_the_worst_over_all_loads(rises, m):
    table = tuple(accumulate(rises, initial=1))
    c = len(table) - 1
    found = check(table, m=m, U=table[c - m + 1], L=2)
    above = [g for g in range(1, c + 1) if table[g] >= 2]
    assert found.failure == ""
    assert found.constant == max(
        [Fraction(1), *(Fraction(c * table[g], paid(table, m, g)) for g in above)]
    )


@pytest.mark.parametrize(
    ("table", "changes", "why"),
    [
        ((1, 3, 2, 4, 4), {}, "(M) fails"),
        ((1, 2, 3, 3, 4), {}, "(F) fails"),
        ((2, 2, 4, 4, 4), {}, "values above k(0)"),
        ((0, 0, 4, 4, 4), {"L": Fraction(1, 2)}, "positive price"),
    ],
)
def test_each_condition_can_fail(table, changes, why):
    assert why in check(table, **changes).failure


def test_one_resource_is_needed_and_nothing_of_value_needs_nothing():
    assert "one resource" in check((1, 4, 4), (1, 4, 4)).failure
    assert check((1, 1, 1), L=0).constant == 1


def test_capped_prices_are_those_that_the_values_can_pay():
    """T16: beyond U = 4 a price is as good as 4; c k/S is 4 * 4/2 in place of 4 * 8/2."""
    table = [1, 1, 8, 8, 8]
    assert check(table, m=1).constant == 4 * 8 / 2
    found = check(table, m=1, capped=True)
    assert (found.failure, found.constant) == ("", 4 * 4 / 2)
    assert check([1, 1, 3, 3, 4], m=1, capped=True).constant == check([1, 1, 3, 3, 4], m=1).constant
    assert "T16 needs one resource" in check(table, table, m=1, capped=True).failure
