"""R3 on runs: the rival's rules, and the share of what did not run; that its bound holds:
`tests/theory/test_replanning.py`."""

from dataclasses import replace
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.errors import InstanceError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.simulate.room import check_rival
from hadaropt.simulate.schedulers.guaranteed import Guaranteed
from hadaropt.utility import Table

SMALL = Cluster.of({"n": {"A": 1}, "o": {"A": 0}})
LARGE = Cluster.of({"n": {"A": 1}, "o": {"A": 1}})


def instance(cluster, *values, rounds=1, speed=1, gang=1):
    """Jobs of so many rounds, all there from the start, each worth its value by then."""
    jobs = [
        Job(f"j{i}", 0, gang, rounds, {"A": speed}, Table((v,) * rounds))
        for i, v in enumerate(values)
    ]
    return Instance(cluster, jobs, 4, 1, "single_type")


def theorem(large, small, scheduler=None):
    run = hadaropt.run_rounds(large, scheduler or Guaranteed(), rival=small)
    return (run.theorem.id, run.theorem.constant) if run.theorem else run.theorem_absent


def test_the_share_is_the_best_set_that_waits_over_what_runs():
    """Of values 5, 3, 2 two run; the rival has one GPU, and 2 is the best that waits."""
    found = theorem(instance(LARGE, 5, 3, 2), instance(SMALL, 5, 3, 2))
    assert found == ("R3", 1 + Fraction(2, 8))
    assert theorem(instance(LARGE, 5, 3), instance(SMALL, 5, 3)) == ("R3", 1)  # all run
    assert theorem(instance(SMALL, 5, 3), instance(SMALL, 5, 3)) == ("R3", 1 + Fraction(3, 5))


def test_what_waits_must_fit_the_rival_together():
    large = Cluster.of({"n": {"A": 4}})
    small = Cluster.of({"n": {"A": 2}})
    values = (5, 5, 3, 3)
    assert theorem(instance(large, *values, gang=2), instance(small, *values, gang=2)) == (
        "R3",
        1 + Fraction(3, 10),
    )
    assert theorem(instance(large, 9, gang=3), instance(small, 9, gang=3)) == ("R3", 1)


def test_values_too_fine_for_integers_are_rounded_up():
    small = (Fraction(1, 3**40), Fraction(1, 7**30))
    own = instance(LARGE, 1, *small, 1)
    id, constant = theorem(own, own)
    assert id == "R3"
    assert 0 < constant - 1 - sum(small) / 2 < small[0] / 2**46


def test_faster_machines_count_as_fewer_rounds():
    slow, fast = instance(SMALL, 1, 1, rounds=4), instance(SMALL, 1, 1, rounds=4, speed=4)
    found = theorem(fast, slow)
    assert found == ("R3", 2)  # k = 1: the share is 1 of 1


def test_there_is_no_theorem_where_the_hypotheses_fail():
    assert (
        theorem(instance(LARGE, 1), instance(SMALL, 1), "hadar")
        == "the scheduler revises its plans"
    )
    two = Cluster.of({"n": {"A": 1, "B": 1}})
    job = Job("j", 0, 1, 2, {"A": 2, "B": 1}, Table((9, 9)))
    levels = Instance(two, (job,), 4, 1)
    assert "on one level than on another" in theorem(levels, levels)
    assert "jobs[0] may take 2 rounds" in theorem(
        instance(LARGE, 1, rounds=2), instance(SMALL, 1, rounds=2), Guaranteed(1)
    )


class Idle(Guaranteed):
    """Runs nothing."""

    def plan(self, view):
        super().plan(view)
        return {}


def test_a_round_that_scores_nothing_has_no_share():
    own = instance(LARGE, 1)
    assert "round 0 scores nothing" in theorem(own, own, Idle())


SOME = instance(LARGE, 1, 2)


@pytest.mark.parametrize(
    ("rival", "rule"),
    [
        (replace(SOME, num_rounds=5), "rival.num_rounds = 5, must be 4"),
        (instance(LARGE, 1), "rival.jobs = 1, must be 2"),
        (instance(LARGE, 1, 3), r"rival.jobs\[1\].utility"),
        (instance(LARGE, 1, 2, gang=2), r"rival.jobs\[0\].gang_size = 2, must be 1"),
        (instance(LARGE, 1, 2, speed=2), r"rival.jobs\[0\].throughput.A = 2, must be at most 1"),
        (
            instance(Cluster.of({"n": {"A": 2}}), 1, 2),
            r"rival.nodes\[0\].gpus.A = 2, must be at most 1",
        ),
        (instance(Cluster.of({"p": {"A": 1}}), 1, 2), r'rival.nodes\[0\] = "p", must be a node of'),
    ],
)
def test_a_rival_has_the_same_jobs_and_no_more_machines(rival, rule):
    with pytest.raises(InstanceError, match=rule):
        check_rival(SOME, rival)
    with pytest.raises(InstanceError, match=rule):
        hadaropt.run_rounds(SOME, "hadar:guaranteed", rival=rival)
    check_rival(SOME, SOME)
