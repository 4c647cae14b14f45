"""The assertion on price functions accepts what is right and rejects what is wrong."""

import pytest
from hypothesis import given, settings

from hadaropt import testing
from hadaropt.policies import PRICE_NAMES
from tests.online.prices.test_function import Mine, instance


@pytest.mark.parametrize("price", [*PRICE_NAMES, Mine()], ids=str)
def test_every_price_function_conforms(price):
    testing.assert_price_conforms(price, instance(), theorem=True)


@given(testing.instances(max_jobs=3, max_rounds=4))
@settings(deadline=None, max_examples=10)
def test_a_price_function_of_ones_own_conforms_on_any_instance(problem):
    testing.assert_price_conforms(Mine(), problem)


class Wrong:
    """A price function with one fault."""

    name = "wrong"

    def __init__(self, fault):
        self.fault, self.calls = fault, 0

    def tables(self, known):
        self.calls += 1
        if self.fault == "forgets":
            known.capacity.clear()
        rise = self.calls if self.fault == "changes" else 1
        top = 0.5 if self.fault == "floats" else 20 if self.fault != "cheap" else 1
        return known.tabulate(lambda at: [rise * min(g, 1) * top for g in range(at.c + 1)])


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("forgets", "cannot be changed"),
        ("changes", "is not deterministic"),
        ("floats", "must be exact"),
        ("cheap", r"has no theorem: \(F\)"),
    ],
)
def test_a_price_function_with_a_fault_does_not_conform(fault, message):
    with pytest.raises(AssertionError, match=message):
        testing.assert_price_conforms(Wrong(fault), instance(), theorem=True)


class Raises:
    name = "raises"

    def __init__(self, found):
        self.found = found

    def tables(self, known):
        return self.found()


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (lambda: 1 // 0, r"price raises, tables\(known\) raises ZeroDivisionError: "),
        (lambda: 3, r"^price raises: tables\(known\) returned 3, must be PriceTables"),
    ],
)
def test_a_price_function_that_raises_does_not_conform(found, message):
    with pytest.raises(AssertionError, match=message) as refused:
        testing.assert_price_conforms(Raises(found), instance())
    assert isinstance(refused.value.__cause__, ZeroDivisionError | TypeError)


def test_a_name_of_no_price_function_names_the_nearest():
    with pytest.raises(AssertionError, match='did you mean "step"'):
        testing.assert_price_conforms("ste", instance())


@pytest.mark.parametrize(
    ("price", "problem"), [(None, instance()), (3, instance()), ("step", None)]
)
def test_arguments_of_the_wrong_kind_are_type_errors(price, problem):
    with pytest.raises(TypeError, match="must be"):
        testing.assert_price_conforms(price, problem)
