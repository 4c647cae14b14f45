import re
from fractions import Fraction

import pytest

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.speeds import SpeedBook


def test_the_first_measurement_replaces_the_estimate_and_later_ones_are_smoothed():
    book = SpeedBook("1/4")
    book.open("a", (10, 5))
    assert book.speeds("a") == (10, 5)
    book.measure("a", {0}, Fraction(2))
    assert book.speeds("a") == (2, 1)
    book.measure("a", {0}, Fraction(6))
    assert book.speeds("a") == (3, Fraction(3, 2))
    book.measure("a", {1}, Fraction(4))
    assert book.speeds("a") == (3, 4)
    assert book.unmeasured("a") == ()


def test_a_type_that_cannot_run_the_job_stays_so():
    book = SpeedBook()
    book.open("a", (10, 0))
    book.measure("a", {0}, Fraction(1))
    assert book.speeds("a") == (1, 0)
    assert book.unmeasured("a") == ()


def test_a_mixed_gang_measures_its_slowest_type():
    book = SpeedBook()
    book.open("a", (10, 5, 1))
    book.measure("a", {0, 1}, Fraction(4))
    assert book.unmeasured("a") == (0, 2)
    assert book.speeds("a")[1] == 4


def test_a_round_without_a_step_says_nothing():
    book = SpeedBook()
    book.open("a", (10,))
    book.measure("a", {0}, Fraction(0))
    assert book.unmeasured("a") == (0,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda book: SpeedBook(0), "alpha = 0, must be > 0 and <= 1"),
        (lambda book: SpeedBook(2), "alpha = 2, must be > 0 and <= 1"),
        (lambda book: book.open("b", (-1,)), "estimate[0] = -1, must be >= 0"),
        (lambda book: book.open("b", (float("nan"),)), "estimate[0]"),
        (lambda book: book.measure("a", {0}, Fraction(-1)), "speed = -1, must be >= 0"),
        (lambda book: book.measure("a", set(), Fraction(1)), "types = (), must name"),
        (lambda book: book.measure("z", {0}, Fraction(1)), "job = 'z', must be opened"),
    ],
)
def test_bad_reports_are_named(call, message):
    book = SpeedBook()
    book.open("a", (1,))
    with pytest.raises(InstanceError, match=re.escape(message)):
        call(book)
