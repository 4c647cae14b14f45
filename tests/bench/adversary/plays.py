"""Plays that trap FIFO, and the limits they stay in."""

from __future__ import annotations

from hadaropt.bench.adversary.space import Limits, Offer, Play
from hadaropt.policies import make_policy

FIFO = make_policy("fifo")
LIMITS = Limits(jobs=6, rounds=2, gpus=2, gang=2, spread=20)


def offer(value, gang=1, release=0, work=1, deadline=1):
    return Offer(release, gang, work, (1,), value, deadline)


TRAP = Play(((2,),), 1, (offer(10), offer(400, gang=2)))
"""FIFO takes the single GPU worth 1 and has no room for the gang worth 40."""
