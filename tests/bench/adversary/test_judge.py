"""What a play is worth."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.bench.adversary.judge import Judge, relaxed
from hadaropt.bench.adversary.moves import start
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.offline.compact import solve as compact
from hadaropt.offline.compact.solve import solve_ilp
from hadaropt.policies import make_policy
from tests.bench.adversary.plays import FIFO, LIMITS, TRAP, offer


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


def test_other_objectives():
    certified = Judge(make_policy("primal_dual:exponential"), LIMITS, "certified")(
        TRAP, Fraction(0)
    )
    assert certified is not None and certified.against >= 40
    rival = Judge(FIFO, LIMITS, "rival", make_policy("rolling_horizon"))(TRAP, Fraction(0))
    assert rival is not None and rival.score == 40


def test_a_proof_that_ctrl_c_cuts_short_is_no_optimum(monkeypatch):
    judge = Judge(FIFO, LIMITS)

    def interrupted(self, *_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(compact, "_solve_ilp", interrupted)
        assert solve_ilp(TRAP.instance("mixed")).termination == "interrupted"
        with pytest.raises(KeyboardInterrupt):
            judge(TRAP, Fraction(0))
    assert judge(TRAP, Fraction(0)).score == 40  # and it was not kept
