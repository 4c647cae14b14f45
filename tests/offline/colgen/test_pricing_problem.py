"""Exact pricing: the best schedule of each job at prices, against an independent computation."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.certificates.options import ExactPrices
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.errors import LimitError
from hadaropt.instance import PARALLELISM, Instance
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from hadaropt.offline.colgen.cut_row import Cut
from hadaropt.offline.colgen.plan import column_value, place, to_schedule
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import INF, Column, Pricing
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.results import Prices
from hadaropt.schedule import check_schedule
from hadaropt.utility import Linear
from tests.instances_strategy import tiny_instances
from tests.offline.support import duel, instance_of
from tests.oracle import Json

SCALE = 64


def oracle(instance: Instance, space: Space, units: np.ndarray) -> tuple[Fraction, ...]:
    """The greatest payoffs as the verifier computes them; it shares no code with pricing."""
    by_node = np.ascontiguousarray(space.by_node(units))
    prices = Prices(by_node, Fraction(SCALE), "type" if space.pooled else "node")
    exact = ExactPrices.of(instance, prices.exact(), by_node=not space.pooled)
    return max_payoffs(instance, exact).upper


def draw_prices(data: Any, instance: Instance, space: Space) -> np.ndarray:
    size = instance.num_rounds * len(space.capacity)
    amounts = st.sampled_from((0, 0, 1, SCALE // 2, SCALE, 3 * SCALE, 20 * SCALE))
    units = data.draw(st.lists(amounts, min_size=size, max_size=size))
    return np.array(units, np.int64).reshape(instance.num_rounds, -1)


def cost_of(pricing: Pricing, column: Column, units: np.ndarray) -> Fraction:
    """The least cost of the GPUs of a column: each class filled from its cheapest cells."""
    total = 0
    for t, _, content, _ in column.rounds:
        for kind, count in content:
            for cell in sorted(pricing.space.classes[kind].cells, key=lambda c: units[t, c]):
                part = min(count, pricing.space.capacity[cell])
                total, count = total + part * int(units[t, cell]), count - part
    return Fraction(total, SCALE)


@pytest.mark.parametrize("parallelism", PARALLELISM)
@settings(max_examples=50, deadline=None)
@given(document=tiny_instances(), data=st.data())
def test_payoffs_are_those_of_the_verifier(parallelism: str, document: Json, data: Any) -> None:
    instance = instance_of(document).with_parallelism(parallelism)
    space = Space.of(instance)
    pricing = Pricing(space, SCALE)
    units = draw_prices(data, instance, space)
    pricing.set_prices(units)
    pricing.solve(pricing.no_limits())
    best = oracle(instance, space, units)
    for i, job in enumerate(space.jobs):
        found = Fraction(int(pricing.payoff[i]), SCALE)
        # Values are rounded up to multiples of 1 / scale.
        assert best[job.job] <= found < best[job.job] + Fraction(1, SCALE)
        column = pricing.column(i)
        if column is None:
            assert found == 0
        else:
            worth = -(-column_value(space, column) * SCALE // 1)
            assert Fraction(worth, SCALE) - cost_of(pricing, column, units) == found


@pytest.mark.parametrize("parallelism", PARALLELISM)
@settings(max_examples=30, deadline=None)
@given(document=tiny_instances(), data=st.data())
def test_payoffs_at_other_prices_are_those_of_the_columns(
    parallelism: str, document: Json, data: Any
) -> None:
    instance = instance_of(document).with_parallelism(parallelism)
    space = Space.of(instance)
    pricing = Pricing(space, SCALE)
    pricing.set_prices(draw_prices(data, instance, space))
    pricing.solve(pricing.no_limits())
    units = draw_prices(data, instance, space)
    payoffs = pricing.payoff_at(units / SCALE).tolist()
    mixes = any(kind.gang_size for kind in space.classes)
    for i, payoff in enumerate(payoffs):
        column = pricing.column(i)
        true = 0.0
        if column is not None:
            true = float(column_value(space, column) - cost_of(pricing, column, units))
        assert payoff >= true - 1e-9
        assert mixes or payoff <= true + 1e-9


@settings(max_examples=50, deadline=None)
@given(document=tiny_instances(), data=st.data())
def test_a_column_is_a_feasible_schedule_of_its_value(document: Json, data: Any) -> None:
    instance = instance_of(document)
    space = Space.of(instance)
    pricing = Pricing(space, SCALE)
    pricing.set_prices(draw_prices(data, instance, space))
    pricing.solve(pricing.no_limits())
    for i in range(len(space.jobs)):
        column = pricing.column(i)
        if column is not None:
            plan = place(space, [column])
            assert plan is not None
            checked = check_schedule(instance, to_schedule(space, plan))
            assert checked.value >= column_value(space, column) > 0


def priced(units: list[int]) -> Pricing:
    """Jobs worth 4 or 3 of one round each, at prices of the GPU in rounds 0 and 1."""
    pricing = Pricing(Space.of(duel()), 1)
    pricing.set_prices(np.array(units, np.int64).reshape(2, 1))
    return pricing


def test_limits_of_a_branch_are_kept() -> None:
    pricing = priced([0, 0])
    free = pricing.no_limits()
    pricing.solve(free)
    assert pricing.payoff.tolist() == [4, 4]
    late = free.copy()
    late.begin[0] = 1
    pricing.solve(late)
    column = pricing.column(0)
    assert pricing.payoff.tolist() == [3, 4] and column is not None and column.completion == 1
    never = free.copy()
    never.high[:] = 0
    pricing.solve(never)
    assert pricing.payoff.tolist() == [0, 0] and pricing.column(0) is None
    assert free.begin.tolist() == [0, 0]  # copies are independent


def test_who_must_complete_pays_and_who_cannot_is_impossible() -> None:
    pricing = priced([9, 9])
    limits = pricing.no_limits()
    pricing.solve(limits)
    assert pricing.payoff.tolist() == [0, 0]
    limits.must[0] = True
    pricing.solve(limits)
    assert pricing.payoff.tolist() == [-5, 0]
    limits.high[:] = 0
    pricing.solve(limits)
    assert pricing.payoff[0] <= -INF and pricing.column(0) is None


def test_a_cut_is_paid_by_those_whom_it_counts() -> None:
    pricing = priced([0, 0])
    cut = Cut(0, ((frozenset((0,)), ((0, 2),)),), 1)
    pricing.set_prices(np.zeros((2, 1), np.int64), [(cut, 1)])
    pricing.solve(pricing.no_limits())
    # Round 0 costs the first job 2 of its 4: it completes in round 1, worth 3.
    assert pricing.payoff.tolist() == [3, 4]
    # At other prices of the GPU, without the cut.
    assert pricing.payoff_at(np.ones((2, 1))).tolist() == [2, 3]
    pricing.set_prices(np.zeros((2, 1), np.int64), [(cut, 0)])
    pricing.solve(pricing.no_limits())
    assert pricing.payoff.tolist() == [4, 4]


def test_what_64_bits_cannot_sum_is_refused() -> None:
    space = Space.of(duel())
    with pytest.raises(LimitError, match="exact sums are made in 64 bits"):
        Pricing(space, 2**60)
    pricing = Pricing(space, 1)
    with pytest.raises(LimitError, match=r"a price of \d+ units is too large"):
        pricing.set_prices(np.full((2, 1), pricing.price_limit + 1, np.int64))


@pytest.mark.parametrize("digits", [18, 25, 400])
def test_a_worth_that_is_too_large_names_its_job_and_the_rule(digits: int) -> None:
    """No float and no 64 bits can hold it, so it is compared before it becomes either."""
    first, second = duel().jobs
    instance = replace(duel(), jobs=(first, replace(second, utility=Linear(10**digits, 0))))
    for solve in (branch_and_price, solve_configuration_lp):
        with pytest.raises(LimitError) as refused:
            solve(instance)
        text = str(refused.value)
        rule = rf"jobs\[1\]\.utility: a worth of 1e\+{digits} must be <= \d[.\d]+e\+17 in column"
        assert re.match(rule, text)
        assert text.endswith("use solve_ilp (--method ilp)")


def test_without_jobs_there_is_nothing_to_price() -> None:
    pricing = Pricing(Space.of(Instance(duel().cluster, (), 2, 1)), 1)
    pricing.set_prices(np.zeros((2, 1), np.int64))
    pricing.solve(pricing.no_limits())
    assert len(pricing.payoff) == 0 and pricing.most == 0
