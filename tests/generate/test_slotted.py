"""From draws to an instance of whole rounds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.generate.draws import Draws
from hadaropt.generate.slotted import ROUND_SECONDS, Profile, release_rounds, worth


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 50), st.integers(1, 60))
def test_releases_are_sorted_and_in_the_first_part_of_the_horizon(seed, count, rounds):
    found = release_rounds(Draws("x", seed), count, rounds)
    assert len(found) == count and (np.diff(found) >= 0).all()
    assert all(0 <= t < max(1, 0.7 * rounds) for t in found)


def test_releases_reach_the_whole_first_part():
    found = release_rounds(Draws("x", 1), 2000, 20)
    assert set(found.tolist()) == set(range(14))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.integers(1, 8), st.floats(0.01, 900))))
def test_values_are_whole_and_grow_with_gang_and_length(seed, jobs):
    gangs = np.array([gang for gang, _ in jobs], np.int64)
    lengths = np.array([length for _, length in jobs], float)
    found = worth(Draws("x", seed), gangs, lengths)
    middle = 10 * gangs * np.sqrt(lengths)
    assert found.dtype == np.int64 and (found >= 1).all()
    assert (found <= 2 * middle + 1).all() and (found >= middle / 2 - 1).all()


def test_a_profile_knows_its_progress_in_a_round():
    assert ROUND_SECONDS == 360
    profile = Profile({"V100": Fraction(1, 3), "K80": Fraction(1, 1000)})
    assert profile.gains == (120, 0)
