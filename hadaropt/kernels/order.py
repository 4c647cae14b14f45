"""An order that several kernels need."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]


@kernel
def by_price(price: Ints, order: Ints) -> None:
    """Write the stable order of increasing price into `order`."""
    for r in range(price.shape[0]):
        i = r
        while i > 0 and price[order[i - 1]] > price[r]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = r
