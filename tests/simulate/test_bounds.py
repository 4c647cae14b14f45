import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.instance import Cluster
from hadaropt.simulate.bounds import _fastest_copies, workload_bounds
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler, scheduler_names
from hadaropt.workload import Workload, WorkloadJob
from tests.simulate.small import job, workload


def bounds(cluster, *jobs, copies=1, tau=100, **options):
    problem = RoundProblem.of_workload(workload(cluster, *jobs), round_seconds=tau, **options)
    return workload_bounds(problem, copies=copies)


def test_alone_with_restart_floors_and_arrival_inside_a_round():
    # Arrives at 50, may start at 100; 0.3 * 90 = 27, then 30 a round, then 23 / 0.3 s.
    found = bounds("fast=1", job("a", 50, 1, 80, throughput={"fast": "0.3"}), restart_seconds=10)
    assert found.avg_jct_by == "alone"
    assert found.avg_jct_s == pytest.approx(float(50 + 200 + Fraction(23) / Fraction("0.3")))
    assert found.makespan_s <= 300 + Fraction(23) / Fraction("0.3")


def test_queue_on_one_gpu_is_attained():
    found = bounds("fast=1", *(job(name, 0, 1, 100) for name in "abc"))
    assert (found.avg_jct_s, found.avg_jct_by) == (200, "shortest_first")
    assert (found.makespan_s, found.makespan_by) == (300, "work")


def test_gangs_that_cannot_share_are_seen_as_work():
    found = bounds("fast=3", *(job(name, 0, 2, 300) for name in "ab"))
    assert (found.makespan_s, found.makespan_by) == (400, "work")


def test_work_after_a_late_release():
    late = [job(f"late-{i}", 1000, 1, 200) for i in range(3)]
    found = bounds("fast=1", job("early", 0, 1, 10), *late)
    assert found.makespan_s == 1600


def test_restarts_are_work():
    plain = bounds("fast=1", *(job(name, 0, 1, 90) for name in "ab"))
    charged = bounds("fast=1", *(job(name, 0, 1, 90) for name in "ab"), restart_seconds=10)
    assert (plain.makespan_s, charged.makespan_s) == (180, 200)


def test_copies_are_faster_alone_but_no_less_work():
    cluster, one, more = "fast=3x1", job("a", 0, 1, 900), job("b", 0, 1, 900)
    assert bounds(cluster, one).makespan_s == 900
    assert bounds(cluster, one, copies=2).makespan_s == 450
    both = bounds(cluster, one, more, copies=3)
    assert (both.makespan_s, both.makespan_by) == (600, "work")


def test_a_gang_that_must_span_nodes_is_slower():
    half = job("a", 0, 2, 100, spread_factor="0.5")
    assert bounds("fast=2x1", half).makespan_s == 200
    assert bounds("fast=1x2", half).makespan_s == 100


def test_jobs_that_never_run_do_not_count():
    found = bounds("fast=1", job("wide", 0, 2, 10), job("fits", 0, 1, 10))
    assert (found.jobs, found.avg_jct_s) == (1, 10)
    assert bounds("fast=1", job("wide", 0, 2, 10)) is None


def test_a_job_that_can_never_run_is_refused_by_name():
    problem = RoundProblem.of_workload(workload("fast=1", job("wide", 0, 2, 10)))
    with pytest.raises(ValueError, match=r"jobs\[0\] can never run: its gang of 2"):
        workload_bounds(problem, [0])
    with pytest.raises(ValueError, match="copies = 0"):
        workload_bounds(problem, copies=0)


@st.composite
def workloads(draw, most=5, work=900, shapes=3):
    every = ("fast=1", "fast=2,slow=1", "fast=1x2,slow=2x1,other=1x3")
    shape = draw(st.sampled_from(every[:shapes]))
    cluster = Cluster.parse(shape)
    speeds = st.sampled_from(("0", "0.03", "0.5", "1", "2.7"))
    jobs = []
    for i in range(draw(st.integers(1, most))):
        throughput = {r: draw(speeds) for r in cluster.accelerators}
        arrival = draw(st.sampled_from((0, 30, 100, 250)))
        gang, size = draw(st.integers(1, 3)), draw(st.integers(1, work))
        spread = draw(st.sampled_from(("1", "0.7")))
        jobs.append(
            WorkloadJob(f"j{i}", arrival, gang, size, throughput, spread_factor=Fraction(spread))
        )
    return Workload(cluster, tuple(jobs))


some = st.sets(st.sampled_from(scheduler_names()), min_size=4, max_size=4)


@given(workloads(), st.sampled_from((0, 20)), st.booleans(), some)
@settings(max_examples=12, deadline=None)
def test_no_scheduler_beats_the_bounds(drawn, restart, mixing, names):
    problem = RoundProblem.of_workload(
        drawn, round_seconds=100, restart_seconds=restart, mixing=mixing
    )
    known = {}
    for name in sorted(names):
        run = simulate_rounds(problem, make_scheduler(name))
        copies = len(drawn.cluster.nodes) if name.startswith("hadare") else 1
        key = frozenset(run.finish), copies
        if key not in known:
            known[key] = workload_bounds(problem, run.finish, copies=copies, intervals=6)
        found = known[key]
        if found is None:
            assert not run.finish
            continue
        assert found.avg_jct_s <= sum(run.jct.values()) / len(run.jct), name
        assert found.makespan_s <= max(run.finish.values()), name


def optimum(problem, measure):
    """Least measure(finish) over all schedules of a few rounds, by enumeration."""
    jobs, tau = problem.jobs, problem.round_seconds
    counts = problem.cluster.pooled_capacity
    ways = [
        [
            (use, min(j.speed[r] for r, n in enumerate(use) if n))
            for use in product(*(range(min(c, j.gang_size) + 1) for c in counts))
            if sum(use) == j.gang_size and all(j.speed[r] for r, n in enumerate(use) if n)
        ]
        for j in jobs
    ]

    @cache
    def least(t, left):
        if not any(left):
            return 0
        if t > 8:
            return None
        choices = []
        for j, rest in enumerate(left):
            can = rest and jobs[j].release <= t
            choices.append([None, *(ways[j] if can else [])])
        best = None
        for picked in product(*choices):
            used = [sum(way[0][r] for way in picked if way) for r in range(len(counts))]
            if any(u > c for u, c in zip(used, counts, strict=True)):
                continue
            rest, done = list(left), []
            for j, way in enumerate(picked):
                if way:
                    steps = min(rest[j], way[1] * tau // 1)
                    rest[j] -= int(steps)
                    if not rest[j]:
                        done.append(t * tau + steps / way[1] - jobs[j].arrival * (measure is sum))
            after = least(t + 1, tuple(rest))
            if after is not None:
                total = measure([*done, after])
                best = total if best is None else min(best, total)
        return best

    return least(0, tuple(j.iterations for j in jobs))


@given(workloads(most=3, work=150, shapes=2))
@settings(max_examples=15, deadline=None)
def test_never_above_the_optimum_of_tiny_workloads(drawn):
    jobs = tuple(replace(j, spread_factor=Fraction(1)) for j in drawn.jobs)
    problem = RoundProblem.of_workload(replace(drawn, jobs=jobs), round_seconds=100)
    if any(problem.unschedulable(j) for j in range(len(jobs))):
        return
    found = workload_bounds(problem, intervals=8)
    least = optimum(problem, sum)
    if least is not None:
        assert found.avg_jct_s <= least / len(jobs)
        assert found.makespan_s <= optimum(problem, max)


def test_copies_run_at_most_on_the_fastest_nodes_however_many_are_equal():
    draw = random.Random(2)
    for _ in range(50):
        rows = tuple(draw.choice([(4, 0), (0, 4), (2, 2)]) for _ in range(draw.randint(1, 9)))
        nodes = Cluster(("a", "b"), tuple(f"n{h}" for h in range(len(rows))), rows).equal_nodes
        assert sorted(h for equal in nodes.values() for h in equal) == list(range(len(rows)))
        speed = {row: Fraction(draw.randint(0, 5)) for row in nodes}
        copies = draw.randint(2, 10)
        by_node = sorted(speed[row] for row in rows)
        assert _fastest_copies(speed, nodes, copies) == sum(by_node[-copies:])
