"""The synthetic workload of Gavel's evaluation: gang sizes, durations, Poisson arrivals."""

from __future__ import annotations

import numpy as np

from hadaropt.generate.classes import GANG_WEIGHTS
from hadaropt.generate.draws import Draws, Floats
from hadaropt.generate.quantiles import QuantileTable
from hadaropt.generate.request import Request
from hadaropt.generate.traced import Arrivals, make_instance, make_workload
from hadaropt.instance import Instance
from hadaropt.workload import Workload

DURATIONS = QuantileTable((0.0, 0.8, 1.0), tuple(60 * 10**x for x in (1.5, 3.0, 4.0)))
"""Seconds: 10**U(1.5, 3) minutes for 80 per cent of the jobs, 10**U(3, 4) for the others.

Source: Narayanan et al., Gavel, OSDI 2020, section 7.1, and the generator of its artifact
(stanford-futuredata/gavel, MIT).
"""


def gavel_arrivals(draws: Draws, count: int, longest_seconds: float | None) -> Arrivals:
    """Return gangs 1, 2, 4, 8 (70, 10, 15, 5 per cent), durations, and a Poisson process."""
    sizes, weights = np.array(list(GANG_WEIGHTS)), list(GANG_WEIGHTS.values())
    gangs = sizes[draws.choices("gang", count, weights)]
    seconds = DURATIONS.sample(draws.uniform("duration", count), longest_seconds)
    gaps = -np.log1p(-draws.uniform("gap", count))
    return Arrivals(gangs, seconds, np.cumsum(gaps), _same)


def _same(times: Floats) -> Floats:
    return times


def gavel_like(
    request: Request,
    *,
    cluster: object = None,
    longest_hours: object = None,
    round_seconds: object = None,
    utilities: object = None,
    spread_factor: object = 1,
    consolidation_seconds: object = 0,
    model_seed: object = None,
) -> Instance:
    """Return jobs as in Gavel's evaluation, on rounds as long as the load asks for.

    Gangs 1, 2, 4, 8 (70, 10, 15, 5 per cent); durations on V100 of 10**U(1.5, 3) minutes (80 per
    cent) and 10**U(3, 4) minutes; Poisson arrivals in the first 70 per cent of the horizon; models
    of the shipped throughput table.

    Parameters
    ----------
    cluster : Cluster or text such as "V100=5x4,P100=5x4", optional
        By default a node of 4 GPUs of each of V100, P100, K80 for every 96 jobs, at most 5.
    longest_hours : number, optional
        Take durations from the part of the distribution below it.
    round_seconds : number, optional
        By default what the load, the cluster and the number of rounds ask for. If it is given, the
        number of rounds follows, unless that is given, too.
    utilities : names, optional
        By default ``effective_throughput`` of scale 1 for all, as for traces; else values are drawn
        as in `six_class`.
    spread_factor, consolidation_seconds : number
        Of every job, and of the instance.
    model_seed : int, optional
        Draws the model of every job anew; gangs, durations and the order of arrivals stay.
    """
    return make_instance(
        gavel_arrivals,
        request,
        cluster=cluster,
        longest_hours=longest_hours,
        round_seconds=round_seconds,
        utilities=utilities,
        spread_factor=spread_factor,
        consolidation_seconds=consolidation_seconds,
        model_seed=model_seed,
    )


def gavel_workload(
    request: Request,
    *,
    cluster: object = None,
    longest_hours: object = None,
    spread_factor: object = 1,
    model_seed: object = None,
) -> Workload:
    """Return the jobs of `gavel_like` with arrivals in seconds; the load sets their rate."""
    return make_workload(
        gavel_arrivals,
        request,
        cluster=cluster,
        longest_hours=longest_hours,
        spread_factor=spread_factor,
        model_seed=model_seed,
    )
