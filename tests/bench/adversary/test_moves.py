"""Plays are drawn and changed within the limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.bench.adversary.moves import mutate, start
from tests.bench.adversary.plays import LIMITS


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
