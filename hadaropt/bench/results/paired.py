"""Comparisons seed by seed, with bootstrap intervals over the seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
CONFIDENCE = 0.95
ITSELF = "itself"
"""The baseline of each contestant with parameters is the same contestant without."""


@dataclass(frozen=True)
class Paired:
    """One contestant against the baseline.

    Attributes
    ----------
    name : str
    pairs, seeds : int
        Instances on which both have a result, and the seeds among which they were drawn.
    mean, low, high : float
        Mean difference over the pairs, and its percentile bootstrap interval (95 %): seeds are
        drawn with replacement, each with all its pairs, because instances of one seed are alike.
        nan of a single seed.
    better, worse : int
        Pairs with a difference above and below 0.
    """

    name: str
    pairs: int
    seeds: int
    mean: float
    low: float
    high: float
    better: int
    worse: int


def compare(
    values: Mapping[str, Mapping[tuple[object, int], float]], baseline: str
) -> list[Paired]:
    """Compare every contestant with the baseline on the instances that both have.

    Parameters
    ----------
    values : mapping
        Contestant -> (instance, seed) -> figure.
    baseline : str
        A contestant, or `ITSELF`.

    Returns
    -------
    list of Paired
        Differences are contestant - baseline; contestants without a pair are left out.
    """
    rows = []
    for name, own in values.items():
        against = without_parameters(name) if baseline == ITSELF else baseline
        base = values.get(against, {})
        shared = [place for place in own if place in base]
        if name == against or not shared:
            continue
        gaps = np.array([own[place] - base[place] for place in shared])
        seeds = np.array([place[1] for place in shared])
        low, high = _interval(gaps, seeds)
        rows.append(
            Paired(
                name,
                len(shared),
                len(set(seeds.tolist())),
                float(gaps.mean()),
                low,
                high,
                int((gaps > 0).sum()),
                int((gaps < 0).sum()),
            )
        )
    return rows


def without_parameters(name: str) -> str:
    """Return the name of a contestant without what stands in brackets."""
    return name.partition("[")[0].strip()


def _interval(gaps: NDArray[np.float64], seeds: NDArray[np.int64]) -> tuple[float, float]:
    """Return the interval of the mean: a ratio of sums over the seeds drawn."""
    distinct = sorted(set(seeds.tolist()))
    if len(distinct) < 2:
        return math.nan, math.nan
    sums = np.array([gaps[seeds == seed].sum() for seed in distinct])
    counts = np.array([(seeds == seed).sum() for seed in distinct])
    rng = np.random.default_rng(np.random.SeedSequence((0, len(distinct))))
    draws = rng.integers(0, len(distinct), size=(RESAMPLES, len(distinct)))
    means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    tail = (1 - CONFIDENCE) / 2
    return float(np.quantile(means, tail)), float(np.quantile(means, 1 - tail))
