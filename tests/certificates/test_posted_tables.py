"""The hypotheses of T4 on price tables: the share t1, and how much is looked at."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.certificates import posted_tables, verify
from hadaropt.certificates.ranges import ranges_of
from hadaropt.errors import LimitError
from tests.certificates.test_posted import PRICES, stated


def test_too_many_prices_are_refused(monkeypatch):
    instance, _, made = stated()
    monkeypatch.setattr(posted_tables, "MAX_STEPS", 1)
    with pytest.raises(LimitError, match="too many prices"):
        verify(instance, made)


@pytest.mark.parametrize("price", PRICES)
def test_the_least_share_of_a_run_satisfies_i_and_no_smaller_one_does(price):
    instance, run, made = stated(price)
    ranges, constant = ranges_of(instance, made.pool), run.theorem.constant
    least = posted_tables.least_share(made.posted, ranges, constant)
    assert 1 <= least <= constant
    if least > 1:
        with pytest.raises(AssertionError):
            holds_with(made.posted, ranges, least - Fraction(1, 10**9), constant)
    holds_with(made.posted, ranges, least, constant)


def holds_with(prices, ranges, t1, constant):
    """Check (I) as it is written."""
    L = ranges.least_density
    for place, c in ranges.capacity.items():
        for g in range(c):
            for w in range(1, min(ranges.bundle[place], c - g) + 1):
                rise = prices.price(place, g + w) - prices.price(place, g)
                assert c * rise <= t1 * prices.charge(place, g, w) + (constant - t1) * L * w


@settings(max_examples=200, deadline=None)
@given(
    L=st.fractions(Fraction(1, 9), 9, max_denominator=9),
    constant=st.fractions(1, 30, max_denominator=7),
    scale=st.fractions(Fraction(1, 5), 50, max_denominator=5),
    bundles=st.lists(
        st.tuples(st.integers(1, 6), st.integers(0, 400), st.integers(0, 900)), max_size=6
    ),
)
def test_shares_of_charge_and_worth_are_an_interval(L, constant, scale, bundles):
    low, high = Fraction(1), constant
    share = posted_tables._Share(L, constant, scale)
    for w, charge, rise in bundles:
        base, need = Fraction(charge, w) / scale, Fraction(rise, w) / scale - constant * L
        if base > L:
            low = max(low, need / (base - L))
        elif base < L:
            high = min(high, need / (base - L))
        elif need > 0:
            high = Fraction(0)
        allowed = share.allows(w, charge, rise)
        assert allowed == (low <= high)
        if not allowed:
            return
