"""Rounds to draw, their optimum, and what every choice keeps."""

import numpy as np
from hypothesis import strategies as st

from hadaropt.kernels.rounds.knapsack import exact_round
from hadaropt.simulate.schedulers.exact_round import gang_options


@st.composite
def rounds(draw):
    """Capacity, gangs and worth of up to 12 jobs on up to 3 types, many of them alike."""
    types = draw(st.integers(1, 3))
    capacity = np.array(draw(st.lists(st.integers(0, 5), min_size=types, max_size=types)))
    jobs = draw(st.integers(0, 12))
    gang = np.array([draw(st.sampled_from([1, 1, 2, 3, 4])) for _ in range(jobs)], np.int64)
    entry = st.sampled_from([0, 0, 5, 6, 7, 90, 100, 1000])
    rows = [draw(st.lists(entry, min_size=types, max_size=types)) for _ in range(jobs)]
    return capacity, gang, np.array(rows, np.int64).reshape(jobs, types)


def by_dynamic_program(capacity, gang, worth, mixing):
    parts = [gang_options(int(g), len(capacity), mixing) for g in gang]
    last = np.cumsum([len(part) for part in parts], dtype=np.int64)
    first = last - np.array([len(part) for part in parts], np.int64)
    option = np.concatenate([*parts, np.zeros((0, len(capacity)), np.int64)])
    return exact_round(capacity, worth, option, first, last)[1]


def value_of(capacity, gang, worth, mixing, taken):
    """Check a choice against the rules and return its worth."""
    assert (taken.sum(axis=0) <= capacity).all()
    total = 0
    for j, counts in enumerate(taken):
        if counts.any():
            assert counts.sum() == gang[j] and counts.min() >= 0
            assert mixing or (counts > 0).sum() == 1
            assert worth[j][counts > 0].min() > 0
            total += worth[j][counts > 0].min()
    return total
