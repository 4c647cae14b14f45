"""From levels and counts to GPUs of nodes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import (
    solve_ilp,
)
from hadaropt.errors import SolverError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.modes.plans import JobPlan, Way, job_plans
from hadaropt.offline.compact import hall, solve
from hadaropt.offline.compact.placement import (
    PlacementError,
    pick,
    place_counts,
    place_pooled,
    take_type,
)
from hadaropt.schedule import check_schedule
from hadaropt.utility import Linear
from tests.offline.support import many_types


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000))
def test_unwritten_rows_are_found_by_placement(seed: int) -> None:
    """With only the admitted sets written and no separation at the root, placement finds them."""
    instance = many_types(4, seed)
    expected = solve_ilp(instance).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hall, "MOST_TYPES_WRITTEN", 0)
        patch.setattr(solve.Rows, "violated", lambda *_: [])
        assert solve_ilp(instance).value == expected


def gangs_of(instance: Instance, form: str, chosen: dict[int, int]) -> list[tuple[JobPlan, Way]]:
    """The chosen way of each job: job -> index of its way."""
    plans = {plan.job: plan for plan in job_plans(instance, form)}  # type: ignore[arg-type]
    return [(plans[j], plans[j].ways[w % len(plans[j].ways)]) for j, w in chosen.items()]


def fits(instance: Instance, gangs: list[tuple[JobPlan, Way]]) -> bool:
    """Hall's condition over all sets of types, counted out."""
    capacity = instance.cluster.pooled_capacity
    for n in range(1, len(capacity) + 1):
        for types in itertools.combinations(range(len(capacity)), n):
            held = sum(p.gang_size for p, w in gangs if set(w.admitted) <= set(types))
            if held > sum(capacity[r] for r in types):
                return False
    return True


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 20), st.dictionaries(st.integers(0, 5), st.integers(0, 3), max_size=6))
def test_gangs_are_placed_iff_halls_condition_holds(seed: int, chosen: dict[int, int]) -> None:
    instance = replace(many_types(4, seed), num_rounds=12)
    able = {plan.job for plan in job_plans(instance, "hall")}
    gangs = gangs_of(instance, "hall", {j: w for j, w in chosen.items() if j in able})
    start = 2  # all jobs are released by then
    if fits(instance, gangs):
        need = {p.job: p.need for p, _ in gangs}
        rounds = {start + n: gangs for n in range(max(need.values(), default=0))}
        checked = check_schedule(
            instance, place_pooled(instance, {t: g for t, g in rounds.items() if t < 12})
        )
        for plan, way in gangs:
            if start - (-plan.need // way.units) - 1 < 12:
                assert checked.completion[plan.job] is not None
    else:
        with pytest.raises(PlacementError, match="gangs do not fit in rounds 2") as caught:
            place_pooled(instance, {start: gangs})
        ((t, types),) = caught.value.violated
        held = sum(p.gang_size for p, w in gangs if set(w.admitted) <= types)
        assert t == start
        assert held > sum(instance.cluster.pooled_capacity[r] for r in types)


def slowed() -> Instance:
    """Two gangs of 2 and one of 4, slowed over nodes, on nodes of 2 and 4 GPUs."""
    cluster = Cluster.of({"small": {"V100": 2}, "large": {"V100": 4}})
    jobs = [
        Job(f"j{w}", 0, size, 1, {"V100": 2}, Linear(3, 1), "1/2")
        for w, size in enumerate((4, 2, 2))
    ]
    return Instance(cluster, jobs, 3, 1)


def inside(instance: Instance, jobs: list[int]) -> list[tuple[JobPlan, Way]]:
    plans = {plan.job: plan for plan in job_plans(instance, "divisible")}
    return [(plans[j], next(w for w in plans[j].ways if w.kind == "inside")) for j in jobs]


def test_gangs_that_are_kept_together_lie_on_one_node() -> None:
    instance = slowed()
    found = place_pooled(instance, {0: inside(instance, [1, 0])})
    assert [job[0].gpus if job else None for job in found.jobs] == [
        ((1, 0, 4),),
        ((0, 0, 2),),
        None,
    ]
    ((plan, way),) = inside(instance, [0])
    uneven = replace(instance, cluster=Cluster.of({"n0": {"V100": 3}, "n1": {"V100": 5}}))
    with pytest.raises(SolverError, match="round 0 breaks the rows of the gangs"):
        # Eight GPUs for two gangs of four, of which only one node can hold one.
        place_pooled(uneven, {0: [(plan, way), (replace(plan, job=1), way)]})


def test_counts_become_allocations_of_what_is_needed() -> None:
    """More may be set aside than the gang holds; copies hold one gang on each of their nodes."""
    cluster = Cluster.of({"n0": {"V100": 3}, "n1": {"V100": 2}})
    job = Job("a", 0, 2, 9, {"V100": 1}, Linear(9, 1))
    instance = Instance(cluster, (job,), 9, 1, "forked")
    (plan,) = job_plans(instance, "node")
    gang = next(way for way in plan.ways if way.kind == "run")
    copies = [way for way in plan.ways if way.kind == "copy"]
    counts = {(0, 0): {(0, 0): 3}, (0, 1): {(0, 0): 2, (1, 0): 2}}
    found = place_counts(instance, {(0, 0): (plan, [gang]), (0, 1): (plan, copies)}, counts)
    assert [(a.round, a.gpus, a.copies) for a in found.jobs[0]] == [
        (0, ((0, 0, 2),), False),
        (1, ((0, 0, 2), (1, 0, 2)), True),
    ]


@given(st.lists(st.integers(0, 4), max_size=5), st.integers(0, 12))
def test_exactly_so_many_are_picked_from_the_first_ones(counts: list[int], amount: int) -> None:
    cells = [(h, 0, count) for h, count in enumerate(counts)]
    taken = pick(cells, amount)
    assert sum(n for _, _, n in taken) == min(amount, sum(counts))
    assert all(0 < n <= counts[h] for h, _, n in taken)
    assert [h for h, _, n in taken if n < counts[h]][:-1] == []


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(0, 12))
def test_gpus_of_a_type_lie_on_the_fullest_node_that_holds_them_all(
    row: list[int], count: int
) -> None:
    free = [[n, 9] for n in row]
    taken = take_type(free, 0, count)
    assert sum(n for _, _, n in taken) == min(count, sum(row))
    assert [left for left, _ in free] == [
        n - sum(m for at, _, m in taken if at == h) for h, n in enumerate(row)
    ]
    assert all(r == 0 and n >= 1 for _, r, n in taken) and all(other == 9 for _, other in free)
    if 0 < count <= max(row):
        ((h, _, _),) = taken
        assert row[h] == min(n for n in row if n >= count)
    assert take_type(np.array([[n] for n in row]), 0, count) == taken
