"""Utility families: values by hand, against the oracle, and the parameters that are refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.utility import FAMILIES, Sigmoid, Table, make_utility
from tests import oracle
from tests.instances_strategy import utilities
from tests.oracle import Json

GOOD: dict[str, Json] = {
    "linear": {"peak": 10, "decay": 2},
    "step": {"peak": 10, "deadline": 2},
    "sigmoid": {"peak": 10, "steepness": 1, "deadline": 2},
    "effective_throughput": {"scale": 2},
    "completion": {"weight": 2, "horizon": 3},
    "table": {"values": [3, 1]},
}


def test_every_family_is_covered_here() -> None:
    assert set(GOOD) == set(FAMILIES)


@pytest.mark.parametrize(
    ("kind", "changes", "values"),
    [
        ("linear", {"decay": "7/2"}, ["10", "13/2", "3", "0"]),
        ("step", {"deadline": Decimal("2.5")}, ["10", "10", "0", "0"]),
        ("sigmoid", {}, ["7.310585786", "5", "2.689414214", "1.192029220"]),
        ("effective_throughput", {}, ["3", "3/2", "1", "3/4"]),
        ("completion", {"horizon": "5/2"}, ["3", "1", "0", "0"]),
        ("table", {}, ["3", "1", "0", "0"]),
    ],
)
def test_values_by_hand(kind: str, changes: Json, values: list[str]) -> None:
    utility = make_utility(kind, {**GOOD[kind], **changes})
    found = [utility.value(d, 6, Fraction(4)) for d in (1, 2, 3, 4)]
    assert found == [Fraction(v) for v in values]
    assert all(isinstance(v, Fraction) for v in found)


@settings(deadline=None, max_examples=500)
@given(
    utilities(),
    st.integers(1, 10**9),
    st.fractions(min_value="1/50", max_value=1000, max_denominator=50),
)
def test_equals_the_oracle_and_never_increases(u: Json, iterations: int, tau: Fraction) -> None:
    utility = make_utility(u["kind"], {k: v for k, v in u.items() if k != "kind"})
    job, inst = {"utility": u, "iterations": iterations}, {"round_seconds": tau}
    values = [utility.value(d, iterations, tau) for d in range(1, 8)]
    assert values == [oracle.utility(inst, job, d) for d in range(1, 8)]
    assert values == sorted(values, reverse=True) and values[-1] >= 0


@given(utilities())
def test_parameters_make_the_same_utility_again(u: Json) -> None:
    utility = make_utility(u["kind"], {k: v for k, v in u.items() if k != "kind"})
    assert make_utility(utility.kind, utility.parameters()) == utility


def test_sigmoid_is_rounded_half_to_even_at_nine_decimals() -> None:
    def half(peak: str) -> Fraction:
        return Sigmoid(peak=peak, steepness=0, deadline=1).value(1, 1, Fraction(1))

    # Half of n * 1e-9 lies between two multiples of 1e-9 for odd n.
    assert [half(f"{n}e-9") * 10**9 for n in (1, 3, 5, 7)] == [0, 2, 2, 4]


@pytest.mark.parametrize("steepness", ["1e15", "1e300"])
def test_sigmoid_far_from_its_deadline_neither_overflows_nor_traps(steepness: str) -> None:
    assert Sigmoid(peak="1e30", steepness=steepness, deadline=0).value(3, 1, Fraction(1)) == 0
    assert (
        Sigmoid(peak="1e30", steepness=steepness, deadline="1e17").value(3, 1, Fraction(1))
        == 10**30
    )


def test_sigmoid_keeps_fifty_digits_before_rounding() -> None:
    # A peak of 31 digits still has its ninth decimal: 1e30 / (1 + e), e known to 58 decimals.
    e = Fraction("2.718281828459045235360287471352662497757247093699959574966968")
    value = Sigmoid(peak="1e30", steepness=1, deadline=0).value(1, 1, Fraction(1))
    assert abs(value - Fraction(10**30) / (1 + e)) <= Fraction(1, 2 * 10**9) + Fraction(1, 10**18)


NUMBERS = [(k, p) for k, good in GOOD.items() for p in good if p != "values"]


@pytest.mark.parametrize(("kind", "parameter"), NUMBERS)
@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (-1, "must be >= 0"),
        ("-1/3", "must be >= 0"),
        (float("nan"), "must be finite"),
        (Decimal("Infinity"), "must be finite"),
        (True, "must be a number"),
        (None, "must be a number"),
        ("ten", 'must be a number: "p", "p/q" or a decimal'),
    ],
)
def test_bad_parameter(kind: str, parameter: str, value: Any, rule: str) -> None:
    with pytest.raises(InstanceError) as caught:
        make_utility(kind, {**GOOD[kind], parameter: value})
    assert (caught.value.path, caught.value.rule) == (parameter, rule)


@pytest.mark.parametrize(
    ("values", "path", "rule"),
    [
        ([3, 1, 2], "values[2]", "must not increase (values[1] = 1)"),
        ([3, -1], "values[1]", "must be >= 0"),
        ("31", "values", "must be a list of numbers"),
        (7, "values", "must be a list of numbers"),
        ({"1": 2}, "values", "must be a list of numbers"),
        ([[1]], "values[0]", "must be a number"),
    ],
)
def test_bad_table(values: Any, path: str, rule: str) -> None:
    with pytest.raises(InstanceError) as caught:
        Table(values)
    assert (caught.value.path, caught.value.rule) == (path, rule)


@pytest.mark.parametrize("kind", ["cubic", "Linear", "", None, 1])
def test_unknown_kind(kind: Any) -> None:
    with pytest.raises(InstanceError, match="must be one of linear, step, sigmoid"):
        make_utility(kind, {})


@pytest.mark.parametrize("kind", sorted(GOOD))
def test_missing_and_unknown_parameters(kind: str) -> None:
    for name in GOOD[kind]:
        fewer = {k: v for k, v in GOOD[kind].items() if k != name}
        with pytest.raises(InstanceError, match=f"^{name}, is missing"):
            make_utility(kind, fewer)
    with pytest.raises(InstanceError, match=r"^slope, is an unknown field \(kind "):
        make_utility(kind, {**GOOD[kind], "slope": 1})


@settings(deadline=None, max_examples=100)
@given(
    utilities(),
    st.integers(1, 10**9),
    st.fractions(min_value="1/50", max_value=1000, max_denominator=50),
    st.integers(0, 20),
)
def test_last_flow_time_of_positive_value(u: Json, iterations: int, tau: Fraction, n: int) -> None:
    utility = make_utility(u["kind"], {k: v for k, v in u.items() if k != "kind"})
    positive = [d for d in range(1, n + 1) if utility.value(d, iterations, tau) > 0]
    assert utility.last_flow_time(n, iterations, tau) == len(positive)


@pytest.mark.parametrize(
    ("peak", "steepness", "deadline"),
    [
        (0, 1, 5),
        (10, 0, 5),
        (10, "1/100", 500),
        (10, 3, 10**400 - 1),  # floats do not reach so far
        ("1/1000000000", 1, 3),
        (Fraction(1, 10**12), 1, 3),
        (10**30, "1/7", 0),
        (10, Fraction(1, 10**400 - 1), 5),
    ],
)
def test_last_flow_time_of_a_sigmoid(peak: Any, steepness: Any, deadline: Any) -> None:
    utility = Sigmoid(peak=peak, steepness=steepness, deadline=deadline)
    for most in (0, 1, 700, 10_000):
        last = utility.last_flow_time(most, 1, Fraction(1))
        assert 0 <= last <= most
        assert last == 0 or utility.value(last, 1, Fraction(1)) > 0
        assert last == most or utility.value(last + 1, 1, Fraction(1)) == 0
