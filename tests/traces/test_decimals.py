"""Exact numbers from the text of a trace."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import TraceError
from hadaropt.traces.decimals import MISSING, exact, is_missing


@settings(max_examples=60, deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9)))
def test_a_decimal_is_what_its_text_says(value):
    if value and not 1e-100 < abs(value) < 1e100:
        return
    for text in (f"{value}", f"  {value}\t"):
        assert exact(text, "here") == Fraction(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("007", 7),
        (".5", Fraction(1, 2)),
        ("+2.", 2),
        ("-1e-3", Fraction(-1, 1000)),
        ("1E+2", 100),
        ("0.1", Fraction(1, 10)),
        ("9" * 100, 10**100 - 1),
    ],
)
def test_spellings_of_numbers(text, value):
    assert exact(text, "here") == value


@pytest.mark.parametrize("text", [*sorted(MISSING), "NaN", " NONE ", "\t"])
def test_spellings_of_no_value(text):
    assert is_missing(text)
    assert exact(text, "here") is None


@pytest.mark.parametrize(
    "text",
    ["inf", "-Infinity", "1,5", "1_000", "0x1f", "1e", "1e1234", "²", "٣", "1 2", "--1", "9" * 401],
)
def test_what_is_no_decimal_is_refused_at_its_place(text):
    assert not is_missing(text)
    with pytest.raises(TraceError, match=r"^pods\.csv line 3: num_gpu = .*, must be a finite"):
        exact(text, "pods.csv line 3: num_gpu")


@pytest.mark.parametrize("text", ["1e101", "-1e101", "1e-101", "1" + "0" * 101])
def test_sizes_that_no_product_may_have_are_refused(text):
    with pytest.raises(TraceError, match="must be 0 or between 1e-100 and 1e100 in size"):
        exact(text, "here")
    assert exact("0e-200", "here") == 0
    assert float(exact("1e100", "here")) == 1e100 == float(Decimal("1e100"))
