"""Families small enough to be solved to proven optimality: small_uniform, overloaded_tight."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from hadaropt.errors import InstanceError
from hadaropt.exact import to_integer
from hadaropt.generate.draws import Draws, Floats, Ints
from hadaropt.generate.request import Request
from hadaropt.generate.sizing import Sample, fit_iterations, split_nodes
from hadaropt.generate.slotted import Profile, Terms, build_instance, release_rounds
from hadaropt.generate.utilities import MAKERS
from hadaropt.instance import Cluster, Instance

CLUSTERS = (
    {"n0": {"V100": 4}, "n1": {"V100": 1, "P100": 1}, "n2": {"P100": 4}},
    {"n0": {"V100": 3, "P100": 2}, "n1": {"V100": 2, "P100": 3}},
    {"n0": {"V100": 4}, "n1": {"P100": 3}, "n2": {"V100": 1, "K80": 3}, "n3": {"P100": 2}},
    {"n0": {"V100": 2, "P100": 1}, "n1": {"P100": 4}, "n2": {"V100": 3}},
)
"""Odd counts leave GPUs over that only a mixed gang can use; gangs of 4 fit in some nodes only."""

SPEEDS = (2, 3, 4, 5, 6, 8, 10)
"""Tenths of an iteration per second of one GPU."""

UNIT = 36
"""Iterations of one GPU of 0.1 iterations per second in one round: the lattice of all progress."""


def small_uniform(
    request: Request,
    *,
    utilities: object = tuple(MAKERS),
    zero_percent: object = 15,
    spread_factor: object = 1,
    consolidation_seconds: object = 36,
) -> Instance:
    """Return a small instance in which everything is drawn evenly from short lists.

    Two or three types on three or four nodes, of one type and of two; gangs of 1, 2 and 4 (50, 30,
    20 per cent) that fit in a node or not; speeds of 0.2 to 1 iterations per second and GPU,
    ordered anew for each job; 1 to 4 rounds on the fastest type before the load is fitted.

    Parameters
    ----------
    utilities : names
    zero_percent : int
        How often a job cannot run on a type (never on all).
    spread_factor, consolidation_seconds : number
        Of every job, and of the instance.
    """
    draws, count = request.draws, request.num_jobs
    shape = CLUSTERS[int(draws.integers("cluster", 1, 0, len(CLUSTERS) - 1)[0])]
    cluster = Cluster.of(shape)
    gangs = np.array([1, 2, 4])[draws.choices("gang", count, (50, 30, 20))]
    rates = _rates(draws, count, len(cluster.accelerators), zero_percent)
    lengths = draws.between("length", count, 1.0, 4.0)
    terms = Terms(utilities, spread_factor, consolidation_seconds)
    return _fitted(request, cluster, gangs, rates, lengths, terms)


def overloaded_tight(
    request: Request,
    *,
    largest_gang: object = 4,
    gpus_per_node: object = 4,
    utilities: object = ("linear", "step", "completion", "table"),
    spread_factor: object = 1,
    consolidation_seconds: object = 36,
) -> Instance:
    """Return an instance with too much work on a cluster hardly larger than the largest gang.

    Two types with g to g + 2 GPUs each, where g is the largest gang; gangs 1, g/2, g - 1 and g (30,
    20, 25, 25 per cent), which leave GPUs over that little else fits on; values are whole numbers
    unless ``utilities`` says otherwise. This is where relaxations are weakest.

    Parameters
    ----------
    largest_gang : int
        g >= 2.
    gpus_per_node : int
    utilities : names
    spread_factor, consolidation_seconds : number
        Of every job, and of the instance.

    Raises
    ------
    InstanceError
        If the load is not above 1.3.
    """
    draws, count = request.draws, request.num_jobs
    if request.load <= Fraction(13, 10):
        rule = "must be > 1.3 in this family (small_uniform takes any load)"
        raise InstanceError("load", rule, str(request.load))
    largest = to_integer(largest_gang, "largest_gang", least=2)
    spare = draws.integers("capacity", 2, 0, 2).tolist()
    capacity = {kind: largest + more for kind, more in zip(("V100", "P100"), spare, strict=True)}
    cluster = split_nodes(capacity, to_integer(gpus_per_node, "gpus_per_node", least=1))
    sizes = np.array([1, largest // 2, largest - 1, largest])
    gangs = sizes[draws.choices("gang", count, (30, 20, 25, 25))]
    rates = _rates(draws, count, 2, 0)
    lengths = draws.between("length", count, 1.0, 4.0)
    terms = Terms(utilities, spread_factor, consolidation_seconds)
    return _fitted(request, cluster, gangs, rates, lengths, terms)


def _rates(draws: Draws, count: int, types: int, zero_percent: object) -> Ints:
    """Return tenths of iterations per second and GPU, shape (count, types)."""
    percent = to_integer(zero_percent, "zero_percent", most=100)
    rates = np.array(SPEEDS)[draws.integers("speed", count * types, 0, len(SPEEDS) - 1)]
    absent = draws.integers("absent", count * types, 0, 99) < percent
    kept = draws.integers("kept", count, 0, types - 1)
    absent = absent.reshape(count, types)
    absent[np.arange(count), kept] = False
    return np.where(absent, 0, rates.reshape(count, types)).astype(np.int64)


def _fitted(
    request: Request,
    cluster: Cluster,
    gangs: Ints,
    rates: Ints,
    lengths: Floats,
    terms: Terms,
) -> Instance:
    """Return the instance of jobs of at most half the horizon, at linear scaling."""
    gains = UNIT * gangs[:, None] * rates
    sample = Sample(gangs, gains.astype(np.float64), lengths, UNIT * gangs)
    longest = max(1.0, request.num_rounds / 2)
    return build_instance(
        request,
        cluster,
        profiles=[
            _profile(cluster.accelerators, gang, row)
            for gang, row in zip(gangs.tolist(), rates.tolist(), strict=True)
        ],
        sample=sample,
        iterations=fit_iterations(request, sample, cluster.pooled_capacity, longest),
        releases=release_rounds(request.draws, request.num_jobs, request.num_rounds),
        terms=terms,
    )


def _profile(types: Sequence[str], gang: int, rates: Sequence[int]) -> Profile:
    return Profile({r: Fraction(gang * x, 10) for r, x in zip(types, rates, strict=True)})
