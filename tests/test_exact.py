"""Exact numbers and their text."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.exact import parse_text, to_fraction, to_integer
from hadaropt.io import (
    read_instance,
)
from tests.io.documents import WHOLE


@pytest.mark.parametrize("literal", ["4", "4.0", '"4"', '"8/2"', "0.4e1", '"+4"', "40e-1", "4E0"])
def test_integer_fields_accept_every_spelling(literal: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(WHOLE.replace('"iterations": 4000', f'"iterations": {literal}'))
    assert read_instance(path).jobs[0].iterations == 4


# ---------------------------------------------------------------- exact numbers


@given(st.fractions())
def test_ratio_text_is_exact(x: Fraction) -> None:
    assert parse_text(str(x), "x") == x


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**50), max_value=10**50))
def test_decimal_text_is_exact(x: Decimal) -> None:
    if abs(x.adjusted()) < 300:
        assert parse_text(str(x), "x") == Fraction(x) == to_fraction(x, "x")


@given(st.integers(-(10**399), 10**399), st.integers(1, 10**399))
def test_what_reads_writes_and_reads_back(p: int, q: int) -> None:
    x = parse_text(f"{p}/{q}", "x")
    assert parse_text(str(x), "x") == x


@pytest.mark.parametrize("text", ["1e399", "1e-399", "9" * 400, "0." + "0" * 398 + "1", "0e400"])
def test_extreme_numbers_that_read_also_read_back(text: str) -> None:
    x = parse_text(text, "x")
    assert parse_text(str(x), "x") == x == Fraction(text)


@pytest.mark.parametrize("text", ["1e400", "1e-400", "9" * 401, "1/" + "3" * 401, "12e399"])
def test_too_many_digits(text: str) -> None:
    with pytest.raises(InstanceError, match="must have at most 400 digits"):
        parse_text(text, "x")


@pytest.mark.parametrize("text", ["1e401", "1e-401", "0e999", "1e" + "9" * 300])
def test_too_large_exponents(text: str) -> None:
    with pytest.raises(InstanceError, match="must have an exponent within"):
        parse_text(text, "x")


def test_a_float_means_its_shortest_text() -> None:
    assert to_fraction(0.1, "x") == Fraction(1, 10)
    assert to_fraction(1e22, "x") == 10**22
    assert to_integer(4.0, "x") == 4
