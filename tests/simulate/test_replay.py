"""A run played again: what each round scored, by hand."""

from fractions import Fraction

from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.replay import discounted, play
from hadaropt.simulate.schedulers.guaranteed import Guaranteed
from tests.simulate.schedulers.test_guaranteed import fresh


def played(n):
    problem, scheduler = RoundProblem.of_instance(fresh(n)), Guaranteed()
    run = simulate_rounds(problem, scheduler)
    return problem, list(play(problem, {p.round: p for p in scheduler.planned}, run.uses))


def test_scores_are_values_discounted_by_the_rounds_that_are_left():
    problem, _ = played(1)
    assert discounted(problem, 0, 2, 1, 0, 2) == Fraction(100, 2)
    assert discounted(problem, 0, 1, 1, 1, 2) == 100
    assert discounted(problem, 0, 3, 1, 0, 2) == 0  # more rounds than k
    assert discounted(problem, 0, 2, 0, 0, 2) == 0  # no progress
    assert discounted(problem, 0, 2, 1, 1, 2) == 0  # too late


def test_each_round_says_what_ran_what_it_scored_and_what_going_on_would_score():
    _, rounds = played(2)  # job i comes in round i and is worth 100 + i until round i + 1
    assert [one.round for one in rounds] == [0, 1, 2]
    assert [one.left for one in rounds] == [(2, 2), (1, 2), (0, 2)]
    assert [one.running for one in rounds[:2]] == [{0}, {0}]
    assert [one.score for one in rounds] == [50, 100, 0]
    assert [one.going_on for one in rounds] == [0, 100, 0]
    assert all(one.bound == one.score and one.rounds == 2 for one in rounds)
