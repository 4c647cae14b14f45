from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.problem import (
    ForkJob,
    ForkProblem,
    check_node_machine,
    related_speeds,
)
from hadaropt.instance import Cluster
from tests.forking.small import machines


def problem(nodes, *jobs, **options):
    return ForkProblem(Cluster.of(nodes, ("V", "K")), jobs, **options)


ONE_EACH = {"a": {"V": 1}, "b": {"K": 1}}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ForkJob("x", 0, 1, (1,)), r"gang_size = 0, must be >= 1"),
        (lambda: ForkJob("x", 1, 0, (1,)), r"remaining = 0, must be >= 1"),
        (lambda: ForkJob("x", 1, 1, (-1,)), r"speed\[0\] = -1, must be >= 0"),
        (lambda: ForkJob("x", 1, 1, (1,), 0), r"max_copies = 0, must be >= 1"),
        (lambda: ForkJob("x", 1, 1, (1,), 1, 2), r"spread_factor = 2, must be > 0 and <= 1"),
        (lambda: ForkJob("x", 1, 1, (1,), weight=-1), r"weight = -1, must be >= 0"),
        (
            lambda: problem(ONE_EACH, ForkJob("x", 1, 1, (1, 1), 3)),
            r"jobs\[0\].max_copies = 3, must be at most the number of nodes, 2",
        ),
        (
            lambda: problem(ONE_EACH, ForkJob("x", 1, 1, (1,))),
            r"jobs\[0\].speed = 1, must have one speed for each of the 2 accelerator types",
        ),
        (
            lambda: problem(ONE_EACH, ForkJob("x", 1, 1, (0, 0))),
            r"jobs\[0\].speed = 0, must be > 0 on some type",
        ),
        (
            lambda: problem(ONE_EACH, ForkJob("x", 1, 1, (1, 1)), ForkJob("y", 3, 1, (1, 1))),
            r"jobs\[1\].gang_size = 3, must fit on GPUs that can run it",
        ),
        (
            lambda: problem({"a": {"V": 4}}, ForkJob("x", 1, 1, (0, 1))),
            r"jobs\[0\].gang_size = 1, must fit on GPUs that can run it",
        ),
        (
            lambda: problem(ONE_EACH, round_seconds=0),
            r"round_seconds = 0, must be > 0",
        ),
        (
            lambda: problem(ONE_EACH, round_seconds=10, consolidation_seconds=11),
            r"consolidation_seconds = 11, must be <= round_seconds = 10",
        ),
    ],
)
def test_bad_input_is_named(build, message):
    with pytest.raises(InstanceError, match=message):
        build()


def test_a_gang_takes_the_fastest_level_that_a_node_holds():
    own = problem(
        {"a": {"V": 1, "K": 1}, "b": {"V": 2}, "c": {"K": 1}}, ForkJob("x", 2, 9, (3, "1/2"))
    )
    assert own.node_speeds == ((Fraction(1, 2), Fraction(3), Fraction(0)),)
    assert replace(own, mixing=False).node_speeds == ((0, 3, 0),)


def test_equal_types_are_one_level():
    own = problem({"a": {"V": 1, "K": 1}}, ForkJob("x", 2, 9, (3, 3)))
    assert own.levels(0) == (0,)
    assert own.node_speeds == ((3,),)
    with pytest.raises(InstanceError, match="must fit"):
        replace(own, mixing=False)


def test_one_gpu_on_each_node_is_a_machine():
    assert check_node_machine(problem(ONE_EACH, *(ForkJob(n, 1, 1, (1, 1)) for n in "xy"))) is None


def test_two_jobs_that_fit_on_a_node_are_not():
    own = problem({"a": {"V": 2}}, *(ForkJob(n, 1, 1, (1, 1)) for n in "xy"))
    assert check_node_machine(own) == "node a holds a copy of x and one of y"
    assert check_node_machine(problem({"a": {"V": 2}}, ForkJob("x", 1, 1, (1, 1)))) is None
    apart = problem({"a": {"V": 1, "K": 1}}, ForkJob("x", 1, 1, (1, 0)), ForkJob("y", 1, 1, (0, 1)))
    assert check_node_machine(apart) == "node a holds a copy of x and one of y"


def test_a_gang_that_may_span_parts_of_nodes_is_not():
    parts = problem({"a": {"V": 2}, "b": {"V": 3}}, ForkJob("x", 2, 1, (1, 1)))
    assert check_node_machine(parts) == ("a gang of x can span nodes and use only a part of node b")
    whole = problem({"a": {"V": 2}, "b": {"K": 2}}, ForkJob("x", 2, 1, (1, 2)))
    assert check_node_machine(whole) is None
    mixed = problem({"a": {"V": 1, "K": 1}, "b": {"V": 1, "K": 1}}, ForkJob("x", 2, 1, (5, 1)))
    assert check_node_machine(mixed) is not None


def test_a_node_that_holds_a_gang_only_by_mixing_is_no_machine_where_types_must_not_mix():
    own = problem({"a": {"V": 1, "K": 1}, "b": {"V": 1, "K": 1}}, ForkJob("x", 2, 1, (1, 1)))
    assert check_node_machine(own) is None
    assert check_node_machine(replace(own, mixing=False)) is not None


def test_a_job_later():
    job = ForkJob("x", 1, 9, (2, 1))
    twin = job.later(4)
    assert (twin.remaining, twin.speed, job.remaining) == (4, job.speed, 9)
    assert twin == replace(job, remaining=4)
    with pytest.raises(InstanceError, match=r"remaining = 0, must be >= 1"):
        job.later(0)


def test_related_speeds():
    assert related_speeds(machines([[1, 2], [3, 6]], [1, 1])) == ((1, 3), (1, 2))
    assert related_speeds(machines([[1, 2], [2, 1]], [1, 1])) is None
    assert related_speeds(machines([[1, 0], [2, 0]], [1, 1])) is None


def test_progress_is_floored_after_consolidation_and_spread():
    own = machines([["5/2"]], [9], tau=3, lost=1)
    assert own.progress(0, 0) == 7
    assert own.progress(0, 0, copies=True) == 5
    slow = replace(own, jobs=(replace(own.jobs[0], spread_factor=Fraction(1, 2)),))
    assert slow.progress(0, 0, spread=True) == 3
