"""The search: plays within limits, exact scores, the same by seed, nothing lost by Ctrl-C."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt.bench.adversary.judge import Judge
from hadaropt.bench.adversary.search import Budget, Search
from hadaropt.policies import make_policy
from tests.bench.adversary.plays import FIFO, LIMITS, TRAP, offer


@pytest.mark.parametrize(("policy", "least"), [("fifo", 40), ("primal_dual:step", 20)])
def test_the_search_finds_the_trap_and_is_the_same_by_seed(policy, least):
    found = [
        Search(Judge(make_policy(policy), LIMITS), seed=3).run(Budget(None, 250)) for _ in range(2)
    ]
    assert found[0].best == found[1].best
    assert found[0].best.score >= least
    assert found[0].judge.count <= 251
    scores = [score for _, score in found[0].trail]
    assert scores == sorted(scores)


def test_ctrl_c_keeps_the_worst_so_far():
    def stop(search):
        if search.judge.count >= 60:
            raise KeyboardInterrupt

    search = Search(Judge(FIFO, LIMITS), seed=1).run(Budget(60.0), stop)
    assert search.interrupted
    assert search.best is not None and search.judge.count == 60


def test_starved_plays_are_kept_apart():
    search = Search(Judge(FIFO, LIMITS))
    for size in (2, 1, 2):
        judged = Judge(FIFO, LIMITS)(replace(TRAP, offers=(offer(10),) * size), Fraction(0))
        assert search._record(replace(judged, primal=Fraction(0))) is None
    assert len(search.starved.play.offers) == 1
    assert search.best is None
