"""GPUs that a round left idle, given to the gangs that wait."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.gang_fill import fill_gang

Ints = npt.NDArray[np.int64]


@kernel
def fill_leftovers(
    capacity: Ints, gang: Ints, worth: Ints, gain: Ints, mixing: bool, taken: Ints
) -> None:
    """Give what is left to jobs that take nothing, by worth per GPU, on their best level that fits.

    A gang is filled fastest type first; it uses no type slower than its level.

    Parameters
    ----------
    capacity : (R,) int64
    gang : (J,) int64
    worth, gain : (J, R) int64
        As in `hadaropt.kernels.rounds.priced.priced_round`.
    mixing : bool
        Whether a gang may mix types.
    taken : (J, R) int64
        GPUs of each type for each job; changed in place.
    """
    jobs, types = worth.shape
    free = capacity.copy()
    for j in range(jobs):
        for r in range(types):
            free[r] -= taken[j, r]
    density = np.zeros(jobs)
    for j in range(jobs):
        idle = True
        most = np.int64(0)
        for r in range(types):
            idle = idle and taken[j, r] == 0
            most = max(most, worth[j, r])
        if idle and most > 0:
            density[j] = most / gang[j]
    counts = np.empty(types, np.int64)
    admitted = np.empty(types, np.bool_)
    for j in np.argsort(-density, kind="mergesort"):
        if density[j] <= 0:
            break
        left = np.int64(0)
        for r in range(types):
            left += free[r]
        if gang[j] > left:
            continue
        for level in np.argsort(-worth[j], kind="mergesort"):
            if worth[j, level] <= 0:
                break
            for r in range(types):
                faster = gain[j, r] >= gain[j, level] if mixing else r == level
                admitted[r] = faster and worth[j, r] > 0
            fastest = np.argsort(-gain[j], kind="mergesort")
            if fill_gang(gang[j], admitted, fastest, free, counts):
                for r in range(types):
                    taken[j, r] = counts[r]
                    free[r] -= counts[r]
                break
