"""Policies that are told wrong iterations: what completes, what is freed, what is in vain."""

from dataclasses import replace
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.bench.ratio.contestants import run_contestant
from hadaropt.bench.ratio.policy_text import policy_from_text
from hadaropt.errors import InstanceError
from hadaropt.generate import generate
from hadaropt.online.misinformed import Misinformed, declare
from hadaropt.policies import ArrivalPolicy, Fifo, GreedyDensity, PrimalDual, RollingHorizon
from hadaropt.utility import EffectiveThroughput, Linear

ONE_GPU = hadaropt.Cluster.of({"n": {"V100": 1}})
COMMITTING = ("fifo", "greedy_density", "random", "primal_dual:zero_start", "primal_dual:last_unit")
CONTESTANTS = (*COMMITTING, "primal_dual:telescoped", "rolling_horizon", "round:hadar")


def line(*jobs, rounds=8):
    """Jobs (release, iterations) on one GPU that does one iteration in a round of a second."""
    made = [
        hadaropt.Job(f"j{i}", release, 1, todo, {"V100": 1}, Linear(20, 1))
        for i, (release, todo) in enumerate(jobs)
    ]
    return hadaropt.Instance(ONE_GPU, made, rounds, 1)


def test_a_shorter_job_completes_and_frees_its_rest_for_later_arrivals():
    instance = line((0, 2), (0, 1), (2, 1))
    run = hadaropt.run_online(instance, Misinformed(Fifo(), 2))
    # Plans: j0 0-3, j1 4-5 (declared 2). j0 is complete after round 1, before j2 arrives: it
    # takes rounds 2 and 3. That j1 could run earlier as well is not seen: it has committed.
    assert run.completion == (1, 4, 2)
    assert run.value == hadaropt.check_schedule(instance, run.schedule).value == 19 + 16 + 20


def test_what_is_not_yet_seen_frees_nothing():
    """A job that completes in round 1 is seen to be complete in round 2, not before."""
    instance = line((0, 2), (1, 1), rounds=9)
    assert hadaropt.run_online(instance, Misinformed(Fifo(), 3)).completion == (1, 6)


@pytest.mark.parametrize("name", COMMITTING)
def test_a_longer_job_is_left_and_earns_nothing(name):
    instance = line((0, 4))
    run = run_contestant(instance, policy_from_text(f"{name}[iterations=1/2]"))
    assert (run.completion, run.value) == ((None,), 0)
    assert len(run.schedule.jobs[0]) == 2
    assert run.bound >= 17


@pytest.mark.parametrize("name", ["rolling_horizon", "round:hadar", "round:tiresias"])
def test_what_revises_plans_the_rest_again(name):
    run = run_contestant(line((0, 4)), policy_from_text(f"{name}[iterations=1/2]"))
    assert run.completion == (3,)


def test_rolling_horizon_plans_again_when_a_job_is_early():
    instance = line((0, 1), (0, 3))
    run = hadaropt.run_online(instance, Misinformed(RollingHorizon(None), 2))
    assert run.completion == (0, 3)


@pytest.mark.parametrize("name", CONTESTANTS)
@pytest.mark.parametrize("seed", range(2))
def test_a_factor_that_changes_nothing_changes_nothing(name, seed):
    """ceil(f Q) = Q for f just below 1: the same decisions by the other way."""
    instance = generate("small_uniform", seed=seed, num_jobs=6, num_rounds=6)
    factor = Fraction(10**9 - 1, 10**9)
    assert declare(instance, factor) == instance
    told = run_contestant(instance, policy_from_text(f"{name}[iterations={factor}]"))
    right = run_contestant(instance, policy_from_text(name))
    assert (told.schedule, told.value) == (right.schedule, right.value)
    assert told.theorem is None
    assert told.bound == right.bound


@pytest.fixture(scope="module")
def solved():
    drawn = generate("small_uniform", seed=3, num_jobs=5, num_rounds=6)
    instances = [drawn.with_parallelism(parallelism) for parallelism in ("mixed", "forked")]
    return [(instance, hadaropt.solve(instance, time_limit=20).bound) for instance in instances]


@pytest.mark.parametrize("name", CONTESTANTS)
@pytest.mark.parametrize("iterations", ["1/2", "2", "unknown"])
def test_what_is_played_is_feasible_and_its_bound_holds(name, iterations, solved):
    for instance, bound in solved:
        run = run_contestant(instance, policy_from_text(f"{name}[iterations={iterations}]"))
        assert hadaropt.check_schedule(instance, run.schedule).value == run.value <= bound
        assert bound <= run.bound
        assert run.theorem is None
        assert "wrong iterations" in run.theorem_absent


def test_prices_are_those_of_what_is_used():
    """After all is played, no price stands for a GPU that was given back."""
    instance = line((0, 2))
    run = hadaropt.run_online(instance, Misinformed(PrimalDual(), 3))
    assert run.completion == (1,)
    assert [bool(run.prices.units[t, 0]) for t in range(8)] == [True, True] + [False] * 6


def test_policies_of_your_own_see_what_is_declared_and_what_is_free():
    seen = []

    class Next(ArrivalPolicy):
        name = "next"

        def arrive(self, past, j, free):
            seen.append((past.jobs[j].iterations, int(free.sum())))
            rounds = [t for t in range(past.jobs[j].release, 8) if free[t, 0, 0]]
            return [hadaropt.Allocation(t, ((0, 0, 1),)) for t in rounds[: past.jobs[j].iterations]]

    run = hadaropt.run_online(line((0, 2), (2, 1)), Misinformed(Next(), 3))
    assert run.completion == (1, 2)
    assert seen == [(6, 8), (3, 6)]


def test_unknown_declares_the_mean_duration():
    cluster = hadaropt.Cluster.of({"n": {"V100": 1, "K80": 1}})
    jobs = [
        hadaropt.Job("a", 0, 1, 10, {"V100": 2, "K80": 1}, Linear(9, 1)),
        hadaropt.Job("b", 0, 1, 30, {"K80": 2}, Linear(9, 1)),
        hadaropt.Job("never", 0, 1, 7, {}, Linear(9, 1)),
    ]
    instance = hadaropt.Instance(cluster, jobs, 9, 1)
    # 5 s and 15 s alone: 10 s each.
    assert [job.iterations for job in declare(instance, "unknown").jobs] == [20, 20, 7]


def test_values_counted_in_iterations_are_declared_as_wrong():
    job = replace(line((0, 4)).jobs[0], utility=EffectiveThroughput(1))
    instance = hadaropt.Instance(ONE_GPU, [job], 8, 1)
    assert declare(instance, 2).value(0, 3) == 2 * instance.value(0, 3)
    assert hadaropt.run_online(instance, Misinformed(Fifo(), 2)).value == 1


def test_names():
    assert Misinformed(Fifo(), 2).name == "fifo[iterations*2]"
    assert Misinformed(GreedyDensity()).name == "greedy_density[iterations=unknown]"
    both = policy_from_text("primal_dual:step[iterations=1/2,U=2]")
    assert both.name == "primal_dual:step[U*2,iterations*1/2]"
    assert policy_from_text(both.name) == both
    assert policy_from_text("fifo[iterations=2/2]") == Fifo()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fifo[iterations=0]", "must be > 0 or unknown"),
        ("fifo[iterations=half]", "iterations"),
        ("fifo[iteration=2]", 'did you mean "iterations"'),
        ("round:hadar[scheduler=yarn]", "must be PARAMETER=VALUE of iterations"),
        ("primal_dual:step[U=2,U=3]", "must give U once"),
    ],
)
def test_what_cannot_be_declared_is_named(text, said):
    with pytest.raises(InstanceError, match=said):
        policy_from_text(text)
