"""Policies as values: what they check, and what they are called."""

from __future__ import annotations

import importlib
import pickle
import re
from fractions import Fraction

import pytest

from hadaropt.errors import InstanceError
from hadaropt.policies import (
    MAX_SEED,
    POLICY_NAMES,
    UNNAMED_PRICES,
    ArrivalPolicy,
    Fifo,
    GreedyDensity,
    Policy,
    PrimalDual,
    Random,
    RollingHorizon,
    make_policy,
    unnamed_price,
)


def test_every_name_makes_a_policy_of_that_name():
    made = [make_policy(name) for name in POLICY_NAMES]
    assert [policy.name for policy in made] == list(POLICY_NAMES)
    assert [policy for policy in made if policy.revises] == [RollingHorizon()]
    assert pickle.loads(pickle.dumps(made)) == made and len(set(made)) == len(made)


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        (PrimalDual(), "primal_dual:zero_start"),
        (PrimalDual("linear", pool="node"), "primal_dual:linear[pool=node]"),
        (PrimalDual("step", U="1/2", m=3), "primal_dual:step[U*1/2,m*3]"),
        (Random(), "random"),
        (Random(7), "random[seed=7]"),
        (Fifo(), "fifo"),
        (GreedyDensity(), "greedy_density"),
    ],
)
def test_a_name_says_what_is_not_as_usual(policy, name):
    assert policy.name == name


def test_factors_are_exact():
    assert Fraction(1, 10) == PrimalDual(U=0.1, L="1/3", m=2).U
    assert PrimalDual(U=0.1) == PrimalDual(U="0.1") != PrimalDual()


class Named:
    name = "step"

    def tables(self, known):
        raise AssertionError


class Nameless(Named):
    name = ""


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: PrimalDual(U=0), InstanceError, "U = 0, must be > 0"),
        (lambda: PrimalDual(m=-1), InstanceError, "m = -1, must be > 0"),
        (lambda: PrimalDual(L="x"), InstanceError, "^L = "),
        (lambda: PrimalDual("stepp"), InstanceError, 'did you mean "step"'),
        (lambda: PrimalDual(pool="both"), InstanceError, "must be one of auto, type, node"),
        (lambda: PrimalDual(Named), TypeError, r"^Named is a class: give Named\(\)$"),
        (lambda: PrimalDual(3), TypeError, "must be a name of a price function, or an object"),
        (lambda: PrimalDual(Nameless()), TypeError, "Nameless.name = "),
        (lambda: PrimalDual(Named()), InstanceError, "must not be the name of a price function of"),
        (lambda: Random(-1), InstanceError, "seed = -1, must be >= 0"),
        (lambda: Random(MAX_SEED + 1), InstanceError, "seed = .*, must be <="),
        (lambda: Random(1.5), InstanceError, "seed = .*, must be an integer"),
        (lambda: RollingHorizon(-1), InstanceError, "time_limit = -1, must be >= 0 or None"),
        (lambda: RollingHorizon("2"), InstanceError, "time_limit = .*, must be >= 0 or None"),
        (lambda: RollingHorizon(float("nan")), InstanceError, "time_limit = nan"),
        (lambda: make_policy("fifi"), InstanceError, 'did you mean "fifo"'),
    ],
)
def test_bad_input_is_named(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_whoever_derives_a_policy_has_to_name_it():
    for kind in (Policy, ArrivalPolicy):
        with pytest.raises(NotImplementedError):
            kind().name  # noqa: B018
    with pytest.raises(NotImplementedError):
        ArrivalPolicy().arrive(None, 0, None)


@pytest.mark.parametrize("name", UNNAMED_PRICES)
def test_a_price_function_without_name_says_how_it_is_made(name):
    rule = unnamed_price(name)
    for make in (
        lambda: make_policy(f"primal_dual:{name}"),
        lambda: make_policy(f"primal-dual:{name.replace('_', '-')}"),
        lambda: PrimalDual(name),
    ):
        with pytest.raises(InstanceError, match=re.escape(rule)):
            make()
    module, _, call = UNNAMED_PRICES[name].rpartition(".")
    made = getattr(importlib.import_module(module), call.removesuffix("()"))()
    assert PrimalDual(price=made).name == f"primal_dual:{name}"
    assert unnamed_price("linear") is None
