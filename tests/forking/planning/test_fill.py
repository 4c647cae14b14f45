"""A round filled wish by wish."""

from dataclasses import replace
from fractions import Fraction

from hadaropt.forking.planning.fill import Request, RoundFill, fill_round
from hadaropt.forking.planning.planner import plan_round
from hadaropt.forking.planning.problem import ForkJob, ForkProblem
from hadaropt.instance import Cluster
from tests.forking.small import machines


def test_a_job_stays_where_it_was():
    problem = machines([[1, 1, 1]], [5], copies=[1])
    assert plan_round(problem, "jct", {0: ((2, 2, 1),)}).placements == {0: ((2, 2, 1),)}


def test_wishes_before_all_others():
    problem = machines([[5, 1], [5, 1]], [900, 1000], copies=[1, 1])
    assert plan_round(problem, "jct").placements == {0: ((0, 0, 1),), 1: ((1, 1, 1),)}
    swapped = plan_round(problem, "jct", first=[Request(1, 0, (0,), 1)])
    assert swapped.placements == {0: ((1, 1, 1),), 1: ((0, 0, 1),)}


def test_work_that_is_covered_takes_no_more_nodes():
    problem = machines([[1, 1, 1], [1, 1, 1]], [15, 100], tau=10)
    plan = plan_round(problem, "jct")
    assert plan.progress == {0: 20, 1: 10}


def test_idle_nodes_shorten_a_job_that_ends_anyway():
    problem = machines([[1, 1, 1]], [15], tau=10)
    assert plan_round(problem, "jct").progress == {0: 30}
    dear = replace(problem, consolidation_seconds=Fraction(7))
    assert plan_round(replace(dear, jobs=(replace(dear.jobs[0], remaining=10),))).progress == {
        0: 10
    }


def test_a_wish_to_be_alone():
    filled = RoundFill(machines([[1, 1]], [100]))
    assert filled.add(Request(0, 0, alone=True)) == 1
    assert filled.add(Request(0, 1, alone=True)) == 0
    assert filled.add(Request(0, 1)) == 1
    assert filled.full


def test_slow_gpus_of_a_mixed_node_are_taken_first():
    cluster = Cluster.of({"n": {"V": 2, "K": 1}})
    job = ForkJob("x", 2, 100, (4, 1))
    places = fill_round(ForkProblem(cluster, (job,)), [Request(0, 1)])
    assert places == {0: ((0, 0, 1), (0, 1, 1))}
    assert fill_round(ForkProblem(cluster, (job,)), [Request(0, 0)]) == {0: ((0, 0, 2),)}
