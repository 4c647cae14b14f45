"""The hypotheses of T4 on price tables: the share t1, and how much is looked at."""

from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from hadaropt.certificates import posted_tables, verify
from hadaropt.certificates.posted_document import Posted, Table
from hadaropt.certificates.ranges import Ranges, ranges_of
from hadaropt.errors import CertificateError, LimitError
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


@st.composite
def linear_tables(draw):
    """Tables without charges, the ranges of their places, and a constant near what they need."""
    count = draw(st.integers(1, 3))
    heights = st.lists(st.integers(0, 12), min_size=2, max_size=9)
    rows = [tuple(accumulate(draw(heights))) for _ in range(count)]
    capacity = {(0, i): len(row) - 1 for i, row in enumerate(rows)}
    bundle = {place: draw(st.integers(1, c)) for place, c in capacity.items()}
    zero = dict.fromkeys(capacity, Fraction(0))
    density = draw(st.fractions(0, 9, max_denominator=4))
    ranges = Ranges(capacity, zero, bundle, capacity, density, 1)
    scale = draw(st.fractions(Fraction(1, 3), 4, max_denominator=3))
    tables = tuple(Table(row, None) for row in rows)
    posted = Posted(scale, tables, {place: place[1] for place in capacity})
    return posted, ranges, draw(st.fractions(1, 40, max_denominator=5))


def charged_one_by_one(posted):
    """The same prices, with every charge written out: all bundles are looked at."""
    tables = tuple(
        Table(row, tuple((price,) * (len(row) - 1 - g) for g, price in enumerate(row[:-1])))
        for row in (table.prices for table in posted.tables)
    )
    return Posted(posted.scale, tables, posted.table_of)


def verdict(*case):
    """What a check says: the message, or None."""
    try:
        posted_tables.check_tables(*case)
    except CertificateError as error:
        return str(error)
    return None


@settings(max_examples=300, deadline=None)
@given(linear_tables())
def test_the_steepest_rises_decide_as_all_bundles_do_in_the_same_words(case):
    posted, *rest = case
    full = charged_one_by_one(posted)
    assert verdict(posted, *rest) == verdict(full, *rest)
    assert posted_tables.least_share(posted, *rest) == posted_tables.least_share(full, *rest)


@pytest.mark.parametrize("accepted", [False, True])
def test_tables_of_both_verdicts_are_drawn(accepted):
    find(
        linear_tables(), lambda case: case[1].least_density and (verdict(*case) is None) == accepted
    )


def test_a_steep_rise_inside_a_bundle_is_found():
    place = (0, 0)
    posted = Posted(Fraction(1), (Table((1, 1, 9, 9, 9), None),), {place: 0})
    one = {place: 4}
    ranges = Ranges(one, {place: Fraction(0)}, {place: 3}, one, Fraction(1), 4)
    # worst is (9 - 1) at g = 1, w = 1: 4 * 8 <= constant, as charge and L are both 1
    assert verdict(posted, ranges, Fraction(32)) is None
    refused = verdict(posted, ranges, Fraction(32) - Fraction(1, 100))
    assert "with 1 of 4 GPUs sold a bundle of 1 raises" in refused
