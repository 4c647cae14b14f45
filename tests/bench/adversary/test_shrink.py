"""Worse and smaller."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hadaropt.bench.adversary.judge import Judge
from hadaropt.bench.adversary.shrink import sharpen, shrink
from tests.bench.adversary.plays import FIFO, LIMITS, TRAP, offer


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
