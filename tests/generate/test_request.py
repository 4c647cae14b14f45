"""Parameters of families: lists, names and numbers, checked at their place."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.errors import InstanceError
from hadaropt.generate.request import integers, names, positive

KNOWN = ("linear", "step")


@pytest.mark.parametrize("value", ["1,2,4", "1, 2 ,4", (1, 2, 4), [1, "2", 4.0]])
def test_integers_are_a_list_or_its_text(value):
    assert integers(value, "gangs") == (1, 2, 4)


def test_one_integer_is_a_list():
    assert integers(3, "gangs") == integers("3", "gangs") == (3,)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ((), r"gangs = \(\), must not be empty"),
        ("1,0", r"gangs\[1\] = 0, must be >= 1"),
        ("1,,2", r"gangs\[1\]"),
        ("1,2.5", r"gangs\[1\]"),
        ([True], r"gangs\[0\]"),
    ],
)
def test_bad_integers_are_named(value, said):
    with pytest.raises(InstanceError, match=said):
        integers(value, "gangs")
    assert integers("0", "gangs", least=0) == (0,)


@pytest.mark.parametrize("value", ["step,linear", " step , linear ", ["step", "linear"]])
def test_names_are_a_list_or_its_text(value):
    assert names(value, "kinds", KNOWN) == ("step", "linear")


def test_a_name_may_be_spelled_with_hyphens():
    assert names("effective-throughput", "kinds", ("effective_throughput",)) == (
        "effective_throughput",
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ((), r"kinds = \(\), must be a list of names"),
        (3, "kinds = 3, must be a list of names"),
        ("", r'kinds\[0\] = "", must be one of linear, step'),
        ("stepp", r'kinds\[0\] = "stepp", .*did you mean "step"'),
        (["step", 3], r"kinds\[1\] = 3, must be one of"),
    ],
)
def test_bad_names_are_named(value, said):
    with pytest.raises(InstanceError, match=said):
        names(value, "kinds", KNOWN)


def test_numbers_are_exact_and_positive():
    assert positive("0.1", "load") == Fraction(1, 10)
    for bad in (0, "-1/2", -3):
        with pytest.raises(InstanceError, match=r"^load = .*, must be > 0"):
            positive(bad, "load")
