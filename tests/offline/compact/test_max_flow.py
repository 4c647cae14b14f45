"""Max-flow on integers: placements and separating sets."""

from __future__ import annotations

from itertools import combinations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import SolverError
from hadaropt.modes.hall_sets import TypeSet, capacity_sets
from hadaropt.offline.compact import max_flow as flows
from hadaropt.offline.compact.max_flow import distribute, most_violated

types = st.integers(1, 6)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[tuple[int, TypeSet]], list[int]]:
    count = draw(types)
    sets = st.sets(st.integers(0, count - 1), min_size=1).map(frozenset)
    demands = draw(st.lists(st.tuples(st.integers(0, 4), sets), max_size=6))
    return demands, draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))


def excess(demands: list[tuple[int, TypeSet]], capacity: list[int], s: TypeSet) -> int:
    return sum(a for a, admitted in demands if admitted <= s) - sum(capacity[r] for r in s)


def every_set(count: int) -> list[TypeSet]:
    return [frozenset(c) for k in range(count + 1) for c in combinations(range(count), k)]


@settings(deadline=None, max_examples=200)
@given(cases())
def test_hall(case: tuple[list[tuple[int, TypeSet]], list[int]]) -> None:
    """They fit iff no set is violated; the set found is the most violated one."""
    demands, capacity = case
    worst = max(excess(demands, capacity, s) for s in every_set(len(capacity)))
    counts = distribute(dict(enumerate(demands)), capacity)
    totals: dict[TypeSet, int] = {}
    for amount, admitted in demands:
        totals[admitted] = totals.get(admitted, 0) + amount
    found = most_violated(totals, capacity)
    if worst <= 0:
        assert counts is not None and found is None
        for i, (amount, admitted) in enumerate(demands):
            held = counts.get(i, {})
            assert sum(held.values()) == amount and set(held) <= admitted
        for r, limit in enumerate(capacity):
            assert sum(held.get(r, 0) for held in counts.values()) <= limit
    else:
        assert counts is None and found is not None
        assert excess(demands, capacity, found) == worst


def test_prefix_rows_are_not_enough() -> None:
    """Two gangs of 2 that run only on the slower type, with capacity (2, 2)."""
    slower = frozenset({1})
    assert capacity_sets([slower, frozenset({0, 1})]) == (slower, frozenset({0, 1}))
    assert distribute({"a": (2, slower), "b": (2, slower)}, [2, 2]) is None
    assert most_violated({slower: 4}, [2, 2]) == slower


def test_pitfall_8_integers_only() -> None:
    """Float capacities give wrong flows in networkx: the network holds integers only."""
    graph = flows._network({"a": (3, frozenset({0}))}, [5])
    assert all(isinstance(c, int) for _, _, c in graph.edges(data="capacity"))


def test_pitfall_8_flow_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = networkx.maximum_flow

    def lying(*args: object, **how: object) -> object:
        value, flow = honest(*args, **how)  # type: ignore[arg-type]
        flow["source"]["demand", "a"] -= 1
        return value, flow

    monkeypatch.setattr(networkx, "maximum_flow", lying)
    with pytest.raises(SolverError, match="conserved"):
        distribute({"a": (3, frozenset({0})), "b": (1, frozenset({1}))}, [5, 5])


def test_nested_sets_are_filled_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Hall's condition says, fitting or not; `test_hall` meets nested and other sets."""
    monkeypatch.setattr(flows, "_network", None)
    narrow, wide = frozenset({1}), frozenset({0, 1, 2})
    demands = {"w": (4, wide), "n": (2, narrow), "m": (3, frozenset({1, 2})), "z": (0, narrow)}
    assert distribute(demands, [2, 3, 4]) == {
        "w": {0: 2, 1: 0, 2: 2},
        "n": {1: 2},
        "m": {1: 1, 2: 2},
        "z": {},
    }
    assert distribute(demands, [2, 3, 3]) is None and distribute(demands, [9, 1, 9]) is None
    totals = {admitted: amount for amount, admitted in demands.values() if amount}
    assert most_violated(totals, [2, 3, 4]) is None
    assert most_violated(totals, [2, 3, 3]) == wide
    assert most_violated(totals, [9, 1, 9]) == narrow
