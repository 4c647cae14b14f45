"""Options and states of jobs, for column generation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen import pricing_data
from hadaropt.offline.colgen.pricing_data import GangClass, Space, TooLargeError, _need_states
from hadaropt.offline.infeasibility import why_unschedulable
from hadaropt.utility import Linear
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_states_of_the_need_count_down_to_nothing(data: Any) -> None:
    need, rounds = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 6))
    steps = sorted(data.draw(st.sets(st.integers(1, 25), min_size=1, max_size=4)))
    assume(max(steps) * rounds >= need)
    states = _need_states(need, steps, rounds, 0, Clock())
    assert states is not None
    assert states.shape == (len(states), len(steps))
    for _ in range(20):
        made, state = 0, len(states) - 1
        for k in data.draw(st.lists(st.integers(0, len(steps) - 1), max_size=rounds)):
            made, state = made + steps[k], int(states[state, k])
            assert (state == 0) == (made >= need)


def placements(instance: Instance, gang: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """All ways to take so many GPUs from the nodes."""
    cells = [
        (h, r, n) for h, row in enumerate(instance.cluster.capacity) for r, n in enumerate(row)
    ]
    for counts in itertools.product(*(range(min(n, gang) + 1) for _, _, n in cells)):
        if sum(counts) == gang:
            yield tuple((h, r, n) for (h, r, _), n in zip(cells, counts, strict=True) if n)


def progress_of(instance: Instance, j: int) -> set[int]:
    """Iterations that one gang can make in a round, counted out, at most those that it needs."""
    job, found = instance.jobs[j], set()
    for gpus in placements(instance, job.gang_size):
        types = {r for _, r, _ in gpus}
        if instance.parallelism == "single_type" and len(types) > 1:
            continue
        speed = min(instance.throughput[j][r] for r in types)
        speed *= job.spread_factor if len({h for h, _, _ in gpus}) > 1 else 1
        found.add(min(job.iterations, math.floor(speed * instance.round_seconds)))
    return found - {0}


@pytest.mark.parametrize("parallelism", PARALLELISM)
@settings(max_examples=25, deadline=None)
@given(document=tiny_instances(max_jobs=2, max_rounds=3))
def test_options_are_what_a_gang_can_do_on_any_gpus(parallelism: str, document: Json) -> None:
    instance = instance_of(document).with_parallelism(parallelism)
    space = Space.of(instance)
    assert [job.job for job in space.jobs] == sorted(job.job for job in space.jobs)
    for job in space.jobs:
        alone = {job.progress[option - 1] for option, _, _ in job.ways}
        held = progress_of(instance, job.job)
        # What a gang makes over nodes is an option also where its GPUs happen to be on one.
        assert held <= alone and max(held) == max(alone)
        assert held == alone or not space.pooled
        assert list(job.progress) == sorted(set(job.progress))
        if instance.max_copies(job.job) < 2:
            assert alone == set(job.progress)
        assert job.step is not None
        assert all(job.step[0] == 0) and len(job.step) >= 2


def progress_of_copies(instance: Instance, j: int) -> set[int]:
    """Iterations that two or more copies can make in a round, counted out, at most those needed."""
    job, most = instance.jobs[j], instance.max_copies(j)
    seconds = max(0, instance.round_seconds - instance.consolidation_seconds)
    sums = {(0, 0)}
    for h in range(len(instance.cluster.nodes)):
        speeds = {
            min(instance.throughput[j][r] for _, r, _ in gpus)
            for gpus in placements(instance, job.gang_size)
            if {host for host, _, _ in gpus} == {h}
        }
        gains = {math.floor(speed * seconds) for speed in speeds} - {0}
        sums |= {(b + 1, total + gain) for b, total in sums for gain in gains if b < most}
    return {min(job.iterations, total) for b, total in sums if b >= 2}


@settings(max_examples=25, deadline=None)
@given(document=tiny_instances(max_jobs=2, max_rounds=3))
def test_options_of_copies_are_what_copies_can_do_on_any_gpus(document: Json) -> None:
    instance = instance_of(document).with_parallelism("forked")
    for job in Space.of(instance).jobs:
        alone = {job.progress[option - 1] for option, _, _ in job.ways}
        assert set(job.progress) == alone | progress_of_copies(instance, job.job)


@settings(max_examples=40, deadline=None)
@given(document=tiny_instances())
def test_only_jobs_that_can_earn_nothing_are_left_out(document: Json) -> None:
    instance = instance_of(document)
    there = {job.job: job for job in Space.of(instance).jobs}
    for j in range(len(instance.jobs)):
        assert (j in there) == (why_unschedulable(instance, j) is None)
        if j in there:
            release = instance.jobs[j].release
            pays = [instance.value(j, f) for f in range(release, instance.num_rounds)]
            assert list(there[j].values) == [value for value in pays if value > 0]


@settings(max_examples=40, deadline=None)
@given(document=tiny_instances(parallelism="mixed"))
def test_no_way_lies_within_another_of_the_same_progress(document: Json) -> None:
    space = Space.of(instance_of(document))
    for job in space.jobs:
        for one, other in itertools.permutations(job.ways, 2):
            cells = [set(space.classes[way[1]].cells) for way in (one, other)]
            assert one[0] != other[0] or not (cells[0] <= cells[1] and one[2] <= other[2])


def test_classes_are_shared_and_limited_only_where_one_cell_is_too_small() -> None:
    cluster = Cluster.of({"n0": {"V100": 3, "P100": 1}})
    jobs = [
        Job(n, 0, w, 4, {"V100": 2, "P100": 1}, Linear(5, 1))
        for n, w in zip("abc", (1, 1, 2), strict=True)
    ]
    space = Space.of(Instance(cluster, jobs, 4, 1))
    assert space.pooled and space.capacity == (3, 1)
    assert set(space.classes) == {GangClass((0,), 0), GangClass((0, 1), 0), GangClass((0, 1), 2)}
    first, second, third = (job.ways for job in space.jobs)
    assert first == second != third


@pytest.mark.parametrize("limit", ["MAX_STATES", "MAX_SUMS"])
def test_a_job_with_too_many_states_has_no_table(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = generate("small_uniform", seed=0)
    assert all(job.step is not None for job in Space.of(instance).jobs)
    monkeypatch.setattr(pricing_data, limit, 3)
    jobs = Space.of(instance).jobs
    assert jobs and any(job.step is None for job in jobs)
    assert [job.need for job in jobs] == [instance.jobs[job.job].iterations for job in jobs]


def test_a_job_that_can_run_in_too_many_ways_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = generate("small_uniform", seed=0, parallelism="forked")
    monkeypatch.setattr(pricing_data, "MAX_COPY_STATES", 2)
    with pytest.raises(TooLargeError, match=r"^jobs\[\d+\] can run as copies in more than 2 ways"):
        Space.of(instance)


def test_when_the_limit_is_over_no_more_is_listed() -> None:
    with pytest.raises(TooLargeError, match=r"the states of jobs\[0\] were not listed"):
        Space.of(generate("small_uniform", seed=0), Clock(0))
    clock = Clock(work_limit=1)
    with pytest.raises(TooLargeError, match="were not listed when time was up"):
        Space.of(generate("small_uniform", seed=0, num_jobs=40), clock)
