"""Least costs of coverings, by table, labels and relaxation."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.certificates import (
    covering,
)
from hadaropt.certificates.covering import least_costs
from hadaropt.certificates.options import Options


def brute_costs(
    progress: list[int], cost: np.ndarray, need: int, forced: set[int]
) -> list[int | None]:
    """Least cost of ``need`` by each round, by trying everything."""
    found: list[int | None] = []
    for last in range(len(cost)):
        best = None
        for choice in product(range(-1, len(progress)), repeat=last + 1):
            idle_where_forced = any(k < 0 and t in forced for t, k in enumerate(choice))
            made = sum(progress[k] for k in choice if k >= 0)
            if made >= need and not idle_where_forced:
                paid = sum(int(cost[t, k]) for t, k in enumerate(choice) if k >= 0)
                best = paid if best is None else min(best, paid)
        found.append(best)
    return found


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_least_costs_by_table_labels_and_relaxation(data: st.DataObject) -> None:
    rounds = data.draw(st.integers(1, 4))
    values = data.draw(st.sets(st.integers(1, 12), min_size=1, max_size=3))
    progress = tuple(sorted(values, reverse=True))
    never = 10**6
    entry = st.one_of(st.integers(0, 9), st.just(never))
    row = st.lists(entry, min_size=len(progress), max_size=len(progress))
    dtype = data.draw(st.sampled_from((np.int64, object)))
    cost = np.array(data.draw(st.lists(row, min_size=rounds, max_size=rounds)), dtype)
    needs = sorted(data.draw(st.sets(st.integers(1, 30), min_size=1, max_size=3)))
    forced = frozenset(data.draw(st.sets(st.integers(0, rounds - 1), max_size=2)))
    made = Options(progress, cost, never)
    truth = [
        [
            never if c is None or c >= never else c
            for c in brute_costs(list(progress), cost, need, set(forced))
        ]
        for need in needs
    ]

    def costs(table: int, labels: int, **more: Any) -> covering.Costs:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(covering, "MAX_TABLE_UNITS", table)
            patch.setattr(covering, "MAX_LABELS", labels)
            patch.setattr(covering, "RELAXED_UNITS", 4)
            return least_costs(made, 0, rounds - 1, needs, worth=None, forced=forced, **more)

    for table, labels in ((2000, 4000), (0, 4000)):
        found = costs(table, labels)
        assert found.exact
        assert np.minimum(found.cost.T, never).tolist() == truth
    assert not costs(0, 4000, exact=False).exact
    for found in (costs(0, 0), costs(0, 4000, exact=False)):
        for i in range(len(needs)):
            for below, true, above in zip(
                found.cost[:, i], truth[i], found.above[:, i], strict=True
            ):
                assert below <= true <= above


def test_least_costs_of_part_of_the_rounds_and_of_no_requirement() -> None:
    made = Options((2, 1), np.array([[1, 0], [5, 3], [9, 4], [1, 1]]), 10**6)
    found = least_costs(made, 1, 2, [1, 2, 3], worth=None)
    assert found.cost.tolist() == [[3, 5, 10**6], [3, 5, 9]]
    assert least_costs(made, 1, 2, [], worth=None).cost.shape == (2, 0)
    nothing = Options((), np.zeros((4, 0), np.int64), 10**6)
    assert least_costs(nothing, 1, 2, [1], worth=None).cost.tolist() == [[10**6], [10**6]]


def test_labels_that_others_dominate_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", 0)
    made = Options((4, 1), np.array([[10, 1], [2, 1], [2, 2]]), 10**6)
    found = least_costs(made, 0, 2, [1, 4, 5, 8, 9], worth=None)
    assert found.exact
    assert found.cost.tolist() == [
        [1, 10, 10**6, 10**6, 10**6],
        [1, 2, 3, 12, 10**6],
        [1, 2, 3, 4, 5],
    ]


@pytest.mark.parametrize("units", [0, 2000])
def test_nothing_is_reached_past_a_forced_round_that_is_closed(
    units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", units)
    never = 10**6
    made = Options((1,), np.array([[1], [never], [1]]), never)
    found = least_costs(made, 0, 2, [1, 2], worth=None, forced=frozenset({1}))
    assert np.minimum(found.cost, never).tolist() == [[1, never], [never, never], [never, never]]


def test_the_relaxation_is_as_fine_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", 0)
    monkeypatch.setattr(covering, "RELAXED_UNITS", 4)
    never = 10**6
    made = Options((3,), np.full((4, 1), 1), never)
    found = least_costs(made, 0, 3, [2, 8], worth=None, exact=False)
    # Units of 2: a round makes 2 of them at most and 1 at least; 1 and 4 are needed.
    assert found.cost.tolist() == [[1, never], [1, 2], [1, 2], [1, 2]]
    assert found.above.tolist() == [[1, never], [1, never], [1, never], [1, 4]]


def test_the_relaxation_loses_nothing_at_full_speed() -> None:
    never, speed = 10**6, 1_000_003
    made = Options((speed, 1), np.array([[10, 1]] * 4), never)
    needs = [speed, speed + 1, 3 * speed, 3 * speed + 1]
    found = least_costs(made, 0, 3, needs, worth=None, exact=False)
    assert not found.exact
    assert found.cost[3].tolist() == [10, 11, 30, 31]
    assert found.above[3].tolist() == [10, 20, 30, 40]


def test_costs_at_or_above_the_worth_may_be_left_out() -> None:
    made = Options((2, 1), np.array([[5, 1], [5, 1], [5, 1]]), 10**6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covering, "MAX_TABLE_UNITS", 0)
        found = least_costs(made, 0, 2, [1, 2, 3], worth=3)
    assert found.cost.tolist() == [[1, 10**6, 10**6], [1, 2, 10**6], [1, 2, 10**6]]
