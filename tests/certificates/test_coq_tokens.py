"""Tokens of exported Coq terms: integers, and nothing that is not one."""

from fractions import Fraction

import pytest

from hadaropt.certificates.coq_tokens import (
    MAX_BITS,
    MAX_DIGITS,
    digits,
    integer,
    items,
    nat,
    ratio,
    record,
    scaled,
)
from hadaropt.errors import CertificateError, LimitError


def test_integers_below_zero_are_in_brackets():
    assert [integer(n) for n in (7, 0, -7)] == ["7", "0", "(-7)"]
    assert nat(3) == "3%nat"
    assert ratio(Fraction(-3, 4)) == "((-3), 4)"


@pytest.mark.parametrize("wrong", [True, "7", 7.0, Fraction(7), None], ids=str)
def test_nothing_but_integers_becomes_a_token(wrong):
    with pytest.raises(TypeError, match="only integers are exported"):
        integer(wrong)


def test_the_longest_integer_is_exported_and_no_longer_one():
    assert integer(2**MAX_BITS - 1)
    with pytest.raises(LimitError, match=f"of {MAX_BITS + 1} bits, at most {MAX_BITS}"):
        integer(2**MAX_BITS)


def test_a_scale_makes_integers_or_is_refused():
    assert scaled(Fraction(5, 6), 12) == 10
    with pytest.raises(CertificateError, match="must make 5/6 an integer"):
        scaled(Fraction(5, 6), 4)


def test_lists_and_records():
    assert items(["1", "2"]) == "[1; 2]"
    assert items([]) == "[]"
    assert record(first="1", second="[]") == "{| first := 1; second := [] |}"


def test_rows_of_integers_are_long_numbers():
    assert digits([[10, -2], [], [3]]) == "[0x010a2bcc3a%digits]"
    assert digits([]) == digits([[]]) == "[0x0%digits]"
    with pytest.raises(TypeError, match="only integers are exported"):
        digits([["1a"]])


def test_long_numbers_end_behind_an_integer():
    row = [10**9 + i for i in range(1_000)]
    numbers = digits([row, row])[1:-1].split("; ")
    assert len(numbers) > 5
    assert max(map(len, numbers)) <= MAX_DIGITS + len("0x01000000000a%digits")
    written = "".join(number.removeprefix("0x0").removesuffix("%digits") for number in numbers)
    assert written == "c".join(["".join(f"{n}a" for n in row)] * 2)
