"""Make an offered load: capacities from the work of the jobs, then the lengths of the jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.errors import InstanceError
from hadaropt.generate.draws import Floats, Ints
from hadaropt.generate.request import Request
from hadaropt.instance import Cluster

MOST_STRETCH = 2.0
"""How far lengths may be stretched (or shrunk) towards a load that nobody asked for."""

TOLERANCE = 0.05
"""How far (relatively) a load that was asked for may be missed."""


@dataclass(frozen=True)
class Sample:
    """Jobs before they have sizes; arrays of shape (J,), or (J, R) for the gains.

    Attributes
    ----------
    gangs : ndarray of int64
        GPUs per job.
    gains : ndarray of float64
        p_jr: progress of the whole gang in one round on type r.
    lengths : ndarray of float64
        Rounds that the job takes on its fastest type, before the load is fitted.
    units : ndarray of int64
        Iterations are multiples of these.
    """

    gangs: Ints
    gains: Floats
    lengths: Floats
    units: Ints

    @property
    def best(self) -> Floats:
        """Progress of each job in one round on its fastest type, shape (J,)."""
        return np.asarray(self.gains.max(axis=1))


def capacities(
    request: Request, sample: Sample, shares: Sequence[float], least: int
) -> tuple[int, ...]:
    """Return C_r, in proportion to the shares, so that the sample offers the load asked for."""
    per_gpu = sample.gains @ np.asarray(shares)
    work = (sample.gangs * sample.lengths * sample.best / per_gpu).sum()
    total = float(f"{work / (request.num_rounds * float(request.load)):.6g}")
    return tuple(max(least, round(total * share)) for share in shares)


def fit_iterations(request: Request, sample: Sample, pooled: Sequence[int], longest: float) -> Ints:
    """Return iterations that offer the load: all lengths times one factor, none above ``longest``.

    Each is the nearest multiple of its unit, at least one.

    Raises
    ------
    InstanceError
        If the load was asked for and jobs of that length cannot offer it.
    """
    if request.num_jobs == 0:
        return sample.units
    possible = sample.gains @ np.asarray(pooled, dtype=np.float64)
    share = sample.gangs / (possible * request.num_rounds)
    target = float(request.load)

    def iterations(factor: float) -> Ints:
        wanted = np.minimum(sample.lengths * factor, longest) * sample.best
        return sample.units * np.maximum(1, np.rint(wanted / sample.units)).astype(np.int64)

    def offered(factor: float) -> float:
        return float((share * iterations(factor)).sum())

    low, high = 0.0, longest / float(sample.lengths.min())
    if request.load_is_asked:
        if offered(high) < target:
            rule = f"must be <= {offered(high):.3g} for these jobs, cluster and rounds"
            raise InstanceError("load", rule, str(request.load))
    else:
        low, high = 1 / MOST_STRETCH, min(high, MOST_STRETCH)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if offered(middle) < target else (low, middle)
    return iterations(float(f"{high:.6g}"))


def check_load(request: Request, load: Fraction) -> None:
    """Check that a load that was asked for is met, multiples of the units allowed for.

    Raises
    ------
    InstanceError
        If it is not.
    """
    if request.load_is_asked and abs(load / request.load - 1) > TOLERANCE:
        rule = f"cannot be met within {TOLERANCE:.0%} by these jobs (nearest: {float(load):.3g})"
        raise InstanceError("load", rule, str(request.load))


def split_nodes(capacity: dict[str, int], gpus_per_node: int) -> Cluster:
    """Return the cluster with so many GPUs of each type, in nodes of one type each.

    All nodes of a type but the last have ``gpus_per_node`` GPUs.
    """
    nodes = {}
    for kind, count in capacity.items():
        for k, first in enumerate(range(0, count, gpus_per_node)):
            nodes[f"{kind.lower()}-{k}"] = {kind: min(gpus_per_node, count - first)}
    return Cluster.of(nodes, tuple(capacity))
