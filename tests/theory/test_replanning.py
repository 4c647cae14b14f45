"""R1 and R2: re-planning every round, against the optimum by enumeration, and the families that
show what their hypotheses are for."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.io import instance_from_document
from hadaropt.simulate.schedulers.guaranteed import Guaranteed
from hadaropt.utility import Table
from tests.instances_strategy import tiny_instances
from tests.oracle import iterations, optimum, release, round_options
from tests.theory.replanning import bound, candidates, multiplied, replan, rounds_of, score

few = settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
gangs = tiny_instances(max_nodes=2, max_gpus=2, total_gpus=3, max_gang=2, min_jobs=1)
roomy_gangs = tiny_instances(
    max_nodes=2, max_types=2, max_gpus=2, total_gpus=4, max_gang=3, min_jobs=2, roomy=True
)


def document(capacity, jobs, rounds):
    """One node; each job is (release, iterations, throughput, utilities)."""
    return {
        "format": "hadaropt-instance/1",
        "name": "family",
        "round_seconds": 1,
        "num_rounds": rounds,
        "parallelism": "single_type",
        "accelerators": list(capacity),
        "nodes": [{"name": "n", "gpus": capacity}],
        "jobs": [
            {
                "name": f"j{i}",
                "release": release,
                "gang_size": 1,
                "iterations": need,
                "throughput": throughput,
                "utility": {"kind": "table", "values": values},
            }
            for i, (release, need, throughput, values) in enumerate(jobs)
        ],
    }


def most_rounds(inst):
    return max((max(rounds_of(inst, j), default=1) for j in range(len(inst["jobs"]))), default=1)


def within_one_round(inst):
    """The instance with so few iterations that every allocation with progress completes a job."""
    for job in inst["jobs"]:
        progress = [o.progress for o in round_options(inst, job) if o.progress]
        job["iterations"] = min([iterations(job), *progress])
    return inst


def within_fixed_rounds(inst, rounds):
    """The instance with speed 1 per round wherever a job can run, so that rounds are iterations."""
    inst["parallelism"], inst["round_seconds"] = "mixed", 1
    for job, need in zip(inst["jobs"], rounds, strict=False):
        job["throughput"] = {r: 1 for r, x in job["throughput"].items() if x}
        job["spread_factor"] = 1
        job["iterations"] = need
    return inst


@few
@given(gangs)
def test_r1_is_two_competitive_where_every_allocation_completes_its_job(drawn):
    inst = within_one_round(drawn)
    assert optimum(inst)[0] <= bound(1) * replan(inst, 1)
    assert bound(1) == 2


@few
@given(roomy_gangs, st.lists(st.integers(1, 3), min_size=3, max_size=3))
def test_r2_bounds_the_optimum_where_jobs_take_a_fixed_number_of_rounds(drawn, rounds):
    inst = within_fixed_rounds(drawn, rounds)
    assert all(len(rounds_of(inst, j)) <= 1 for j in range(len(inst["jobs"])))
    k = most_rounds(inst)
    assert optimum(inst)[0] <= bound(k) * replan(inst, k)
    assert optimum(inst)[0] <= bound(k + 1) * replan(inst, k + 1)


@few
@given(
    roomy_gangs,
    st.lists(st.integers(1, 3), min_size=3, max_size=3),
    st.sampled_from((Fraction(3, 2), Fraction(2), Fraction(5))),
)
def test_r2_loses_the_factor_by_which_rounds_are_approximate(drawn, rounds, rho):
    inst = within_fixed_rounds(drawn, rounds)
    k = most_rounds(inst)
    assert optimum(inst)[0] <= bound(k, rho=rho) * replan(inst, k, rho=rho)


@few
@given(gangs)
def test_r2_with_several_levels_loses_another_factor_k_at_most(inst):
    k = most_rounds(inst)
    assume(k <= 4)
    assert optimum(inst)[0] <= bound(k, levels=True) * replan(inst, k)


@few
@given(roomy_gangs, st.lists(st.integers(1, 3), min_size=3, max_size=3))
def test_r2_needs_no_knowledge_of_k(drawn, rounds):
    """k is the most rounds of a job released so far: it may rise during the run."""
    inst = within_fixed_rounds(drawn, rounds)
    assert optimum(inst)[0] <= bound(most_rounds(inst)) * replan(inst, None)


@few
@given(gangs)
def test_r2_with_several_levels_needs_no_knowledge_of_k(inst):
    k = most_rounds(inst)
    assume(k <= 4)
    assert optimum(inst)[0] <= bound(k, levels=True) * replan(inst, None)


@few
@given(st.one_of(gangs, roomy_gangs), st.sampled_from((None, 1, 2, 3)))
def test_the_theorem_that_a_run_names_holds(drawn, rounds):
    inst = drawn if rounds is None else within_fixed_rounds(drawn, [rounds] * 3)
    run = hadaropt.run_rounds(instance_from_document(inst), "hadar:guaranteed")
    if run.theorem is None:
        assert run.theorem_absent
        return
    assert run.theorem.id in {"R1", "R2", "R2l", "R2k"}
    assert optimum(inst)[0] <= run.theorem.constant * run.value


@few
@given(roomy_gangs, st.lists(st.integers(1, 3), min_size=3, max_size=3))
def test_the_scheduler_runs_a_set_of_the_greatest_score(drawn, rounds):
    """Its bound of each round is the greatest score of a feasible set, by enumeration."""
    inst = within_fixed_rounds(drawn, rounds)
    assume(inst["parallelism"] != "forked")
    scheduler = Guaranteed()
    run = hadaropt.run_rounds(instance_from_document(inst), scheduler)
    assert run.theorem is not None
    left = [iterations(job) for job in inst["jobs"]]
    for planned in scheduler.planned:
        t, k = planned.round, planned.rounds
        queue = [j for j, job in enumerate(inst["jobs"]) if left[j] > 0 and release(job) <= t]
        options = {j: round_options(inst, inst["jobs"][j]) for j in queue}
        totals = [
            sum(
                (score(inst, j, left[j], t, o, k, 1 - Fraction(1, k)) for j, o in picks.items()),
                Fraction(0),
            )
            for picks in candidates(inst, options)
        ]
        assert planned.bound == max(totals)
        for j in queue:
            left[j] -= sum(a.round == t for a in run.schedule.jobs[j])


@pytest.mark.parametrize("k", [1, 2, 3, 4, 10, 100])
def test_r2_constant_is_at_most_one_plus_e_times_k(k):
    below_e = Fraction(2718281828, 10**9)
    assert bound(k) <= 1 + k * below_e


@pytest.mark.parametrize("n", [1, 2, 3])
def test_r1_is_false_where_some_allocation_takes_two_rounds(n):
    """One V100 and n K80s: OPT n + 2, the rule 2; with k = 2 the rule of R2 is optimal here."""
    inst = document(
        {"V100": 1, "K80": n},
        [(0, 2, {"V100": 2, "K80": 1}, [1, 1])] * (n + 2),
        rounds=2,
    )
    assert optimum(inst)[0] == n + 2
    assert replan(inst, 1) == 2
    assert replan(inst, 2) == n + 2


@pytest.mark.parametrize("N", [1, 5, 1000])
def test_r1_has_no_smaller_constant(N):
    inst = document(
        {"V100": 1}, [(0, 1, {"V100": 1}, [N]), (0, 1, {"V100": 1}, [N + 1, N + 1])], rounds=2
    )
    assert replan(inst, 1) == N + 1
    assert optimum(inst)[0] == 2 * N + 1


def fresh(V, n):
    """Job i is released in i, takes two rounds, has to be done in two, and is worth V + i."""
    return document({"V100": 1}, [(i, 2, {"V100": 1}, [V + i, V + i]) for i in range(n)], n + 1)


@pytest.mark.parametrize(("V", "m"), [(100, 1), (100, 2), (7, 3), (100, 4)])
def test_without_discount_there_is_no_finite_ratio_at_two_rounds(V, m):
    inst = fresh(V, 2 * m)
    assert optimum(inst)[0] == m * (V + m)
    assert replan(inst, 2, discount=Fraction(1)) == V + 2 * m - 1
    run = hadaropt.run_rounds(instance_from_document(inst), "hadar:guaranteed")
    assert (run.theorem.id, run.theorem.constant) == ("R2", 5)
    assert m * (V + m) <= 5 * run.value
    assert m * (V + m) <= bound(2) * replan(inst, 2)


@pytest.mark.parametrize("scheduler", ["hadar", "hadar:exact"])
@pytest.mark.parametrize(("n", "value", "best"), [(8, 107, 416), (16, 115, 864)])
def test_hadar_as_deployed_follows_the_rule_without_discount(scheduler, n, value, best):
    jobs = [
        hadaropt.Job(f"j{i}", i, 1, 2, {"V100": 1}, Table((100 + i, 100 + i))) for i in range(n)
    ]
    cluster = hadaropt.Cluster.of({"n": {"V100": 1}})
    instance = hadaropt.Instance(cluster, jobs, n + 1, 1)
    run = hadaropt.run_rounds(instance, scheduler)
    assert run.value == value
    assert best == sum(100 + i for i in range(1, n, 2))
    optimal = hadaropt.solve(instance).schedule
    assert optimal is not None
    assert hadaropt.check_schedule(instance, optimal).value == best


@few
@given(roomy_gangs, st.lists(st.integers(1, 3), min_size=3, max_size=3), st.sampled_from((2, 3)))
def test_r3_loses_less_with_m_clusters_for_one(drawn, rounds, m):
    inst = within_fixed_rounds(drawn, rounds)
    k = most_rounds(inst)
    value = replan(multiplied(inst, m), k, clusters=True)
    assert optimum(inst)[0] <= (1 + (bound(k) - 1) / m) * value


@few
@given(gangs, st.sampled_from((2, 3)), st.booleans())
def test_r3_with_several_levels_loses_less_with_m_clusters(inst, m, learnt):
    k = most_rounds(inst)
    assume(k <= 4)
    value = replan(multiplied(inst, m), None if learnt else k, clusters=True)
    assert optimum(inst)[0] <= (1 + (1 + Fraction(k, m)) * (bound(k) - 1)) * value


@few
@given(
    roomy_gangs,
    st.lists(st.integers(1, 4), min_size=3, max_size=3),
    st.sampled_from(((1, 1), (2, 1), (3, 1), (1, 2), (2, 2))),
)
def test_the_run_names_r3_where_the_optimum_has_fewer_or_slower_machines(drawn, rounds, room):
    m, speed = room
    small = multiplied(within_fixed_rounds(drawn, rounds), 1)
    large = multiplied(drawn, m)
    large["jobs"] = [
        {**job, "throughput": {r: x * speed for r, x in job["throughput"].items()}}
        for job in small["jobs"]
    ]
    rival = instance_from_document(small)
    run = hadaropt.run_rounds(instance_from_document(large), "hadar:guaranteed", rival=rival)
    assert run.theorem is not None and run.theorem.id == "R3"
    assert optimum(small)[0] <= run.theorem.constant * run.value
    if all(job["gang_size"] == 1 for job in small["jobs"]) and len(small["nodes"]) == 1:
        k = max(most_rounds(large), 1)
        types = {r for node in small["nodes"] for r, c in node["gpus"].items() if c}
        if len(types) == 1:
            assert run.theorem.constant <= 1 + (bound(k) - 1) / m


def crowd(m, V, n, gpus):
    """m jobs released in each round, two rounds each, due at once, worth V + round."""
    own = [(i, 2, {"V100": 1}, [V + i, V + i]) for i in range(n) for _ in range(m)]
    return document({"V100": gpus}, own, n + 1)


@pytest.mark.parametrize(("m", "V", "n"), [(1, 100, 4), (2, 5, 4), (3, 100, 8)])
@pytest.mark.parametrize("scheduler", ["hadar", "hadar:exact"])
def test_more_machines_give_hadar_as_deployed_no_finite_ratio(scheduler, m, V, n):
    """On m GPUs it completes the last m jobs; on ONE the optimum completes every second."""
    run = hadaropt.run_rounds(instance_from_document(crowd(m, V, n, m)), scheduler)
    assert run.value == m * (V + n - 1)
    best = hadaropt.solve(instance_from_document(crowd(m, V, n, 1)))
    assert best.bound == best.value == n // 2 * (V + n // 2)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_discount_gives_a_constant_that_falls_with_the_machines(m):
    small = instance_from_document(crowd(m, 100, 6, 1))
    large = instance_from_document(crowd(m, 100, 6, m))
    run = hadaropt.run_rounds(large, "hadar:guaranteed", rival=small)
    assert (run.theorem.id, run.theorem.foreknowledge) == ("R3", ())
    assert run.theorem.constant <= 1 + Fraction(4, m)
    assert run.theorem.constant * run.value >= 3 * 103


@pytest.mark.parametrize(("m", "N"), [(1, 5), (2, 10), (4, 1000)])
def test_r3_has_no_smaller_constant_at_one_round(m, N):
    own = [(0, 1, {"V100": 1}, [N + 1] * (m + 1))] * m + [(0, 1, {"V100": 1}, [N])]
    small, large = document({"V100": 1}, own, m + 1), document({"V100": m}, own, m + 1)
    rival = instance_from_document(small)
    run = hadaropt.run_rounds(instance_from_document(large), "hadar:guaranteed", rival=rival)
    assert run.value == m * (N + 1)
    assert optimum(small)[0] == N + m * (N + 1) == run.theorem.constant * run.value
    assert run.theorem.constant <= 1 + Fraction(1, m)


@pytest.mark.parametrize(("own", "small"), [(3, 2), (4, 3), (5, 2)])
def test_r3_with_a_fraction_more_of_single_gpus(own, small):
    """lambda is at most small/own, at k = 2."""
    rival = instance_from_document(crowd(own, 100, 4, small))
    run = hadaropt.run_rounds(
        instance_from_document(crowd(own, 100, 4, own)), "hadar:guaranteed", rival=rival
    )
    assert 1 < run.theorem.constant <= 1 + Fraction(small, own) * 4
    assert run.theorem.constant * run.value >= 2 * small * 101
