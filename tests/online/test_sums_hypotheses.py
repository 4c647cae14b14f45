"""The check of T19: each condition seen to fail, and the constant by hand."""

from fractions import Fraction

from hadaropt.online.prices.rounding import RoundedTables
from hadaropt.online.sums_hypotheses import check_sums
from tests.online.test_mixed_hypotheses import known


def check(k, *, m=2, U=8, L=2, rows=None, resources=1):
    """The charges of the sums of k, or others."""
    c = len(k)
    table = (*k, U)
    truth = known(*[table] * resources, m=m, U=U, L=L)
    sums = rows or [tuple(k[min(g + i, c - 1)] for i in range(m)) for g in range(c)]
    tables = dict.fromkeys(truth.capacity, table)
    rounded = RoundedTables(tables, Fraction(1), None, {}, dict.fromkeys(tables, sums))
    return check_sums(truth, rounded)


def test_the_constant_is_the_worst_over_loads_and_bundles():
    # S = 0, 1, 2, 5, 11 (c = 4): bundles of 2 do not fit from 3 on, c U/S(3) = 32/5
    # at 1: one for 1 < L, two for 4, c 4/(2 S) = 8; at 2: 4 * 3/2 = 6, two for 9: 4 * 9/(2 * 2) = 9
    assert check((1, 1, 3, 6)).constant == 9
    assert check((1, 1, 3, 6), m=1).constant == max(Fraction(6), Fraction(24, 5), Fraction(32, 11))


def test_the_first_bundle_must_be_below_every_value():
    assert "before any is refused" in check((1, 5, 6, 7)).failure
    assert check((1, 1, 6, 7)).failure == ""


def test_one_resource_and_sums_are_needed_and_nothing_of_value_needs_nothing():
    assert "one resource" in check((1, 1, 3, 6), resources=2).failure
    assert check((1, 1, 3, 6), L=0).constant == 1
    uneven = [(1, 1), (1, 4), (3, 6), (6, 6)]
    assert (
        "with 1 units sold the 2th further one costs 4" in check((1, 1, 3, 6), rows=uneven).failure
    )
    assert "charges >= 0" in check((1, 1, -1, 6)).failure


def test_charges_are_needed():
    truth = known((1, 1, 4), m=1, U=4, L=2)
    tables = RoundedTables({(0, 0): (1, 1, 4)}, Fraction(1), None, {})
    assert "needs charges" in check_sums(truth, tables).failure
