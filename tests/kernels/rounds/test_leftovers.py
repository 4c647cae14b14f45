import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.rounds.leftovers import fill_leftovers


@st.composite
def leftovers(draw):
    """Capacity, gangs, and per job a worth that falls with the speed of the slowest type."""
    types = draw(st.integers(1, 3))
    capacity = np.array(draw(st.lists(st.integers(0, 4), min_size=types, max_size=types)))
    jobs = draw(st.integers(0, 6))
    gang = np.array([draw(st.integers(1, 3)) for _ in range(jobs)], np.int64)
    rows = [draw(st.lists(st.integers(0, 4), min_size=types, max_size=types)) for _ in range(jobs)]
    gain = np.array(rows, np.int64).reshape(jobs, types)
    factor = np.array([draw(st.integers(0, 9)) for _ in range(jobs)], np.int64)
    return capacity, gang, gain * factor[:, None], gain


@settings(deadline=None, max_examples=60)
@given(leftovers(), st.booleans())
def test_what_is_left_is_given_within_the_rules(problem, mixing):
    capacity, gang, worth, gain = problem
    taken, slow = np.zeros_like(worth), np.zeros_like(worth)
    fill_leftovers(capacity, gang, worth, gain, mixing, taken)
    fill_leftovers.py_func(capacity, gang, worth, gain, mixing, slow)
    assert np.array_equal(taken, slow)
    free = capacity - taken.sum(axis=0)
    assert (free >= 0).all()
    for j, counts in enumerate(taken):
        if counts.any():
            assert counts.sum() == gang[j]
            assert worth[j][counts > 0].min() > 0
            assert mixing or (counts > 0).sum() == 1
        elif mixing:
            assert free[worth[j] > 0].sum() < gang[j]
        else:
            assert not ((free >= gang[j]) & (worth[j] > 0)).any()


def test_the_densest_comes_first_and_takes_its_fastest_types():
    capacity, gang = np.array([1, 2]), np.array([2, 1])
    worth = np.array([[10, 6], [9, 4]])
    taken = np.zeros((2, 2), np.int64)
    fill_leftovers(capacity, gang, worth, worth, True, taken)
    assert taken.tolist() == [[0, 2], [1, 0]]


def test_who_has_gpus_keeps_them():
    capacity, gang, worth = np.array([3]), np.array([1, 2]), np.array([[5], [4]])
    taken = np.array([[1], [0]])
    fill_leftovers(capacity, gang, worth, worth, True, taken)
    assert taken.tolist() == [[1], [2]]
