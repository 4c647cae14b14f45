"""Summaries of cells: medians, tails and bootstrap intervals; open cells count as intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hadaropt.bench.ratio.cells import Cell

RESAMPLES = 1000
CONFIDENCE = 0.95
MIN_GROUPS = 5
"""Fewest families and seeds for an interval."""


@dataclass(frozen=True)
class Interval:
    """A statistic as an interval: a point when every cell is closed.

    Attributes
    ----------
    low, high : float
        The statistic with every open cell at the lower / at the upper end of its interval.
    """

    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """A policy over a set of cells.

    Attributes
    ----------
    policy : str
    cells, closed : int
        All cells, and those with a proved optimum. Open ones are intervals, never dropped.
    starved : int
        Cells with P = 0 < OPT: their ratio is inf.
    median, p95, worst : Interval
        Of the ratio OPT/P over all cells.
    median_confidence : tuple of float
        Bootstrap interval of the median (95 %), over the seeds of this table.
    certified : float
        Median of D/P.
    guarantee : float
        Median of the a-priori guarantee over the cells with a theorem (nan without any).
    with_theorem, vacuous : int
        Cells for which a theorem holds, and those whose guarantee says nothing.
    jobs_per_second : float
        All jobs over all seconds of the runs, start-up of processes left out.
    """

    policy: str
    cells: int
    closed: int
    starved: int
    median: Interval
    p95: Interval
    worst: Interval
    median_confidence: tuple[float, float]
    certified: float
    guarantee: float
    with_theorem: int
    vacuous: int
    jobs_per_second: float


def summarise(cells: Sequence[Cell]) -> list[Summary]:
    """Return one summary per policy, in order of first occurrence."""
    policies = dict.fromkeys(cell.policy for cell in cells)
    return [_one(name, [cell for cell in cells if cell.policy == name]) for name in policies]


def _one(policy: str, cells: list[Cell]) -> Summary:
    alive = [cell for cell in cells if cell.primal > 0 or cell.best == cell.bound == 0]
    low = np.array([cell.ratio_low for cell in cells])
    high = np.array([cell.ratio_high for cell in cells])
    draws = {draw: i for i, draw in enumerate(dict.fromkeys((c.family, c.seed) for c in cells))}
    group = np.array([draws[cell.family, cell.seed] for cell in cells], dtype=np.int64)

    def both(statistic: Callable[[NDArray[np.float64]], float]) -> Interval:
        return Interval(statistic(low), statistic(high))

    backed = [cell.guarantee for cell in cells if cell.theorem]
    seconds = sum(cell.seconds for cell in cells)
    return Summary(
        policy,
        len(cells),
        sum(cell.closed for cell in cells),
        len(cells) - len(alive),
        both(_median),
        both(lambda values: _quantile(values, 0.95)),
        both(lambda values: float(values.max()) if values.size else math.nan),
        bootstrap_median(low, high, group),
        _median(np.array([cell.certified for cell in cells])),
        _median(np.array(backed)),
        len(backed),
        sum(cell.vacuous for cell in cells),
        sum(cell.jobs for cell in cells) / seconds if seconds > 0 else math.nan,
    )


def _median(values: NDArray[np.float64]) -> float:
    return _quantile(values, 0.5)


def _quantile(values: NDArray[np.float64], q: float) -> float:
    """Return the smallest value with a share of at least q at or below it (no interpolation)."""
    if not values.size:
        return math.nan
    return float(np.quantile(values, q, method="inverted_cdf"))


def bootstrap_median(
    low: NDArray[np.float64], high: NDArray[np.float64], group: NDArray[np.int64]
) -> tuple[float, float]:
    """Return a percentile bootstrap interval (95 %) of the median, widened by open cells.

    Whole groups are resampled: the models of one family and seed are one draw, not three. NaN with
    fewer than `MIN_GROUPS` groups, which say nothing about other seeds.
    """
    groups = int(group.max(initial=-1)) + 1
    if groups < MIN_GROUPS:
        return math.nan, math.nan
    rng = np.random.default_rng(np.random.SeedSequence((0, groups)))
    times = rng.multinomial(groups, np.full(groups, 1 / groups), size=RESAMPLES)
    tail = (1 - CONFIDENCE) / 2
    ends = []
    for part in (low, high):
        order = np.argsort(part, kind="stable")
        below = np.cumsum(times[:, group[order]], axis=1)
        middle = np.argmax(2 * below >= below[:, -1:], axis=1)
        ends.append(part[order][middle])
    # Values that occur: between a number and inf nothing can be interpolated.
    low_end = np.quantile(ends[0], tail, method="lower")
    return float(low_end), float(np.quantile(ends[1], 1 - tail, method="higher"))


def cross_model(cells: Iterable[Cell]) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Return, per pair of parallelism models, the OPT ratios of the same family and seed.

    Each ratio is an interval (low, high) from best known values and proven bounds.
    """
    known: dict[tuple[str, int], dict[str, Cell]] = {}
    for cell in cells:
        known.setdefault((cell.family, cell.seed), {})[cell.parallelism] = cell
    pairs = (("mixed", "single_type"), ("forked", "mixed"), ("forked", "single_type"))
    table: dict[tuple[str, str], list[tuple[float, float]]] = {pair: [] for pair in pairs}
    for models in known.values():
        for more, less in pairs:
            if more in models and less in models and models[less].best > 0:
                table[more, less].append(
                    (
                        float(models[more].best / models[less].bound),
                        float(models[more].bound / models[less].best),
                    )
                )
    return table
