"""One option offered to a row of least costs over progress: the inner loops of covering tables.

With ``prev[i]`` the least cost of reaching state i less the progress of the option, each loop is
``row[i] = min(.., prev[i] + cost)``. Whole slices of distinct rows, not computed indices, let the
loops run on vectors.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]


@kernel
def offer_first(row: Ints, base: Ints, prev: Ints, cost: int) -> None:
    """Write the lesser of ``base`` (not to run) and ``prev + cost`` into `row`."""
    for i in range(row.shape[0]):
        row[i] = min(base[i], prev[i] + cost)


@kernel
def offer_further(row: Ints, prev: Ints, cost: int) -> None:
    """Lower `row` to ``prev + cost`` where that is less."""
    for i in range(row.shape[0]):
        row[i] = min(row[i], prev[i] + cost)
