"""Groups of equal nodes, and packing gangs on them."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import certify, solve_ilp, verify
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.offline.colgen import node_groups as groups_module
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from hadaropt.offline.colgen.node_groups import node_groups, pack
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.tree import branch_and_price as tree
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.utility import Step


def on_equal_nodes(
    gangs: list[int], nodes: int, room: int, rounds: int = 2, length: int = 1
) -> Instance:
    """Return jobs worth their gang size, which take twice as long where they span nodes."""
    cluster = Cluster.of({f"n{h}": {"V100": room} for h in range(nodes)})
    jobs = [
        Job(f"j{k}", 0, size, 2 * length, {"V100": 2}, Step(size, length), Fraction(1, 2))
        for k, size in enumerate(gangs)
    ]
    return Instance(cluster, tuple(jobs), rounds, 1)


def fits(gangs: list[int], nodes: int, room: int) -> bool:
    """Whether gangs fit, by trying all ways."""
    return any(
        all(sum(n for n, h in zip(gangs, hosts, strict=True) if h == k) <= room for k in hosts)
        for hosts in itertools.product(range(nodes), repeat=len(gangs))
    )


@settings(max_examples=60, deadline=None)
@given(
    gangs=st.lists(st.integers(1, 7), max_size=6),
    nodes=st.integers(1, 3),
    room=st.integers(1, 9),
)
def test_gangs_are_packed_iff_they_fit(gangs: list[int], nodes: int, room: int) -> None:
    found = pack(gangs, nodes, room)
    assert (found is not None) == fits(gangs, nodes, room)
    if found is not None:
        assert all(
            sum(n for n, h in zip(gangs, found, strict=True) if h == k) <= room
            for k in range(nodes)
        )
        assert all(0 <= h < nodes for h in found)


HARD = [5, 3, 2, 2, 2, 2, 2]
"""On two nodes of 9 GPUs: 5 + 3 leaves 1 unused, while 5 + 2 + 2 and 3 + 2 + 2 + 2 fill both."""


def test_what_is_not_packed_at_once_is_packed_by_an_integer_program() -> None:
    assert groups_module._best_fit(HARD, 2, 9) is None
    found = pack(HARD, 2, 9)
    assert found is not None
    assert {h: sum(n for n, k in zip(HARD, found, strict=True) if k == h) for h in (0, 1)} == {
        0: 9,
        1: 9,
    }


def test_too_many_ways_to_fill_a_node_pass_for_too_many_gangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(groups_module, "MAX_PATTERNS", 1)
    groups_module._fills.cache_clear()
    assert pack(HARD, 2, 9) is None
    groups_module._fills.cache_clear()


def test_nodes_of_several_types_and_of_jobs_that_fork_stay_alone() -> None:
    cluster = Cluster.of({"a": {"V100": 4, "K80": 4}, "b": {"V100": 4, "K80": 4}})
    assert node_groups(Instance(cluster, (), 3)) == ((0,), (1,))
    cluster = Cluster.of({"a": {"V100": 4}, "b": {"V100": 4}})
    job = Job("j", 0, 2, 2, {"V100": 2}, Step(1, 1), Fraction(1, 2))
    assert node_groups(Instance(cluster, (job,), 3)) == ((0, 1),)
    assert node_groups(Instance(cluster, (job,), 3), together=False) == ((0,), (1,))
    assert node_groups(Instance(cluster, (job,), 3, 1, "forked")) == ((0,), (1,))


def test_the_lp_of_groups_has_the_value_of_the_lp_of_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And a size that does not depend on the number of nodes; its prices are those of nodes."""
    instance = on_equal_nodes([3, 3, 3, 2, 2, 1, 4], 2, 5)
    found = solve_configuration_lp(instance, exact=True)
    whole, single = Space.of(instance), Space.of(instance, grouped=False)
    assert (len(whole.capacity), len(single.capacity)) == (1, 2)
    assert found.prices is not None
    assert found.prices.units.shape == (2, 2, 1)
    assert (found.prices.units[:, 0] == found.prices.units[:, 1]).all()
    assert verify(instance, certify(instance, found)).best_bound == found.bound
    monkeypatch.setattr(
        "hadaropt.offline.colgen.pricing_data.node_groups",
        lambda instance, together: node_groups(instance, together=False),
    )
    assert solve_configuration_lp(instance, exact=True).bound == found.bound


def test_gangs_that_do_not_pack_are_decided_by_single_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three gangs of 4 have 12 GPUs on two nodes of 6, but only two of them fit."""
    grouped: list[bool] = []
    search = tree.Search.run

    def run(self: tree.Search, start: object) -> str:
        grouped.append(self.space.grouped)
        return search(self, start)  # type: ignore[arg-type]

    monkeypatch.setattr(tree.Search, "run", run)
    instance = on_equal_nodes([4, 4, 4], 2, 6)
    found = branch_and_price(instance)
    assert grouped == [True, False]
    assert (found.value, found.bound, found.status) == (8, 8, "proved")
    checked = verify(instance, certify(instance, found))
    assert checked.proved and checked.value == 8
    grouped.clear()
    instance = on_equal_nodes([4, 2, 2, 2, 2], 2, 6)
    found = branch_and_price(instance)
    assert grouped == [True]
    assert (found.value, found.bound) == (12, 12)


@settings(max_examples=15, deadline=None)
@given(
    gangs=st.lists(st.integers(1, 4), min_size=2, max_size=5),
    room=st.integers(2, 5),
    length=st.integers(1, 2),
)
def test_optima_are_those_of_the_integer_program(gangs: list[int], room: int, length: int) -> None:
    instance = on_equal_nodes(gangs, 2, room, rounds=3, length=length)
    found, other = branch_and_price(instance), solve_ilp(instance)
    assert found.status == "proved"
    assert found.value == other.value
    assert verify(instance, certify(instance, found)).proved
