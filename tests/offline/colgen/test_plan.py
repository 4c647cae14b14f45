"""Plans: columns that fit together, and the schedules that they stand for."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.plan import column_value, place, to_plan, to_schedule
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import Column, Pricing
from hadaropt.offline.tree.branch_and_price import Search, branch_and_price
from hadaropt.schedule import Allocation, Schedule, check_schedule
from hadaropt.utility import Linear
from tests.instances_strategy import tiny_instances
from tests.offline.support import duel, instance_of, tight
from tests.oracle import Json


@pytest.mark.parametrize("parallelism", ["mixed", "single_type"])
def test_a_schedule_is_a_plan_of_the_same_value(parallelism: str) -> None:
    instance = tight(parallelism)
    answer = branch_and_price(instance)
    assert answer.schedule is not None
    search = Search(instance, clock=Clock(), target_gap=0)
    plan = to_plan(search.space, answer.schedule)
    assert plan is not None
    assert plan.value == answer.value
    again = check_schedule(instance, to_schedule(search.space, plan))
    assert again.value == answer.value
    empty = to_plan(search.space, Schedule.empty(instance))
    assert empty is not None
    assert not empty.columns
    assert empty.value == 0


def schedules_of(space: Space, i: int, tries: int = 3) -> list[Column]:
    """Some columns of a job: those that complete ever later, where earlier rounds are dear."""
    pricing = Pricing(space, 1)
    found = []
    for begin in range(min(tries, len(space.jobs[i].values))):
        prices = np.zeros((space.instance.num_rounds, len(space.capacity)), np.int64)
        prices[: space.jobs[i].release + begin] = 10**3
        pricing.set_prices(prices)
        limits = pricing.no_limits()
        limits.begin[i], limits.must[i] = begin, True
        pricing.solve(limits)
        column = pricing.column(i)
        if column is not None and column.completion >= 0:
            found.append(column)
    return list(dict.fromkeys(found))


def fit_together(space: Space, columns: Sequence[Column]) -> bool:
    """Hall's condition in every round over all sets of cells, counted out."""
    cells = range(len(space.capacity))
    sets = [set(s) for n in cells for s in itertools.combinations(cells, n + 1)]
    held: dict[int, list[tuple[set[int], int]]] = {}
    for column in columns:
        for t, _, content, _ in column.rounds:
            for kind, units in content:
                held.setdefault(t, []).append((set(space.classes[kind].cells), units))
    return all(
        sum(n for within, n in round_ if within <= some) <= sum(space.capacity[c] for c in some)
        for round_ in held.values()
        for some in sets
    )


def pack_on_nodes(space: Space, columns: Sequence[Column]) -> bool:
    """Whether the gangs that stay on one node of a group can be dealt out over its nodes."""
    sizes: dict[tuple[int, int], list[int]] = {}
    for column in columns:
        for t, _, content, _ in column.rounds:
            for kind, units in content:
                if space.classes[kind].together:
                    (cell,) = space.classes[kind].cells
                    sizes.setdefault((t, cell), []).append(units)
    width = len(space.instance.cluster.accelerators)
    for (_, cell), gangs in sizes.items():
        nodes = len(space.groups[cell // width])
        room = space.capacity[cell] // nodes
        if not any(
            all(sum(n for n, h in zip(gangs, hosts, strict=True) if h == k) <= room for k in hosts)
            for hosts in itertools.product(range(nodes), repeat=len(gangs))
        ):
            return False
    return True


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("parallelism", PARALLELISM)
@settings(max_examples=25, deadline=None)
@given(
    document=tiny_instances(min_jobs=2, max_nodes=2, max_types=2, spreads=(1, "1/2")),
    data=st.data(),
)
def test_columns_are_placed_iff_they_fit_together(
    parallelism: str, grouped: bool, document: Json, data: Any
) -> None:
    instance = instance_of(document).with_parallelism(parallelism)
    space = Space.of(instance, grouped=grouped)
    assert grouped or not space.grouped
    choices = (schedules_of(space, i) for i in range(len(space.jobs)))
    chosen = [data.draw(st.sampled_from(some)) for some in choices if some]
    plan = place(space, chosen)
    single = all(len(kind.cells) == 1 or kind.gang_size == 0 for kind in space.classes)
    if plan is None:
        assert not (fit_together(space, chosen) and pack_on_nodes(space, chosen))
        return
    assert fit_together(space, chosen) or not single
    assert pack_on_nodes(space, chosen)
    width = len(instance.cluster.accelerators)
    assert plan.value == sum(column_value(space, column) for column in chosen)
    for column in chosen:
        for t, _, content, _ in column.rounds:
            held = dict(plan.gpus[column.job])[t]
            assert sum(n for _, n in held) == sum(n for _, n in content)
            allowed = {c for kind, _ in content for c in space.classes[kind].cells}
            where = {(c // width, c % width, n) for c, n in held}
            assert (set(dict(held)) if space.pooled else space.cells_of(where)) <= allowed
    checked = check_schedule(instance, to_schedule(space, plan))
    assert checked.value >= plan.value
    again = to_plan(space, to_schedule(space, plan))
    if again is not None:
        assert again.value >= plan.value


def test_two_jobs_cannot_hold_one_gpu() -> None:
    space = Space.of(duel())
    first = [schedules_of(space, i)[0] for i in range(2)]
    assert place(space, first) is None
    assert place(space, first[:1]) is not None
    assert place(space, [first[0], schedules_of(space, 1)[1]]) is not None


def test_copies_and_what_completes_for_nothing_have_no_columns() -> None:
    space = Space.of(duel())
    late = Schedule(((Allocation(1, ((0, 0, 1),)),), ()))
    plan = to_plan(space, late)
    assert plan is not None and plan.value == 3
    copies = Schedule(((Allocation(0, ((0, 0, 1),), True),), ()))
    assert to_plan(space, copies) is None
    assert column_value(space, Column(0, -1, ())) == 0


def test_copies_become_columns_of_the_progress_that_they_make() -> None:
    """Copies on a fast and a slow GPU make 3 + 1, then one gang makes 3 of the 5 needed."""
    cluster = Cluster.of({"n0": {"A": 1}, "n1": {"B": 1}})
    job = Job("a", 0, 1, 5, {"A": 3, "B": 1}, Linear(9, 1))
    instance = Instance(cluster, (job,), 3, 1, "forked")
    rounds = (Allocation(0, ((0, 0, 1), (1, 1, 1)), True), Allocation(1, ((0, 0, 1),)))
    space = Space.of(instance)
    plan = to_plan(space, Schedule((rounds,)))
    assert plan is not None and plan.value == 8
    (column,) = plan.columns.values()
    made = [space.jobs[0].progress[option - 1] for _, option, _, _ in column.rounds]
    assert made == [4, 3] and column.completion == 1
    again = to_schedule(space, plan)
    assert [use.copies for use in again.jobs[0]] == [True, False]
    assert check_schedule(instance, again).value == 8
