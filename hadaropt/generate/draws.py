"""Random numbers that stay the same: named streams of one seed, from raw PCG64 output.

Numpy promises that the raw output of a bit generator never changes, but not what its `Generator`
makes of it; so everything here is made from the raw 64-bit words.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hadaropt.exact import to_integer

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ROOT = 20240527
"""First word of every seed sequence of this package."""


class Draws:
    """The random numbers of one family at one seed.

    Every name has its own stream, so that drawing more of one quantity changes no other one.

    Parameters
    ----------
    family : str
        Name of the family; its CRC-32 is the second word of the seed sequence.
    seed : int
        Third word, 0 <= seed < 2**64.
    """

    def __init__(self, family: str, seed: object) -> None:
        self.seed = to_integer(seed, "seed", most=2**64 - 1)
        self._entropy = [ROOT, zlib.crc32(family.encode()), self.seed]
        self._used: set[str] = set()

    def uniform(self, name: str, count: int) -> Floats:
        """Return multiples of 2**-53 in [0, 1), shape (count,).

        Raises
        ------
        ValueError
            If the stream has been drawn from before: it would give the same numbers again.
        """
        if name in self._used:
            raise ValueError(f"stream {name!r} is used twice")
        self._used.add(name)
        key = (zlib.crc32(name.encode()),)
        bits = np.random.PCG64(np.random.SeedSequence(self._entropy, spawn_key=key))
        words = np.asarray(bits.random_raw(count), dtype=np.uint64)
        return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def integers(self, name: str, count: int, low: int, high: int) -> Ints:
        """Return integers in low..high, both ends included, shape (count,)."""
        return low + np.floor(self.uniform(name, count) * (high - low + 1)).astype(np.int64)

    def between(self, name: str, count: int, low: float, high: float) -> Floats:
        """Return numbers in [low, high), shape (count,)."""
        return low + (high - low) * self.uniform(name, count)

    def log_uniform(self, name: str, count: int, low: float, high: float) -> Floats:
        """Return numbers in [low, high) whose logarithm is uniform, shape (count,)."""
        return np.asarray(np.exp(self.between(name, count, np.log(low), np.log(high))))

    def choices(self, name: str, count: int, weights: Sequence[int]) -> Ints:
        """Return indices drawn with integer weights, shape (count,)."""
        ends = np.cumsum(np.asarray(weights, dtype=np.int64))
        places = np.floor(self.uniform(name, count) * int(ends[-1])).astype(np.int64)
        return np.searchsorted(ends, places, side="right").astype(np.int64)
