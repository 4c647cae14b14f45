"""What a job can do where a branch limits the GPUs that it holds of single cells."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.instance import Cluster, Instance, Job
from hadaropt.offline.colgen.cell_bounds import bounded_options, fill
from hadaropt.offline.colgen.cut_row import Cut
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.utility import Linear


def space_of(parallelism: str = "mixed", gang: int = 2) -> Space:
    """One job on two nodes of 3 + 1 and 2 + 2 GPUs, slower over nodes and on P100."""
    cluster = Cluster.of({"n0": {"V100": 3, "P100": 1}, "n1": {"V100": 2, "P100": 2}})
    job = Job("a", 0, gang, 20, {"V100": 8, "P100": 4}, Linear(9, 1), "1/2")
    return Space.of(Instance(cluster, (job,), 9, 1, parallelism))  # type: ignore[arg-type]


CELLS = st.dictionaries(st.integers(0, 3), st.tuples(st.integers(0, 2), st.integers(0, 4)))


def holdings(space: Space, cells: tuple[int, ...], gang: int, bounds: dict) -> list[dict[int, int]]:
    """All GPUs of these cells that a gang may hold within the bounds."""
    ranges = [range(min(gang, space.capacity[c]) + 1) for c in cells]
    found = (dict(zip(cells, counts, strict=True)) for counts in itertools.product(*ranges))
    return [
        held
        for held in found
        if sum(held.values()) == gang
        and all(
            low <= held.get(c, 0) <= max(low, high)
            for c, (low, high) in bounds.items()
            if c in cells
        )
    ]


@given(
    st.sets(st.integers(0, 3), min_size=1),
    st.integers(1, 5),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
    CELLS,
)
def test_a_gang_is_filled_at_least_cost_within_its_bounds(cells, gang, prices, bounds) -> None:
    space, cells = space_of(), tuple(sorted(cells))
    bounds = {c: (low, max(low, high)) for c, (low, high) in bounds.items()}
    costs = [
        sum(n * prices[c] for c, n in held.items()) for held in holdings(space, cells, gang, bounds)
    ]
    found = fill(space, cells, gang, prices, bounds)
    assert (found is None) == (not costs)
    if found is not None:
        cost, taken = found
        assert cost == min(costs) == sum(n * prices[c] for c, n in taken.items())
        assert sum(taken.values()) == gang
        assert all(
            low <= taken.get(c, 0) <= high for c, (low, high) in bounds.items() if c in cells
        )


@pytest.mark.parametrize("parallelism", ["single_type", "mixed"])
@settings(max_examples=60, deadline=None)
@given(prices=st.lists(st.integers(0, 9), min_size=4, max_size=4), bounds=CELLS, data=st.data())
def test_each_option_costs_the_least_of_its_ways(parallelism, prices, bounds, data: Any) -> None:
    space = space_of(parallelism)
    bounds = {c: (low, max(low, high)) for c, (low, high) in bounds.items()}
    (job,) = space.jobs
    toll = data.draw(st.integers(0, 5))
    cut = Cut(0, ((frozenset((0,)), ((0, 1),)),), 1)  # whoever runs on V100 alone pays
    found = bounded_options(space, job, prices, bounds, [(cut, toll)], 0)
    wanted = {c for c, (low, _) in bounds.items() if low > 0}
    costs: dict[int, list[int]] = {}
    for option, kind, types in job.ways:
        cells = space.classes[kind].cells
        if wanted <= set(cells):
            for held in holdings(space, cells, job.gang_size, bounds):
                cost = sum(n * prices[c] for c, n in held.items()) + toll * (types == {0})
                costs.setdefault(option, []).append(cost)
    assert {option: best.cost for option, best in found.items()} == {
        option: min(some) for option, some in costs.items()
    }
    for best in found.values():
        held = dict(best.cells)
        assert all(low <= held.get(c, 0) <= high for c, (low, high) in bounds.items())


@settings(max_examples=60, deadline=None)
@given(prices=st.lists(st.integers(0, 9), min_size=4, max_size=4), bounds=CELLS)
def test_copies_obey_the_bounds_of_their_nodes(prices, bounds) -> None:
    """Two copies, one on each node: each takes the cheapest GPUs that its node's bounds leave."""
    space = space_of("forked", gang=1)
    bounds = {c: (low, max(low, high)) for c, (low, high) in bounds.items()}
    (job,) = space.jobs
    assert job.copies is not None
    found = bounded_options(space, job, prices, bounds, [], 0)
    pairs = {}
    for one, other in itertools.product((0, 1), (2, 3)):
        held = {one: 1, other: 1}
        if all(low <= held.get(c, 0) <= high for c, (low, high) in bounds.items()):
            progress = sum(8 if c in (0, 2) else 4 for c in held)
            cost = prices[one] + prices[other]
            pairs[progress] = min(cost, pairs.get(progress, cost))
    for progress, cost in pairs.items():
        option = job.progress.index(progress) + 1
        assert found[option].cost <= cost  # one gang may do as much, or a slower level more
    for best in found.values():
        held = dict(best.cells)
        assert all(low <= held.get(c, 0) <= high for c, (low, high) in bounds.items())


def test_what_a_bound_demands_beyond_the_gang_or_the_cell_is_impossible() -> None:
    space = space_of()
    assert fill(space, (0, 1), 2, [0] * 4, {0: (3, 3)}) is None
    assert fill(space, (0, 1), 4, [0] * 4, {1: (2, 4)}) is None
    (job,) = space.jobs
    assert bounded_options(space, job, [0] * 4, {0: (3, 3)}, [], 0) == {}
