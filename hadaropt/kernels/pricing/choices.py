"""What a job chooses in every round at one price of a unit of progress.

At a price ``l >= 0`` an option of a round gains ``l * progress - paid``; the choice is the first
option of the largest gain, if that is > 0. Prices are in units of ``2**-bits``, gains are rounded
up. The options lie in rows, one for each place in their rounds, so that the loops run on vectors
and do not branch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]

NEVER = np.int64(2**61)
"""What an option that does not exist is paid: more than any gain."""


class Options(NamedTuple):
    """The options of every round; where a round has fewer, they make no progress at `NEVER`.

    Attributes
    ----------
    progress, paid : (K, N) int64
        Of the k-th option of round n.
    """

    progress: Ints
    paid: Ints


@kernel
def in_rows(start: Ints, progress: Ints, cost: Ints, shift: int) -> Options:
    """Return the options start[n] .. start[n + 1] - 1 of every round, paid ``cost >> shift``."""
    rounds = start.shape[0] - 1
    most = np.int64(0)
    for n in range(rounds):
        most = max(most, start[n + 1] - start[n])
    gained = np.zeros((most, rounds), np.int64)
    paid = np.full((most, rounds), NEVER, np.int64)
    for n in range(rounds):
        for i in range(start[n], start[n + 1]):
            gained[i - start[n], n] = progress[i]
            paid[i - start[n], n] = cost[i] >> shift
    return Options(gained, paid)


@kernel
def _offer(
    price: int, bits: int, progress: Ints, paid: Ints, place: int, most: Ints, pick: Ints
) -> None:
    """Let every round choose one more option where it gains more."""
    for n in range(most.shape[0]):
        gain = (price * progress[n] >> bits) + 1 - paid[n]
        better = gain > most[n]
        most[n] = gain if better else most[n]
        pick[n] = place if better else pick[n]


@kernel
def choose(price: int, bits: int, options: Options, most: Ints, pick: Ints) -> None:
    """Write the gain of the choice of the first rounds into `most`, its place or -1 into `pick`.

    Parameters
    ----------
    price, bits : int
    options : Options
    most, pick : (<= N,) int64
        Results.
    """
    rounds = most.shape[0]
    most[:] = 0
    pick[:] = -1
    for k in range(options.paid.shape[0]):
        _offer(price, bits, options.progress[k, :rounds], options.paid[k, :rounds], k, most, pick)
