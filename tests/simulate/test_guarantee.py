"""Which theorem a run may name; that its bound holds: `tests/theory/test_replanning.py`."""

from dataclasses import replace
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.online.misinformed import Misinformed
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.guarantee import replanning_constant, replanning_theorem
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.schedulers.guaranteed import Guaranteed
from hadaropt.utility import Table
from tests.simulate.schedulers.test_guaranteed import fresh

ONE = Cluster.of({"n": {"A": 1}})
TYPES = Cluster.of({"n": {"A": 1, "B": 1}})
NODES = Cluster.of({"m": {"A": 1}, "n": {"A": 1}})


def ones(*jobs, cluster=ONE, rounds=8, parallelism="mixed"):
    """(release, iterations, throughput) of each job; gangs of all GPUs on two nodes."""
    gang = 2 if cluster is NODES else 1
    own = [
        Job(f"j{i}", a, gang, Q, X, Table((9,) * rounds), spread_factor=rho)
        for i, (a, Q, X, rho) in enumerate(jobs)
    ]
    return Instance(cluster, own, rounds, 1, parallelism)


def theorem(instance, scheduler=None):
    run = hadaropt.run_rounds(instance, scheduler or Guaranteed())
    return (run.theorem.id, run.theorem.constant) if run.theorem else run.theorem_absent


SLOW = {"A": 1}


@pytest.mark.parametrize(
    ("instance", "found"),
    [
        (ones(), ("R1", 2)),
        (ones((0, 1, SLOW, 1), (3, 1, SLOW, 1)), ("R1", 2)),
        (fresh(4), ("R2", 5)),
        (ones((0, 3, SLOW, 1), (0, 1, SLOW, 1)), ("R2", Fraction(31, 4))),
        (ones((0, 1, SLOW, 1), (2, 2, SLOW, 1)), ("R2k", 5)),  # k rises from 1 to 2
        (ones((0, 2, {"A": 2, "B": 1}, 1), cluster=TYPES), ("R2l", 9)),
        (ones((0, 2, {"A": 3, "B": 2}, 1), cluster=TYPES), ("R1", 2)),  # one round on both
        (ones((0, 1, {"A": 1}, 1), (1, 2, {"A": 2, "B": 1}, 1), cluster=TYPES), ("R2k", 9)),
        (ones((0, 8, {"A": 4}, 1), cluster=NODES), ("R2", 5)),
        (ones((0, 8, {"A": 4}, "0.5"), cluster=NODES), ("R2", 1 + Fraction(256, 27))),  # 4 rounds
    ],
)
def test_the_theorem_is_that_of_the_rounds_that_jobs_take(instance, found):
    assert theorem(instance) == found


def test_no_theorem_where_the_best_set_is_not_known():
    inside = Cluster.of({"m": {"A": 2}, "n": {"A": 2}})
    job = Job("j", 0, 2, 8, {"A": 4}, Table((9,) * 8), spread_factor="0.5")
    assert "slower over nodes" in theorem(Instance(inside, (job,), 8, 1))
    even = replace(job, spread_factor=Fraction(9, 10), iterations=5)  # 2 rounds either way
    assert theorem(Instance(inside, (even,), 8, 1)) == ("R2", 5)
    nowhere = replace(job, spread_factor=Fraction(1, 5), iterations=4)  # no progress over nodes
    assert "slower over nodes" in theorem(Instance(inside, (nowhere,), 8, 1))


def test_no_theorem_with_copies_wrong_iterations_or_other_schedulers():
    assert "copies" in theorem(ones((0, 1, SLOW, 1), parallelism="forked"))
    assert theorem(fresh(2), "hadar:exact") == "the scheduler revises its plans"
    from hadaropt.bench.ratio.contestants import InRounds, run_contestant

    told = run_contestant(fresh(2), Misinformed(InRounds("hadar:guaranteed"), Fraction(2)))
    assert told.theorem is None and "wrong iterations" in told.theorem_absent


def test_a_declared_k_is_foreknowledge_and_must_be_enough():
    run = hadaropt.run_rounds(fresh(3), Guaranteed(3))
    assert run.theorem.id == "R2" and run.theorem.foreknowledge == ("k",)
    assert run.theorem.constant == 1 + replanning_constant(3)
    assert run.theorem.closed_form == float(run.theorem.constant)
    assert "jobs[0] may take 2 rounds" in theorem(fresh(3), Guaranteed(1))


class Careless(Guaranteed):
    """Runs nothing in one round, or lets go of what it runs."""

    def __init__(self, idle):
        super().__init__()
        self.idle = idle

    def plan(self, view):
        plan = super().plan(view)
        return {} if view.round == self.idle else plan


@pytest.mark.parametrize(("idle", "why"), [(0, "scores nothing"), (1, "worse than going on")])
def test_the_run_itself_is_checked(idle, why):
    instance = ones((0, 2, SLOW, 1))
    assert why in theorem(instance, Careless(idle))


def test_k_must_not_fall():
    instance, scheduler = fresh(3), Guaranteed()
    run = simulate_rounds(RoundProblem.of_instance(instance), scheduler)
    scheduler.planned[0] = replace(scheduler.planned[0], rounds=4)
    assert "k falls from 4 to 2 in round 1" in replanning_theorem(instance, scheduler, run)[1]


def test_a_loose_bound_of_a_round_makes_the_constant_larger():
    instance, scheduler = fresh(3), Guaranteed()
    run = simulate_rounds(RoundProblem.of_instance(instance), scheduler)
    one = scheduler.planned[0]
    scheduler.planned[0] = replace(one, bound=one.bound * 3)
    found, _ = replanning_theorem(instance, scheduler, run)
    assert found is not None and found.constant == 1 + 3 * 4
