from fractions import Fraction

import pytest

import hadaropt
from hadaropt.errors import InstanceError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.simulate.schedulers.guaranteed import Guaranteed
from hadaropt.utility import Table
from tests.simulate.small import finish, job, run


def fresh(n, V=100):
    """One GPU; job i is released in i, takes two rounds, has to end in two, is worth V + i."""
    jobs = [Job(f"j{i}", i, 1, 2, {"V100": 1}, Table((V + i, V + i))) for i in range(n)]
    return Instance(Cluster.of({"n": {"V100": 1}}), jobs, n + 1, 1)


@pytest.mark.parametrize(("n", "value", "hadar"), [(8, 412, 107), (16, 856, 115)])
def test_it_finishes_what_hadar_leaves_for_what_is_worth_a_little_more(n, value, hadar):
    assert hadaropt.run_rounds(fresh(n), "hadar:guaranteed").value == value
    assert hadaropt.run_rounds(fresh(n), "hadar").value == hadar


def test_a_job_worth_much_more_is_taken_at_once():
    jobs = [
        Job("first", 0, 1, 2, {"A": 1}, Table((10, 10))),
        Job("better", 1, 1, 2, {"A": 1}, Table((50, 50))),
    ]
    instance = Instance(Cluster.of({"n": {"A": 1}}), jobs, 3, 1)
    assert hadaropt.run_rounds(instance, "hadar:guaranteed").completion == (None, 2)


def test_jobs_of_one_round_are_ranked_by_their_value():
    jobs = [Job(name, 0, 1, 1, {"A": 1}, Table((v,))) for name, v in (("a", 1), ("b", 2))]
    instance = Instance(Cluster.of({"n": {"A": 1}}), jobs, 1, 1)
    scheduler = Guaranteed()
    assert hadaropt.run_rounds(instance, scheduler).completion == (None, 0)
    (planned,) = scheduler.planned
    assert (planned.round, planned.rounds, planned.bound) == (0, 1, 2)


def test_k_is_the_most_rounds_of_a_job_that_has_arrived():
    jobs = [
        Job("short", 0, 1, 1, {"A": 1}, Table((1, 1, 1))),
        Job("long", 2, 1, 3, {"A": 1}, Table((1, 1, 1))),
        Job("worthless", 2, 1, 9, {"A": 1}, Table((1, 1, 1))),
    ]
    scheduler = Guaranteed()
    hadaropt.run_rounds(Instance(Cluster.of({"n": {"A": 1}}), jobs, 9, 1), scheduler)
    assert {p.round: p.rounds for p in scheduler.planned if p.round < 5} == {0: 1, 2: 3, 3: 3, 4: 3}


def test_a_declared_k_stays():
    scheduler = Guaranteed(7)
    hadaropt.run_rounds(fresh(3), scheduler)
    assert {planned.rounds for planned in scheduler.planned} == {7}


@pytest.mark.parametrize("rounds", [0, -1, "1/2"])
def test_k_is_a_whole_number_of_rounds(rounds):
    with pytest.raises(InstanceError, match="rounds"):
        Guaranteed(rounds)


def test_values_before_rounding_decide_whether_to_go_on():
    """Values that differ by far less than 2**-46 of the largest: what runs stays."""
    tiny = Fraction(1, 3**40)
    jobs = [
        Job("runs", 0, 1, 2, {"A": 1}, Table((1 + 20 * tiny,) * 20)),
        Job("comes", 1, 1, 1, {"A": 1}, Table((1 + 19 * tiny,) * 20)),
    ]
    instance = Instance(Cluster.of({"n": {"A": 1}}), jobs, 20, 1)
    run = hadaropt.run_rounds(instance, "hadar:guaranteed")
    assert run.completion == (1, 2)
    assert run.theorem is not None
    assert 1 <= run.theorem.constant - 4 < 1 + Fraction(1, 2**40)


def test_every_job_of_a_workload_completes():
    jobs = [job("a", 0, 1, 150), job("b", 0, 1, 50), job("c", 120, 2, 100)]
    ends = finish(run("fast=1x2", "hadar:guaranteed", *jobs, objective="jct"))
    assert set(ends) == {"a", "b", "c"}
    assert ends["b"] == 50
