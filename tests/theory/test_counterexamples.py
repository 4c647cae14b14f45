"""FALSE: the exponential price with the differential argument (proofs/written/09-errata.md).

Exact rationals; the tables are geometric with rational roots, so k(g) = L (U/L)^(g/c) exactly.
"""

from fractions import Fraction

import pytest

from tests.theory.abstract import Abstract, Offer, certificate, linear, optimum, run

BELOW_E = Fraction(2718, 1000)  # < e
ABOVE_LN2 = Fraction(694, 1000)


def one_resource(c, *jobs):
    return Abstract((c,), tuple((Offer(Fraction(u), (w,)),) for w, u in jobs))


def tables(*rows):
    return linear(lambda r, g: rows[r][g])


def geometric(row):
    """The row is L (U/L)^(g/c): constant ratio."""
    return all(a * c == b * b for a, b, c in zip(row, row[1:], row[2:], strict=False))


def booked_dual(instance, rows, outcome):
    prices = [rows[r][g] for r, g in enumerate(outcome.loads)]
    supply = sum(c * k for c, k in zip(instance.caps, prices, strict=True))
    return sum(outcome.booked) + supply, prices


def test_3_1_dual_infeasible_and_below_the_optimum():
    row = (Fraction(1, 4), Fraction(1), Fraction(4))
    instance = one_resource(2, (1, 1), (2, 8))
    outcome = run(instance, tables(row))
    dual, prices = booked_dual(instance, [row], outcome)
    assert geometric(row)
    assert outcome.loads == (1,)
    assert outcome.taken[1] is None
    assert outcome.value == 1
    assert 8 - 2 * prices[0] == 6
    assert dual == Fraction(11, 4) < optimum(instance) == 8
    assert 2 * row[0] <= Fraction(8, 2)
    assert certificate(instance, prices) == 8


def test_3_1_ratio_with_the_published_L():
    """L = u_min/(4 sum c) = 1/8, B worth 16, U = 8: 16 > 2 ln 64 as e^8 > 64."""
    row = (Fraction(1, 8), Fraction(1), Fraction(8))
    instance = one_resource(2, (1, 1), (2, 16))
    outcome = run(instance, tables(row))
    dual, _ = booked_dual(instance, [row], outcome)
    assert geometric(row)
    assert outcome.value == 1
    assert optimum(instance) == 16
    assert dual == Fraction(23, 8)
    assert 16 * outcome.value > 12 * ABOVE_LN2
    assert BELOW_E**8 > 64


def test_3_1_equal_bundles():
    row = (Fraction(1, 8), Fraction(1, 2), Fraction(2), Fraction(8))
    instance = one_resource(3, (2, 1), (2, 16))
    outcome = run(instance, tables(row))
    dual, prices = booked_dual(instance, [row], outcome)
    assert geometric(row)
    assert prices == [2]
    assert 16 - 2 * prices[0] == 12
    assert dual == Fraction(27, 4) < optimum(instance) == 16


def test_3_1_is_minimal():
    """With one unit, full means price U, and no dual can be infeasible."""
    for u in range(1, 40):
        row = (Fraction(1, 4), Fraction(u))
        instance = one_resource(1, (1, 1), (1, u))
        outcome = run(instance, tables(row))
        dual, _ = booked_dual(instance, [row], outcome)
        assert dual >= optimum(instance)


@pytest.mark.parametrize(("quarter", "most"), [(2, 5), (4, 7)])
def test_3_2_ratio_fails_with_a_feasible_dual(quarter, most):
    """u = 1 then M on one GPU, L = u_min/quarter, U = M: M > 2 ln(M quarter) exactly."""
    row = (Fraction(1, quarter), Fraction(most))
    instance = one_resource(1, (1, 1), (1, most))
    outcome = run(instance, tables(row))
    dual, prices = booked_dual(instance, [row], outcome)
    assert outcome.value == 1
    assert most - prices[0] <= 0
    assert dual >= optimum(instance) == most
    assert row[0] <= Fraction(most, 2)
    assert BELOW_E**most > (most * quarter) ** 2


def test_3_2_is_the_least_integer():
    """6 < 2 ln 24: e^6 < 576, with e < 2719/1000."""
    assert Fraction(2719, 1000) ** 6 < 24**2


def test_3_3_dividing_by_the_total_number_of_units():
    instance = Abstract((1, 1), ((Offer(Fraction(1), (1, 0)),), (Offer(Fraction(8), (1, 1)),)))
    rows = [(Fraction(1, 8), Fraction(4))] * 2
    outcome = run(instance, tables(*rows))
    dual, prices = booked_dual(instance, rows, outcome)
    assert outcome.taken[1] is None
    assert 8 - sum(prices) == Fraction(31, 8)
    assert dual == 5 < optimum(instance) == 8
    repaired = [(Fraction(1, 8), Fraction(8))] * 2
    outcome = run(instance, tables(*repaired))
    dual, prices = booked_dual(instance, repaired, outcome)
    assert 8 - sum(prices) <= 0
    assert dual == 9


@pytest.mark.parametrize("c", [2, 3, 10, 40])
def test_3_3_at_any_capacity_with_unit_demands(c):
    """c jobs worth 4 on node 0, then c gangs worth 8 over both: booked dual < OPT = 8 c.

    The prices may be lower than 4 between the ends: only k(0) = 1/8 and k(c) = 4 matter.
    """
    first, gang = Offer(Fraction(4), (1, 0)), Offer(Fraction(8), (1, 1))
    instance = Abstract((c, c), ((first,),) * c + ((gang,),) * c)
    q = next(Fraction(1024 + i, 1024) for i in range(2**15) if (1024 + i) ** c >= 32 * 1024**c)
    row = [Fraction(1, 8) * q**g for g in range(c)] + [Fraction(4)]
    assert row == sorted(row)
    outcome = run(instance, tables(row, row))
    dual, prices = booked_dual(instance, [row, row], outcome)
    assert outcome.taken[c:] == (None,) * c
    assert 8 - sum(prices) == Fraction(31, 8)
    assert dual < optimum(instance) == 8 * c


@pytest.mark.parametrize(("c", "d"), [(1, 1), (3, 2), (20, 5)])
def test_3_4_at_any_capacity_nobody_is_accepted(c, d):
    instance = Abstract((c,) * d, ((Offer(Fraction(1), (1,) * d),),) * c)
    outcome = run(instance, tables(*[[Fraction(1)] * (c + 1)] * d))
    assert outcome.value == 0
    assert optimum(instance) == c


@pytest.mark.parametrize("d", [1, 2, 6])
def test_3_4_L_per_single_resource_rejects_the_only_job(d):
    instance = Abstract((1,) * d, ((Offer(Fraction(1), (1,) * d),),))
    rows = [(Fraction(1), Fraction(1))] * d
    outcome = run(instance, tables(*rows))
    assert outcome.value == 0
    assert optimum(instance) == 1
    assert sum(row[0] for row in rows) > Fraction(1, 2)
    total = [
        (Fraction(1, 2 * d), Fraction(1))
    ] * d  # L by total units, halved so that the payoff is positive
    assert run(instance, tables(*total)).value == 1


@pytest.mark.parametrize(("c", "spread"), [(1, 8), (2, 50), (3, 260), (4, 1200)])
def test_the_published_constant_is_out_of_reach_on_small_nodes(c, spread):
    """No rule meets a = 2 max(1, ln(4 c U/L)) on c GPUs, unit demand, for U/L this large.

    By T10 it would need c U <= a s_c(a), s_0 = 0, s_(i+1) = s_i + max(L, (a/c) s_i).
    """
    eighths = next(i for i in range(8, 400) if BELOW_E**i >= Fraction(4 * c * spread) ** 8)
    a = 2 * Fraction(eighths, 8)  # at least 2 max(1, ln(4 c U/L))
    sold = Fraction(0)
    for _ in range(c):
        sold += max(Fraction(1), a / c * sold)
    assert c * spread > a * sold
