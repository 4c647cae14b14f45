"""Distributions given by their quantiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hadaropt.generate.draws import Floats


class QuantileTable:
    """The distribution whose quantile function is log-linear between given points.

    Parameters
    ----------
    levels : sequence of float
        Ascending from 0 to 1.
    values : sequence of float
        The quantiles there, ascending and > 0.
    """

    def __init__(self, levels: Sequence[float], values: Sequence[float]) -> None:
        self._levels = np.array(levels)
        self._logs = np.log(np.array(values))

    def share_below(self, value: float) -> float:
        """Return the share of the distribution that is at most ``value``."""
        return float(np.interp(np.log(value), self._logs, self._levels))

    def sample(self, uniform: Floats, most: float | None = None) -> Floats:
        """Return the quantiles at uniform numbers; of what is at most ``most``, if given."""
        share = 1.0 if most is None else self.share_below(most)
        return np.asarray(np.exp(np.interp(uniform * share, self._levels, self._logs)))
