"""Short prices for the leaves of a tree: certificates are smaller and quicker to check.

Any prices >= 0 are valid, so those of a leaf may be rounded as long as what they prove, evaluated
anew in exact integers, still closes it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hadaropt.offline.colgen.column_generation import Proof, Relaxation
from hadaropt.offline.colgen.pricing_problem import Limits

BITS = (8, 10, 12, 14, 18, 22)
"""Of the largest price of a leaf: as few as will do."""


def shortened(
    relaxation: Relaxation, proof: Proof, limits: Limits, enough: Callable[[Proof], bool]
) -> Proof:
    """Return a proof at prices of few bits that is still enough; the given one if there is none.

    Parameters
    ----------
    relaxation : Relaxation
    proof : Proof
    limits : Limits
        Of the leaf.
    enough : callable
        Whether a proof closes the leaf.
    """
    scale = relaxation.scale
    cuts = np.zeros(len(relaxation.master.cuts))
    for c, units in proof.cuts:
        cuts[c] = units / proof.scale
    cells = np.array(proof.cells / proof.scale, np.float64)
    top = max(cells.max(initial=0.0), cuts.max(initial=0.0)) * scale
    if proof.bound is None or top < 1:
        return proof
    for bits in BITS:
        step = 2.0 ** (int(np.ceil(np.log2(top + 1))) - bits) / scale
        if step * scale < 1:
            break
        short = relaxation.prove(np.rint(cells / step) * step, np.rint(cuts / step) * step, limits)
        if short.bound is not None and enough(short):
            return short
    return proof


__all__ = ["shortened"]
