"""Whatever an extension raises is an AssertionError that names it, with the cause."""

import pytest

from hadaropt.errors import InstanceError
from hadaropt.testing.conforming import conforming


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ZeroDivisionError("by zero"), "price p, tables raises ZeroDivisionError: by zero"),
        (AssertionError("its own"), "price p, tables raises AssertionError: its own"),
        (TypeError("price p: wrong"), "price p: wrong"),
        (TypeError("wrong"), "price p, tables raises TypeError: wrong"),
        (InstanceError("U", "must be > 0", "0"), "price p: U = 0, must be > 0"),
        (InstanceError("price p: U", "must be > 0", "0"), "price p: U = 0, must be > 0"),
    ],
)
def test_what_is_raised_names_the_extension(error, text):
    with pytest.raises(AssertionError) as refused, conforming("price p", "tables"):
        raise error
    assert (str(refused.value), refused.value.__cause__) == (text, error)


def test_an_interruption_is_none_of_its_business():
    with pytest.raises(KeyboardInterrupt), conforming("price p"):
        raise KeyboardInterrupt
