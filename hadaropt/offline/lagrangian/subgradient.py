"""Minimising a convex function of prices k >= 0 from its values and subgradients.

Polyak's step towards a level below the best value, along a deflected direction (Camerini, Fratta
and Maffioli, 1975, doi:10.1007/BFb0120697); the level rises towards the best value whenever the
search makes no progress (Goffin and Kiwiel, 1999, doi:10.1007/s101070050063).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.offline.lagrangian.params import SubgradientParams

Function = Callable[[Floats], tuple[float, Floats]]
"""Prices -> (value, subgradient)."""


@dataclass
class Search:
    """The state of a descent; `run` may be called again, also with another function.

    Attributes
    ----------
    prices : ndarray
        Best prices found.
    value : float
        Value there; inf before the first evaluation.
    drop : float
        How far below the best value the level lies, relative to it.
    evaluations : int
        Of the function, so far.
    params : SubgradientParams
    """

    prices: Floats
    value: float = np.inf
    drop: float = SubgradientParams.first_drop
    evaluations: int = 0
    params: SubgradientParams = field(default_factory=SubgradientParams)

    def run(self, function: Function, tolerance: float, stop: Callable[[], bool]) -> bool:
        """Descend until the level is within `tolerance` of the best value; return whether it is.

        Parameters
        ----------
        function : callable
        tolerance : float
            Relative.
        stop : callable
            Asked after every evaluation.
        """
        params = self.params
        # The function may be another one than before.
        self.value, best_slope = function(self.prices)
        self.evaluations += 1
        prices, slope, value = self.prices, best_slope, self.value
        direction = np.zeros_like(prices)
        waited, mark = 0, value
        while self.drop > tolerance and not stop():
            free = np.where((prices <= 0) & (slope > 0), 0.0, slope)
            keep = params.deflection if float((free * direction).sum()) >= 0 else 0.0
            direction = free + keep * direction
            norm = float((direction * direction).sum())
            if norm <= 0:
                return True
            step = params.step * (value - self.value * (1 - self.drop)) / norm
            prices = np.maximum(0.0, prices - step * direction)
            value, slope = function(prices)
            self.evaluations += 1
            if value < self.value:
                self.value, self.prices, best_slope = value, prices, slope
            if self.value <= mark - params.progress * self.drop * abs(mark):
                waited, mark = 0, self.value
                continue
            waited += 1
            if waited >= params.patience:
                self.drop, waited, mark = self.drop / 2, 0, self.value
                prices, slope, value = self.prices, best_slope, self.value
                direction = np.zeros_like(prices)
        return self.drop <= tolerance
