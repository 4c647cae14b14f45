"""Who runs in one round, on pooled GPUs: a dynamic program over the vector of GPUs by type.

A state is the vector of GPUs still free of each type. States that differ in the last number alone
are a row, those that differ in the last two a plane, which lies in one piece in memory.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]


FAR = np.int64(-(2**62))
"""Below every total: the value of the cells before a row, where no state is."""


@kernel
def _improve(before: Ints, after: Ints, choice: Indices, pay: np.int64, k: np.int32) -> None:
    """Offer option k to the states of a plane; without a branch, so that it is vectorised."""
    for i in range(before.shape[0]):
        offered = before[i] + pay
        better = offered > after[i]
        after[i] = offered if better else after[i]
        choice[i] = k if better else choice[i]


@kernel
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
    size = max(2, types)
    lead = size - types  # 1: one type alone, given a first digit that is always 0
    free = np.zeros(size, np.int64)
    free[lead:] = capacity
    # So many cells before each row that no option reaches into the row before it.
    pad = np.int64(0)
    for k in range(option.shape[0]):
        if option[k, types - 1] <= free[size - 1]:
            pad = max(pad, option[k, types - 1])
    width = pad + free[size - 1] + 1
    weight = np.ones(size, np.int64)
    for r in range(size - 2, -1, -1):
        weight[r] = weight[r + 1] * (width if r == size - 2 else free[r + 1] + 1)
    cells = weight[0] * (free[0] + 1)
    plane = (free[size - 2] + 1) * width
    planes = cells // plane
    old = np.zeros(cells, np.int64)
    old.reshape(-1, width)[:, :pad] = FAR
    new = old.copy()
    choice = np.full((jobs, cells), -1, np.int32)
    digit = np.empty(size, np.int64)
    for j in range(jobs):
        for k in range(first[j], last[j]):
            least = np.int64(2**62)
            shift = np.int64(0)
            fits = True
            for r in range(types):
                if option[k, r] > 0:
                    least = min(least, worth[j, r])
                    shift += option[k, r] * weight[lead + r]
                    fits = fits and option[k, r] <= capacity[r]
            if not fits or least <= 0:
                continue
            skip = pad + option[k, types - 1]
            if types > 1:
                skip += option[k, types - 2] * width
            for p in range(planes):
                number = p * plane
                inside = True
                for r in range(size - 2):
                    digit[r] = number // weight[r]
                    number -= digit[r] * weight[r]
                    inside = inside and digit[r] >= option[k, r]
                if inside:
                    begin, end = p * plane + skip, (p + 1) * plane
                    _improve(
                        old[begin - shift : end - shift],
                        new[begin:end],
                        choice[j, begin:end],
                        least,
                        np.int32(k),
                    )
        new.reshape(-1, width)[:, :pad] = FAR
        old[:] = new
    taken = np.full(jobs, -1, np.int64)
    s = cells - 1
    for j in range(jobs - 1, -1, -1):
        k = choice[j, s]
        if k >= 0:
            taken[j] = k
            for r in range(types):
                s -= option[k, r] * weight[lead + r]
    return taken, old[cells - 1]
