"""Utilities as integers against their exact values."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.generate import generate
from hadaropt.kernels.pricing.utility import INVERSE, LINEAR, TABLE
from hadaropt.pricing.worth import encode, encode_jobs, sigmoid_units, sigmoid_values, worth
from hadaropt.utility import Sigmoid, make_utility
from tests.instances_strategy import utilities

TAU = Fraction(7, 3)
SCALES = st.sampled_from([1, 1000, Fraction(1, 7), 2**40, 10**17])


def exact(utility, iterations, scale, horizon):
    values = [utility.value(d, iterations, TAU) * scale for d in range(1, horizon + 1)]
    return values[: next((i for i, u in enumerate(values) if u == 0), horizon)]


@given(utilities(rounds=8), st.integers(1, 10**6), SCALES, st.integers(0, 12))
@settings(deadline=None, max_examples=400)
def test_floors_and_fractions(document, iterations, scale, horizon):
    parameters = {k: v for k, v in document.items() if k != "kind"}
    if document["kind"] == "table":
        parameters["values"] = tuple(parameters["values"])
    utility = make_utility(document["kind"], parameters)
    code = encode(utility, iterations, TAU, Fraction(scale), horizon)
    values = exact(utility, iterations, scale, horizon)
    assert code.last == len(values)
    if values and values[0] >= 2**61:
        return
    found = worth(code)
    assert [int(x) for x in found.floors] == [int(u) for u in values]
    fractions = [u - int(u) for u in values]
    for x in range(len(values)):
        for y in range(len(values)):
            left = int(found.parts[x]) * int(found.weights[y])
            right = int(found.parts[y]) * int(found.weights[x])
            assert (left > right) == (fractions[x] > fractions[y])
        assert (found.parts[x] > 0) == (fractions[x] > 0)


@given(utilities(rounds=6), SCALES, st.data())
@settings(deadline=None, max_examples=300)
def test_best_is_the_first_exact_maximum(document, scale, data):
    parameters = {k: v for k, v in document.items() if k != "kind"}
    if document["kind"] == "table":
        parameters["values"] = tuple(parameters["values"])
    utility = make_utility(document["kind"], parameters)
    values = exact(utility, 6, scale, 6)
    if values and values[0] >= 2**61:
        return
    found = worth(encode(utility, 6, TAU, Fraction(scale), 6))
    offers = st.sampled_from([0, 1, 2, 5, 10**6, *[int(u) for u in values]])
    charge = data.draw(st.lists(offers, min_size=len(values), max_size=len(values)))
    payoffs = [u - c for u, c in zip(values, charge, strict=True)]
    best = max(payoffs, default=Fraction(0))
    expected = payoffs.index(best) if best > 0 else -1
    assert found.best(np.array(charge, np.int64)) == expected


def test_kinds_that_need_no_table():
    kinds = {
        "linear": {"peak": "10.5", "decay": "1/3"},
        "step": {"peak": 3, "deadline": "2.5"},
        "completion": {"weight": "1/7", "horizon": "7/2"},
        "effective_throughput": {"scale": "0.1"},
    }
    for kind, parameters in kinds.items():
        code = encode(make_utility(kind, parameters), 1000, TAU, Fraction(2**20), 1000)
        inverse = kind == "effective_throughput"
        assert code.kind == (INVERSE if inverse else LINEAR)
        assert code.values == ()
    # Parameters beyond 61 bits fall back to a table of exact values.
    huge = encode(make_utility("linear", {"peak": "1e17", "decay": "1/3"}), 1, TAU, Fraction(99), 5)
    assert huge.kind == TABLE and len(huge.values) == 5


@given(
    st.one_of(
        st.fractions(0, 10**6, max_denominator=1000),
        st.fractions(2**17, 2**19, max_denominator=1000),
        st.integers(0, 10**12).map(lambda n: Fraction(n, 10**9)),
    ),
    st.one_of(st.fractions(0, 40, max_denominator=60), st.just(10**300)),
    st.fractions(0, 30, max_denominator=8),
)
@settings(deadline=None, max_examples=200)
def test_sigmoids_by_floats_keep_every_digit(peak, steepness, deadline):
    utility = Sigmoid(peak=peak, steepness=steepness, deadline=deadline)
    values = [utility.value(d, 1, Fraction(1)) for d in range(1, 31)]
    found = sigmoid_values(utility, 30)
    assert [Fraction(v, 10**9) for v in found] == [u for u in values if u > 0]


SIGMOIDS = st.builds(
    Sigmoid,
    peak=st.one_of(st.fractions(0, 100, max_denominator=50), st.just(Fraction(10**9))),
    steepness=st.one_of(
        st.fractions(0, 9, max_denominator=20), st.sampled_from([10**300, Fraction(1, 2**60)])
    ),
    deadline=st.one_of(st.fractions(0, 12, max_denominator=8), st.just(Fraction(1, 2**55 + 1))),
)


@given(st.lists(st.tuples(SIGMOIDS, st.integers(0, 12)), max_size=6))
@settings(deadline=None, max_examples=100)
def test_many_sigmoids_at_once_are_each_the_exact_one(drawn):
    found = sigmoid_units([u for u, _ in drawn], [end for _, end in drawn])
    for (utility, end), units in zip(drawn, found, strict=True):
        exact = [utility.value(d, 1, Fraction(1)) for d in range(1, end + 1)]
        assert [Fraction(int(v), 10**9) for v in units] == [u for u in exact if u > 0]


def test_jobs_have_the_codes_that_they_have_alone(monkeypatch):
    monkeypatch.setattr("hadaropt.pricing.worth._BLOCK", 4)
    instance = generate("six_class", seed=1, num_jobs=30, num_rounds=20)
    tau, scale = instance.round_seconds, Fraction(2**20, 3)
    order = list(reversed(range(30)))
    codes = list(encode_jobs(instance, order, scale))
    assert [j for j, _ in codes] == order
    for j, code in codes:
        job = instance.jobs[j]
        alone = encode(job.utility, job.iterations, tau, scale, max(0, 20 - job.release))
        assert (code.kind, code.parameters, code.last) == (alone.kind, alone.parameters, alone.last)
        assert list(code.values) == list(alone.values)
    assert {code.kind for _, code in codes} >= {LINEAR, TABLE}


def test_a_sigmoid_in_the_middle_of_two_units_is_rounded_half_to_even():
    # steepness 0: U = peak / 2, and 10^-9 / 2 lies exactly between two units.
    for units, even in ((1, 0), (3, 2), (5, 2), (7, 4)):
        found = sigmoid_values(Sigmoid(peak=Fraction(units, 10**9), steepness=0, deadline=0), 2)
        assert found == [even] * 2 if even else found == []
