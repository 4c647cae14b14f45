"""Plans for utility."""

from dataclasses import replace
from fractions import Fraction

from hadaropt.forking.planning.planner import plan_round
from hadaropt.forking.planning.utility import plan_utility
from tests.forking.small import machines


def test_utility_takes_what_pays():
    """The dear job gets the fast node; the other one what is left."""
    problem = machines([[4, 1], [4, 1]], [40, 40], tau=10, copies=[1, 1])
    worth = (lambda d: Fraction(1, d), lambda d: Fraction(100, d))
    jobs = tuple(replace(j, worth=w) for j, w in zip(problem.jobs, worth, strict=True))
    own = replace(problem, jobs=jobs)
    assert plan_utility(own)[1].use == ((1, 0), (0, 0))
    assert plan_round(own, "utility").placements == {0: ((1, 1, 1),), 1: ((0, 0, 1),)}


def test_utility_forks_where_that_completes_earlier():
    problem = machines([[1, 1, 1]], [30], tau=10)
    own = replace(problem, jobs=(replace(problem.jobs[0], worth=lambda d: Fraction(9, d)),))
    choice = plan_utility(own)[0]
    assert choice.copies
    assert plan_round(own, "utility").progress == {0: 30}


def test_utility_without_any_worth_is_filled_by_the_greedy_rule():
    problem = machines([[1, 1]], [30], tau=10)
    own = replace(problem, jobs=(replace(problem.jobs[0], worth=lambda d: Fraction(0)),))
    assert plan_utility(own) == {}
    assert plan_round(own, "utility").progress == {0: 20}
