"""A gang filled place by place, as far as each place has room: what it is charged, what it takes.

A *place* is whatever GPUs are counted by: a type, a node, a type on a node. Filling in order of
price is the cheapest way to hold a gang.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

INF = np.int64(2**62)


@kernel
def gang_charge(gang: int, admitted: Bools, order: Ints, price: Ints, free: Ints) -> np.int64:
    """Return the charge of a gang, or 2**62 if it does not fit.

    Parameters
    ----------
    gang : int
        GPUs to hold, >= 1.
    admitted : (K,) bool
        Places that it may use.
    order : (<= K,) int64
        Places in the order in which they are filled.
    price, free : (K,) int64
        Price of one GPU, and free GPUs; a place with ``free <= 0`` is passed over.
    """
    left = gang
    charge = np.int64(0)
    for k in range(order.shape[0]):
        r = order[k]
        if admitted[r] and free[r] > 0:
            take = min(left, free[r])
            charge += take * price[r]
            left -= take
            if left == 0:
                return np.int64(charge)
    return INF


@kernel
def fill_gang(gang: int, admitted: Bools, order: Ints, free: Ints, use: Ints) -> bool:
    """Write the GPUs of a gang in every place into `use`, (K,); return whether it fits.

    Parameters as in `gang_charge`. What does not fit takes what there is.
    """
    use[:] = 0
    left = gang
    for k in range(order.shape[0]):
        r = order[k]
        if admitted[r] and free[r] > 0:
            use[r] = min(left, free[r])
            left -= use[r]
            if left == 0:
                return True
    return False
