"""A price function of one's own: what it is told, what it may return, and what is said of it."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import hadaropt
from hadaropt.errors import InstanceError, LimitError
from hadaropt.generate import generate
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.online.prices.registry import PRICES
from hadaropt.online.prices.tables import PriceTables
from hadaropt.policies import PRICE_NAMES, PriceFunction, PrimalDual, make_policy
from hadaropt.utility import Table


@dataclass(frozen=True)
class Mine:
    """U (min(g, N)/N)^2, unless another table is given."""

    table: object = None
    name: str = "mine"

    def tables(self, known):
        if self.table is None:
            return known.tabulate(
                lambda at: [at.U * Fraction(min(g, at.N), at.N) ** 2 for g in range(at.c + 1)]
            )
        return known.tabulate(self.table)


def instance(values=(3, 5, 9, 20), gpus=3, gang=1):
    """One round, one type: every schedule holds ``gang`` units of one resource."""
    cluster = hadaropt.Cluster.of({"n": {"V100": gpus}})
    jobs = [
        hadaropt.Job(f"j{i}", 0, gang, 1, {"V100": 1}, Table((v,))) for i, v in enumerate(values)
    ]
    return hadaropt.Instance(cluster, jobs, 1, 1)


def run(table=None, **options):
    return hadaropt.run_online(instance(**options), PrimalDual(price=Mine(table)))


def test_a_price_that_satisfies_the_hypotheses_has_theorem_t4_and_its_constant():
    found = run(lambda at: [0, 1, 4, 10, 10], gang=2, gpus=4)
    assert found.policy == "primal_dual:mine"
    assert found.theorem is not None
    assert found.theorem.id == "T4"
    assert found.theorem.closed_form is None
    assert "(t1 + t2) P" in found.theorem.statement.statement
    assert found.theorem.constant * found.value + found.theorem.additive >= 29
    # L = 3/2, and (I) binds at g = 1, w = 2, 4 (10 - 1)/2 <= t1 + 3/2 t2, and at g = 2, w = 1,
    # 4 (10 - 4) <= 4 t1 + 3/2 t2: t1 = 2 and t2 = 32/3.
    assert found.theorem.constant == 2 + Fraction(32, 3)
    assert found.theorem.vacuous
    assert found.theorem.spread == pytest.approx(10 / 1.5)


def test_the_function_is_told_capacity_bundle_and_densities_once_for_each_kind_of_resource():
    told = []
    run(lambda at: told.append(at) or [at.U] * (at.c + 1), gang=2, gpus=5)
    (at,) = told
    assert (at.c, at.m, at.N, at.U, at.L) == (5, 2, 4, 10, Fraction(3, 2))


def test_a_hypothesis_that_fails_is_named_with_resource_bundle_and_values():
    found = run(lambda at: [0, 1, 2, 3, 4], gang=2, gpus=4)
    assert found.theorem is None
    assert found.theorem_absent == (
        "(F) fails at round 0, type 0: with g = 3 of 4 GPUs sold a bundle of w = 2 may not fit, "
        "but the price 3 is below U = 10"
    )


def test_final_prices_are_the_exact_prices_of_the_table():
    found = run(lambda at: [0, 1, Fraction(7, 4), 20])
    assert found.prices.exact() == {(0, 0): 20}
    half = run(lambda at: [Fraction(1, 2), 20, 20, 20])
    assert half.prices.price(0, 0) == 20
    assert half.payoffs[0] == Fraction(5, 2)


def test_a_price_between_two_multiples_of_the_unit_is_rounded_up_once():
    found = run(lambda at: [Fraction(1, 3), 20, 20, 20], values=(3,))
    unit = 3 - Fraction(1, 3) - found.payoffs[0]
    assert 0 < unit < Fraction(1, 2**40)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([0, 2, 1, 20], r"price mine: prices\[0, 0\]\[2\] = 1, must not be below the price 2 at 1"),
        ([0, 0.5, 1, 20], r"prices\[0, 0\]\[1\] = 0.5, must be exact: an int or a Fraction"),
        ([0, True, 1, 20], r"prices\[0, 0\]\[1\] = True, must be exact"),
        ([Fraction(-1, 2), 0, 1, 20], r"prices\[0, 0\]\[0\] = -1/2, must be >= 0"),
        ([0, 1, 20], r"prices\[0, 0\]: length = 3, must be 4"),
        (7, r"prices\[0, 0\] = 7, must be a sequence of exact prices"),
    ],
)
def test_a_bad_table_names_place_value_and_rule(table, message):
    with pytest.raises(InstanceError, match=message):
        run(lambda at: table)


def test_a_price_that_64_bits_cannot_hold_is_named():
    table = [0, 1, 2, 10**12]
    with pytest.raises(LimitError, match=r"price mine: prices\[0, 0\]\[3\] = 1e\+12 is too large"):
        run(lambda at: table)
    unreached = PrimalDual(price=Mine(lambda at: table), pool="node")
    assert hadaropt.run_online(instance(values=(3, 5)), unreached).value == 8


def test_numpy_integers_are_exact():
    assert run(lambda at: np.array([0, 1, 2, 20])).theorem is not None


@dataclass(frozen=True)
class Returns:
    found: object
    name: str = "returns"

    def tables(self, known):
        return self.found


@pytest.mark.parametrize(
    ("found", "error", "message"),
    [
        ([0, 1], TypeError, r"tables\(known\) returned \[0, 1\], must be PriceTables"),
        (PriceTables({}), InstanceError, r"prices\[0, 0\], is missing"),
        (PriceTables({(0, 0): [20] * 4, (5, 0): [1]}), InstanceError, r"prices = \(5, 0\), must"),
        (PriceTables([1]), InstanceError, r"prices = \[1\], must be a mapping"),
        (
            PriceTables({(0, 0): [20] * 4}, {(0, 0): [[1]] * 2}),
            InstanceError,
            r"charges\[0, 0\]: length = 2, must be 3",
        ),
    ],
)
def test_tables_of_other_resources_are_refused(found, error, message):
    with pytest.raises(error, match=message):
        hadaropt.run_online(instance(), PrimalDual(price=Returns(found)))


def test_charges_by_the_bundle_are_checked_against_the_dual_price():
    tables = PriceTables({(0, 0): [5, 20, 20, 20]}, {(0, 0): [[6], [20], [20]]})
    found = hadaropt.run_online(instance(), PrimalDual(price=Returns(tables)))
    assert found.theorem_absent == (
        "(C) fails at round 0, type 0: with g = 0 GPUs sold a bundle of w = 1 is charged 6, above "
        "w times the dual price 5"
    )


@pytest.mark.parametrize(
    ("price", "message"),
    [
        (7, "price = 7, must be a name of a price function"),
        (Mine, r"^Mine is a class: give Mine\(\)$"),
        (Mine(name=""), 'Mine.name = "", must be a str'),
    ],
)
def test_what_is_no_price_function_is_refused(price, message):
    with pytest.raises(TypeError, match=message):
        PrimalDual(price=price)


def test_the_names_of_hadaropt_are_taken():
    with pytest.raises(InstanceError, match="must not be the name of a price function of hadaropt"):
        PrimalDual(price=Mine(name="step"))
    assert PrimalDual(price=PRICES["step"]).name == PrimalDual(price="step").name


def test_every_price_function_of_hadaropt_is_one_and_has_its_name():
    assert tuple(PRICES) == PRICE_NAMES
    for name, price in PRICES.items():
        assert isinstance(price, PriceFunction)
        assert make_policy(f"primal_dual:{name}").price_name == price.name == name


@pytest.mark.parametrize("name", PRICE_NAMES)
def test_equal_kinds_of_resources_share_one_table(name):
    """The compiled pass and the checks of hypotheses rely on it to be fast."""
    problem = generate("six_class", seed=1, num_jobs=8, num_rounds=30)
    known = compute_foreknowledge(problem, "type")
    found = PRICES[name].tables(known)
    assert len({id(t) for t in found.prices.values()}) <= len(set(known.resources().values()))
