"""Who runs in one round, on pooled GPUs: dynamic programs over the vector of GPUs by type.

A state is the vector of GPUs in use (or still free) of each type, as a number with one digit for
each type in the base capacity + 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]


@njit(cache=True)
def _digits(capacity: Ints) -> tuple[Indices, Ints]:
    """Return the digits of every state, (S, R), and the weight of each digit, (R,)."""
    types = capacity.shape[0]
    weight = np.ones(types, np.int64)
    for r in range(types - 2, -1, -1):
        weight[r] = weight[r + 1] * (capacity[r + 1] + 1)
    states = weight[0] * (capacity[0] + 1)
    digits = np.zeros((states, types), np.int32)
    for s in range(1, states):
        r = types - 1
        while digits[s - 1, r] == capacity[r]:
            r -= 1
        for q in range(r):
            digits[s, q] = digits[s - 1, q]
        digits[s, r] = digits[s - 1, r] + 1
    return digits, weight


@njit(cache=True)
def _improve(before: Ints, after: Ints, choice: Indices, pay: np.int64, k: np.int32) -> None:
    """Offer option k to the states of a row; without a branch, so that it is vectorised."""
    for i in range(before.shape[0]):
        offered = before[i] + pay
        better = offered > after[i]
        after[i] = offered if better else after[i]
        choice[i] = k if better else choice[i]


@njit(cache=True)
def exact_round(
    capacity: Ints, worth: Ints, option: Ints, first: Ints, last: Ints
) -> tuple[Ints, np.int64]:
    """Choose at most one option for each job so that the total worth is the largest possible.

    Parameters
    ----------
    capacity : (R,) int64
        GPUs of each type.
    worth : (J, R) int64
        Worth of running job j when r is the slowest type that it uses; negative: r is not open to
        it. Worth does not grow with slower types, so an option is worth the least of its types.
    option : (K, R) int64
        Counts of GPUs by type.
    first, last : (J,) int64
        Options first[j] <= k < last[j] are those of job j.

    Returns
    -------
    taken : (J,) int64
        The option of each job, -1 for none.
    total : int64
        Their worth together.
    """
    jobs, types = worth.shape
    digits, weight = _digits(capacity)
    states = digits.shape[0]
    width = capacity[types - 1] + 1
    rows = states // width
    old = np.zeros(states, np.int64)
    new = np.zeros(states, np.int64)
    choice = np.full((jobs, states), -1, np.int32)
    for j in range(jobs):
        for k in range(first[j], last[j]):
            least = np.int64(2**62)
            shift = np.int64(0)
            fits = True
            for r in range(types):
                if option[k, r] > 0:
                    least = min(least, worth[j, r])
                    shift += option[k, r] * weight[r]
                    fits = fits and option[k, r] <= capacity[r]
            if not fits or least <= 0:
                continue
            skip = option[k, types - 1]
            for row in range(rows):
                fits = True
                for r in range(types - 1):
                    fits = fits and digits[row * width, r] >= option[k, r]
                if fits:
                    begin, end = row * width + skip, (row + 1) * width
                    _improve(
                        old[begin - shift : end - shift],
                        new[begin:end],
                        choice[j, begin:end],
                        least,
                        np.int32(k),
                    )
        old[:] = new
    taken = np.full(jobs, -1, np.int64)
    s = states - 1
    for j in range(jobs - 1, -1, -1):
        k = choice[j, s]
        if k >= 0:
            taken[j] = k
            for r in range(types):
                s -= option[k, r] * weight[r]
    return taken, old[states - 1]
