"""Gangs kept on one node: rows for sizes that divide each other, against nodes one by one."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job, certify, solve, solve_ilp, solve_lp, verify
from hadaropt.instance import PARALLELISM
from hadaropt.offline.compact.divisible import (
    divisible_is_exact,
    pack_on_single_nodes,
    single_node_rows,
)
from hadaropt.offline.compact.formulation import assemble, exact_form
from hadaropt.schedule import check_schedule
from hadaropt.utility import Linear


def packing_instance(nodes: list[int], sizes: set[int]) -> Instance:
    cluster = Cluster.of({f"n{h}": {"V100": count} for h, count in enumerate(nodes)})
    jobs = [Job(f"j{w}", 0, w, 9, {"V100": 1}, Linear(3, 1), "1/2") for w in sorted(sizes)]
    return Instance(cluster, jobs, 9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=3),
    st.lists(st.sampled_from([2, 4, 8]), min_size=1, max_size=6),
)
@example([3, 3], [2, 2, 2])
def test_the_rows_hold_iff_the_gangs_fit(nodes: list[int], gangs: list[int]) -> None:
    instance = packing_instance(nodes, set(gangs))
    assert divisible_is_exact(instance)
    rows = [(s, limit) for _, s, limit in single_node_rows(instance)]
    allowed = all(sum(w for w in gangs if w >= s) <= limit for s, limit in rows)
    wide = [w for w in gangs if w > max(nodes)]
    allowed &= sum(gangs) <= sum(nodes) and not wide
    fits = any(
        all(
            sum(w for w, at in zip(gangs, places, strict=True) if at == h) <= count
            for h, count in enumerate(nodes)
        )
        for places in itertools.product(range(len(nodes)), repeat=len(gangs))
    )
    assert allowed == fits
    packed = pack_on_single_nodes([[n] for n in nodes], {j: (0, w) for j, w in enumerate(gangs)})
    assert (packed is not None) == fits


@st.composite
def slowed_instances(draw: st.DrawFn) -> Instance:
    """Nodes of one type each; gangs of 1, 2 and 4, most of them slowed when they span nodes."""
    names = ("V100", "K80")
    nodes = {
        f"n{h}": {draw(st.sampled_from(names)): draw(st.integers(1, 5))}
        for h in range(draw(st.integers(2, 4)))
    }
    jobs = [
        Job(
            f"j{j}",
            draw(st.integers(0, 1)),
            draw(st.sampled_from([1, 2, 2, 4])),
            draw(st.integers(3, 12)),
            {name: draw(st.integers(0, 5)) for name in names},
            Linear(draw(st.integers(3, 9)), draw(st.integers(1, 2))),
            draw(st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(1)])),
        )
        for j in range(draw(st.integers(2, 5)))
    ]
    parallelism = draw(st.sampled_from(["mixed", "single_type"]))
    return Instance(Cluster.of(nodes, names), jobs, 5, 1, parallelism)


@settings(max_examples=50, deadline=None)
@given(slowed_instances())
def test_the_optimum_of_nodes_one_by_one(instance: Instance) -> None:
    assert exact_form(instance) in ("divisible", "hall")
    found = solve_ilp(instance, form="divisible")
    assert found.schedule is not None
    assert check_schedule(instance, found.schedule).value == found.value
    assert found.value == solve_ilp(instance, form="node").value
    checked = verify(instance, certify(instance, found))
    assert checked.value == found.value
    again = solve_ilp(instance, form="divisible", start=found.schedule)
    assert again.value == found.value
    lower, higher = solve_lp(instance, form="node"), solve_lp(instance, form="divisible")
    assert float(found.value) <= float(higher.relaxation_value) + 1e-6
    assert float(found.value) <= float(lower.relaxation_value) + 1e-6
    assert higher.bound >= found.value


def test_whole_places_limit_the_gangs_and_the_rest_serves_others() -> None:
    """Two nodes of 3: two gangs of 2 stay together, the third is slowed or waits."""
    cluster = Cluster.of({"n0": {"V100": 3}, "n1": {"V100": 3}})
    jobs = [Job(f"j{j}", 0, 2, 4, {"V100": 4}, Linear(9, 1), "1/2") for j in range(3)]
    instance = Instance(cluster, jobs, 4, 1)
    assert single_node_rows(instance) == [(0, 2, 4)]
    model = assemble(instance)
    assert "together_0_0_2" in model.linear.row_names()
    assert {"inside_2_0_0", "spread_2_0_0"} <= set(model.linear.column_names())
    result = solve(instance)
    assert (result.value, result.status) == (9 + 9 + 8, "proved")
    assert solve_ilp(instance).value == 26
    assert solve_ilp(instance, form="node").value == 26


@pytest.mark.parametrize(
    ("nodes", "gangs", "parallelism"),
    [
        ({"a": {"V100": 6}, "b": {"V100": 6}}, (2, 3), "mixed"),
        ({"a": {"V100": 4, "K80": 4}}, (2, 4), "mixed"),
        ({"a": {"V100": 4}, "b": {"V100": 4}}, (2, 4), "forked"),
    ],
)
def test_nodes_one_by_one_elsewhere(
    nodes: dict[str, dict[str, int]], gangs: tuple[int, ...], parallelism: str
) -> None:
    jobs = [Job(f"j{w}", 0, w, 4, {"V100": 2, "K80": 1}, Linear(9, 1), "1/2") for w in gangs]
    instance = Instance(Cluster.of(nodes, ("V100", "K80")), jobs, 4, 1, parallelism)  # type: ignore[arg-type]
    assert parallelism in PARALLELISM
    assert exact_form(instance) == "node"
    with pytest.raises(ValueError, match='form = "divisible", must be "node" here'):
        solve_ilp(instance, form="divisible")
    result = solve(instance)
    assert result.status == "proved"
    assert verify(instance, certify(instance, result)).proved
