"""The search: plays within limits, exact scores, the same by seed, nothing lost by Ctrl-C."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.bench.adversary.bounds import lower_bound
from hadaropt.bench.adversary.judge import Judge, relaxed
from hadaropt.bench.adversary.moves import mutate, start
from hadaropt.bench.adversary.search import Budget, Search
from hadaropt.bench.adversary.shrink import sharpen, shrink
from hadaropt.bench.adversary.space import Limits, Offer, Play, belongs, told, truth
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.offline.compact.solve import solve_ilp
from hadaropt.policies import make_policy
from tests.theory.test_lower_bounds import least_ratio

FIFO = make_policy("fifo")
LIMITS = Limits(jobs=6, rounds=2, gpus=2, gang=2, spread=20)


def offer(value, gang=1, release=0, work=1, deadline=1):
    return Offer(release, gang, work, (1,), value, deadline)


TRAP = Play(((2,),), 1, (offer(10), offer(400, gang=2)))
"""FIFO takes the single GPU worth 1 and has no room for the gang worth 40."""


@given(st.integers(0, 10**6), st.integers(1, 2), st.integers(1, 2), st.booleans())
@settings(max_examples=40, deadline=None)
def test_plays_stay_within_the_limits(seed, nodes, types, copies):
    limits = replace(LIMITS, nodes=nodes, types=types, parallelism="forked" if copies else "mixed")
    rng = np.random.default_rng(seed)
    play = start(rng, limits)
    for _ in range(20):
        play = mutate(rng, play, start(rng, limits), limits)
        assert len(play.offers) <= limits.jobs
        assert 1 <= play.rounds <= limits.rounds
        assert 1 <= len(play.gpus) <= nodes and 1 <= len(play.gpus[0]) <= types
        assert all(len(o.speeds) == len(play.gpus[0]) and any(o.speeds) for o in play.offers)
        assert all(1 <= o.gang <= limits.gang and o.value >= 1 for o in play.offers)


def test_the_score_is_the_exact_ratio():
    judged = Judge(FIFO, LIMITS)(TRAP, Fraction(0))
    assert (judged.primal, judged.against, judged.score) == (1, 40, 40)
    assert prove_optimum(TRAP.instance("mixed"), 10.0).value == 40


@pytest.mark.parametrize(
    ("offers", "why"),
    [
        ((), "no job"),
        ((offer(10), offer(401, gang=2)), "a density above 20"),
        ((offer(9), offer(400, gang=2)), "a density below 1"),
        ((offer(10, release=1),), "a release after the end"),
        ((offer(10), offer(100, gang=3)), "a gang that no cluster holds"),
    ],
)
def test_what_is_outside_the_class_is_not_judged(offers, why):
    assert Judge(FIFO, LIMITS)(replace(TRAP, offers=offers), Fraction(0)) is None, why


def test_the_floor_is_strict_and_needs_no_solver_where_a_relaxation_is_below(monkeypatch):
    judge = Judge(FIFO, LIMITS)
    assert judge(TRAP, Fraction(40)) is None
    monkeypatch.setattr(Judge, "_optimum", None)  # calling it would fail
    assert judge(TRAP, Fraction(41)) is None
    assert judge.count == 2


@given(st.integers(0, 10**6), st.sampled_from(["single_type", "mixed", "forked"]))
@settings(max_examples=15, deadline=None)
def test_the_relaxation_is_above_the_optimum(seed, parallelism):
    limits = replace(LIMITS, nodes=2, types=2, parallelism=parallelism, jobs=4)
    play = start(np.random.default_rng(seed), limits)
    assert solve_ilp(play.instance(parallelism)).value <= relaxed(play)


def test_prices_are_told_the_class_and_the_theorem_holds():
    instance = TRAP.instance("mixed")
    policy = told(instance, make_policy("primal_dual:zero_start"), gang=2, spread=20)
    known = policy.foreknowledge
    assert known.least_density == 1
    assert set(known.value_per_unit.values()) == {20}
    assert set(known.bundle.values()) == {2}
    assert Judge(policy, LIMITS).run(instance).theorem.id == "T7"
    assert told(instance, FIFO, gang=2, spread=20) is FIFO
    assert belongs(instance, LIMITS) and truth(instance).spread == 20


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


def test_other_objectives():
    certified = Judge(make_policy("primal_dual:exponential"), LIMITS, "certified")(
        TRAP, Fraction(0)
    )
    assert certified is not None and certified.against >= 40
    rival = Judge(FIFO, LIMITS, "rival", make_policy("rolling_horizon"))(TRAP, Fraction(0))
    assert rival is not None and rival.score == 40


def test_sharpen_raises_and_shrink_keeps_the_score():
    judge = Judge(FIFO, LIMITS)
    blunt = replace(TRAP, rounds=2, offers=(offer(13), offer(300, gang=2), offer(20, release=1)))
    found = judge(blunt, Fraction(0))
    sharp = sharpen(found, judge, lambda: False)
    assert sharp.score > found.score
    small = shrink(sharp, judge, lambda: False)
    assert small.score >= sharp.score
    assert len(small.play.offers) == 2 and small.play.rounds == 1
    assert shrink(found, judge, lambda: True) is found


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


@pytest.mark.parametrize("spread", [2, 10, 100])
@pytest.mark.parametrize(("c", "m"), [(1, 1), (2, 1), (4, 1), (4, 2), (4, 3), (4, 4), (8, 4)])
def test_lower_bounds_agree_with_the_theory(c, m, spread):
    bound = lower_bound(c, m, spread)
    assert least_ratio(c, m, spread) - Fraction(1, 64) <= bound <= least_ratio(c, m, spread)
    if m == c:
        assert bound == c * spread


def test_limits_are_checked():
    for wrong in ({"spread": 1}, {"jobs": 0}, {"types": 3}, {"gang": 0}):
        with pytest.raises(ValueError, match="must be"):
            replace(LIMITS, **wrong)
    with pytest.raises(ValueError, match="gang = 3"):
        lower_bound(2, 3, 10)
