"""The synthetic workload of Gavel's evaluation: gang sizes, durations, Poisson arrivals."""

from __future__ import annotations

import numpy as np

from hadaropt.generate.classes import GANG_WEIGHTS
from hadaropt.generate.draws import Draws, Floats
from hadaropt.generate.quantiles import QuantileTable
from hadaropt.generate.traced import Arrivals

DURATIONS = QuantileTable((0.0, 0.8, 1.0), tuple(60 * 10**x for x in (1.5, 3.0, 4.0)))
"""Seconds: 10**U(1.5, 3) minutes for 80 per cent of the jobs, 10**U(3, 4) for the others.

Source: Narayanan et al., Gavel, OSDI 2020, section 7.1, and the generator of its artifact
(stanford-futuredata/gavel, MIT).
"""


def gavel_arrivals(draws: Draws, count: int, longest_seconds: float | None) -> Arrivals:
    """Draw jobs as in Gavel's evaluation, on rounds as long as the load asks for.

    Gangs 1, 2, 4, 8 (70, 10, 15, 5 per cent); durations on V100 of 10**U(1.5, 3) minutes (80 per
    cent) and 10**U(3, 4) minutes; Poisson arrivals.
    """
    sizes, weights = np.array(list(GANG_WEIGHTS)), list(GANG_WEIGHTS.values())
    gangs = sizes[draws.choices("gang", count, weights)]
    seconds = DURATIONS.sample(draws.uniform("duration", count), longest_seconds)
    gaps = -np.log1p(-draws.uniform("gap", count))
    return Arrivals(gangs, seconds, np.cumsum(gaps), _same)


def _same(times: Floats) -> Floats:
    return times
