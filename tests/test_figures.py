"""Numbers for people: rounded to the side that keeps what is said true."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.figures import SHOWN_WHOLE, at_most, counted, decimal, number

positive = st.fractions(min_value=Fraction(1, 10**30), max_value=10**30)


@settings(max_examples=50, deadline=None)
@given(positive, st.integers(1, 12))
def test_decimals_are_rounded_to_the_side_that_is_asked_for(value, digits):
    low = Fraction(decimal(value, digits, down=True))
    high = Fraction(decimal(value, digits, up=True))
    near = Fraction(decimal(value, digits))
    assert low <= value <= high and low <= near <= high
    unit = Fraction(10) ** (len(str(int(value))) if value >= 1 else 0) / 10 ** (digits - 1)
    assert high - low <= max(unit, value * Fraction(10) / 10 ** (digits - 1))


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(40, 6, "40"), (999999, 6, "999999"), (10**6, 6, "1e+6"), (120, 2, "1.2e+2"), (0, 6, "0")],
)
def test_whole_numbers_are_written_out_while_they_are_short(value, digits, text):
    assert decimal(Fraction(value), digits) == text


@settings(max_examples=50, deadline=None)
@given(positive, positive)
def test_a_ratio_is_never_said_to_be_less_than_it_is(bound, value):
    assert Fraction(at_most(bound, value)) >= bound / value


def test_ratios_without_a_value():
    assert (at_most(Fraction(0), Fraction(0)), at_most(Fraction(1), Fraction(0))) == ("1", "inf")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (0.1, "0.1"),
        (Fraction(7), "7"),
        (Fraction(10**40), str(10**40)),
        (Fraction(1, 3), "0.333333333 (1/3)"),
        (Fraction(1, 3**60), "2.35898249e-29 (rounded)"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


def test_an_upper_bound_is_rounded_up():
    third = Fraction(10**30 + 1, 3 * 10**30)
    assert len(f"{third}") > SHOWN_WHOLE
    assert number(third, up=True) == "0.333333334 (rounded up)"


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "job", "0 jobs"),
        (1, "copy", "1 copy"),
        (2, "copy", "2 copies"),
        (2, "day", "2 days"),
        (1_000_000, "node", "1,000,000 nodes"),
    ],
)
def test_counts_have_their_nouns(count, noun, text):
    assert counted(count, noun) == text
