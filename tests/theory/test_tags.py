"""Every theorem that `run_online` may name, on random instances, with the code's own checks.

The exact optimum comes from the independent enumeration of ``tests/oracle.py``.
"""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.io import instance_from_document
from hadaropt.online.prices.registry import PRICES, theorem_of
from hadaropt.policies import PRICE_NAMES, PrimalDual
from hadaropt.utility import Table
from tests import oracle
from tests.instances_strategy import contended_instances

THEOREMS = {name: theorem_of(price) for name, price in PRICES.items()}

few = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass(frozen=True)
class Drawn:
    """Rising tables drawn at random, that reach U at N or not."""

    seed: int
    name: str = "drawn"

    def tables(self, known):
        draw = Random(self.seed)

        def table(at):
            steps = [Fraction(draw.randrange(8), 4) for _ in range(at.c + 1)]
            whole = sum(steps[: at.N + 1]) or 1
            height = at.U * draw.choice((1, 1, 1, Fraction(3, 4))) / whole
            return [height * sum(steps[: g + 1]) for g in range(at.c + 1)]

        return known.tabulate(table)


@given(contended_instances(), st.integers(0, 10**6))
@few
def test_t4_holds_for_any_price_function_that_satisfies_the_hypotheses(document, seed):
    holds(document, Drawn(seed))


def holds(document, price):
    run = hadaropt.run_online(instance_from_document(document), PrimalDual(price))
    optimum = oracle.optimum(document)[0]
    assert optimum <= run.bound
    if run.theorem is None:
        assert run.theorem_absent
        return
    assert run.theorem.id == THEOREMS.get(price, "T4")
    assert run.dual_feasible
    assert optimum <= run.theorem.constant * run.value + run.theorem.additive


@given(contended_instances())
@few
def test_t4(document):
    holds(document, "linear")


@pytest.mark.parametrize("price", ["exponential", "exponential_paper"])
@given(document=contended_instances())
@few
def test_t5(price, document):
    holds(document, price)


@given(contended_instances())
@few
def test_t7(document):
    holds(document, "zero_start")


@pytest.mark.parametrize("price", ["last_unit", "telescoped"])
@given(document=contended_instances())
@few
def test_t8(price, document):
    holds(document, price)


@given(contended_instances())
@few
def test_t9(document):
    holds(document, "threshold")


@given(contended_instances())
@few
def test_t11(document):
    holds(document, "step")


@given(contended_instances())
@few
def test_t14(document):
    holds(document, "mixed_threshold")


def test_every_price_has_a_tag_and_every_tag_a_test():
    assert set(THEOREMS) == set(PRICE_NAMES)
    for tag in THEOREMS.values():
        assert f"test_{tag.lower()}" in globals()


@pytest.mark.parametrize("price", PRICE_NAMES)
def test_the_theorem_is_there_where_its_hypotheses_hold(price):
    """Unit demand on one resource satisfies the hypotheses of all of them."""
    cluster = hadaropt.Cluster.of({"n": {"V100": 3}})
    jobs = [
        hadaropt.Job(f"j{i}", 0, 1, 1, {"V100": 1}, Table((v,)))
        for i, v in enumerate((3, 5, 9, 20))
    ]
    run = hadaropt.run_online(hadaropt.Instance(cluster, jobs, 1, 1), PrimalDual(price))
    assert run.theorem is not None
    assert run.theorem.id == THEOREMS[price]
    assert run.theorem.constant * run.value + run.theorem.additive >= 34
