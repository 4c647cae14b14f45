"""Workloads like traces: arrivals in seconds, durations on V100, models of the shipped table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np

from hadaropt.errors import InstanceError, shown
from hadaropt.exact import to_fraction, to_integer, to_non_negative
from hadaropt.generate.draws import Draws, Floats, Ints
from hadaropt.generate.load import offered_load
from hadaropt.generate.request import Request, names, positive
from hadaropt.generate.sizing import check_load
from hadaropt.generate.slotted import ARRIVAL_SHARE, worth
from hadaropt.generate.utilities import MAKERS
from hadaropt.instance import Cluster, Instance
from hadaropt.traces.throughputs import measured
from hadaropt.workload import Workload, WorkloadJob

REFERENCE = "V100"
"""The type on which durations are meant."""


@dataclass(frozen=True)
class Arrivals:
    """Jobs before they have models.

    Attributes
    ----------
    gangs : ndarray of int64
        Shape (J,).
    seconds : ndarray of float64
        Durations, shape (J,).
    times : ndarray of float64
        Ascending arrivals under a constant rate, > 0, shape (J,).
    clock : callable
        From such times to seconds on the clock, ascending from 0 at 0.
    """

    gangs: Ints
    seconds: Floats
    times: Floats
    clock: Callable[[Floats], Floats]

    def within(self, span: float) -> Floats:
        """Return the arrivals on the clock, in whole seconds, the last one at about ``span``."""
        last, low, high = self.times[-1:], 0.0, 1.0
        if not last.size:
            return self.times
        while self.clock(last * high)[0] < span:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.clock(last * middle)[0] < span else (low, middle)
        return np.floor(self.clock(self.times * float(f"{high:.12g}")))


Draw = Callable[[Draws, int, float | None], Arrivals]


@dataclass(frozen=True)
class _Work:
    """Sizes and speeds of jobs, and what they ask of a cluster.

    ``seconds`` is the time that the whole cluster would need, every type working for each job in
    turn; gangs that no mix of types can hold count nothing.
    """

    iterations: list[int]
    speeds: Sequence[Mapping[str, Fraction]]
    seconds: float


def default_cluster(count: int) -> Cluster:
    """Return 1 to 5 nodes of 4 GPUs of each of V100, P100, K80: one more for every 96 jobs.

    480 jobs on 5 nodes of each, 60 GPUs, is the size of the simulations of Hadar.
    """
    nodes = min(5, max(1, -(-count // 96)))
    return Cluster.parse(f"V100={nodes}x4,P100={nodes}x4,K80={nodes}x4")


def make_workload(
    draw: Draw,
    request: Request,
    *,
    cluster: object = None,
    longest_hours: object = None,
    spread_factor: object = 1,
    model_seed: object = None,
) -> Workload:
    """Return the jobs of `make_instance` with arrivals in seconds.

    The load, work over what is possible until the last arrival, sets their rate.
    """
    target = _cluster(cluster, request.num_jobs)
    arrivals = draw(request.draws, request.num_jobs, _longest(longest_hours))
    work = _work(request, arrivals, target, model_seed)
    span = work.seconds / float(request.load) if work.seconds else 3600.0
    return _assemble(request, arrivals, work, target, span, spread_factor)


def make_instance(
    draw: Draw,
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
    """Return the instance of some arrivals, which fill the first 70 per cent of the horizon.

    Every job is of a model of the shipped throughput table.

    Parameters
    ----------
    draw : callable
        Draws gangs, durations and arrivals.
    request : Request
    cluster : Cluster or text such as "V100=5x4,P100=5x4", optional
        By default a node of 4 GPUs of each of V100, P100, K80 for every 96 jobs, at most 5.
    longest_hours : number, optional
        Take durations from the part of the distribution below it.
    round_seconds : number, optional
        By default what the load, the cluster and the number of rounds ask for. If it is given, the
        number of rounds follows, unless that is given, too.
    utilities : names, optional
        By default ``effective_throughput`` of scale 1 for all, as for traces; else values are drawn
        as in `hadaropt.generate.classes.six_class`.
    spread_factor, consolidation_seconds : number
        Of every job, and of the instance.
    model_seed : int, optional
        Draws the model of every job anew; gangs, durations and the order of arrivals stay.

    Raises
    ------
    InstanceError
        For a bad parameter, or a load that was asked for and is missed.
    """
    target = _cluster(cluster, request.num_jobs)
    arrivals = draw(request.draws, request.num_jobs, _longest(longest_hours))
    work = _work(request, arrivals, target, model_seed)
    rounds, horizon = request.num_rounds, work.seconds / float(request.load)
    if round_seconds is not None:
        tau = positive(round_seconds, "round_seconds")
        if not request.rounds_are_asked:
            rounds = max(1, math.ceil(horizon / tau))
    else:
        tau = Fraction(f"{horizon / rounds:.3g}") if work.seconds else Fraction(360)
    span = float(tau * rounds) * ARRIVAL_SHARE - float(tau)
    workload = _assemble(request, arrivals, work, target, max(0.0, span), spread_factor)
    instance = workload.to_instance(
        round_seconds=tau,
        num_rounds=rounds,
        parallelism=request.parallelism,
        consolidation_seconds=to_non_negative(consolidation_seconds, "consolidation_seconds"),
    )
    if instance.jobs:
        check_load(request, offered_load(instance))
    return instance if utilities is None else _valued(request, instance, utilities)


def _cluster(cluster: object, count: int) -> Cluster:
    if cluster is None:
        return default_cluster(count)
    target = Cluster.parse(cluster) if isinstance(cluster, str) else cluster
    if not isinstance(target, Cluster):
        raise InstanceError("cluster", "must be a Cluster or text such as V100=5x4", shown(cluster))
    known = measured().accelerators
    for r, kind in enumerate(target.accelerators):
        if kind not in known:
            rule = f"must be a measured type ({', '.join(known)})"
            raise InstanceError(f"cluster.accelerators[{r}]", rule, shown(kind))
    return target


def _longest(hours: object) -> float | None:
    return None if hours is None else float(3600 * positive(hours, "longest_hours"))


@cache
def _models(gang: int) -> tuple[Mapping[str, Fraction], ...]:
    """Return the speeds of the models that run on the reference type at a gang size.

    Linear scaling where none was measured at that size.
    """
    table = measured()
    found = [table.throughput(model, gang) for model in table.model_types(gang)]
    if not found:
        found = [table.linear(model, gang) for model in table.model_types(1)]
    return tuple(speeds for speeds in found if speeds.get(REFERENCE, 0) > 0)


def _work(request: Request, arrivals: Arrivals, cluster: Cluster, model_seed: object) -> _Work:
    """Draw a model for each job."""
    stream = "model" if model_seed is None else f"model {to_integer(model_seed, 'model_seed')}"
    where = request.draws.uniform(stream, request.num_jobs).tolist()
    counts = cluster.gpus_by_type
    kept: dict[tuple[int, int], tuple[Fraction, dict[str, Fraction], float]] = {}
    iterations, speeds, seconds = [], [], []
    whole = np.maximum(1, np.rint(arrivals.seconds)).astype(np.int64).tolist()
    for gang, duration, place in zip(arrivals.gangs.tolist(), whole, where, strict=True):
        models = _models(gang)
        key = gang, int(place * len(models))
        if key not in kept:
            measures = models[key[1]]
            own = {r: measures[r] for r in counts if measures.get(r, 0) > 0}
            room = sum(counts[r] for r in own)
            possible = sum(counts[r] * speed for r, speed in own.items())
            rate = float(gang / possible) if gang <= room else 0.0
            kept[key] = measures[REFERENCE], own, rate
        speed, own, rate = kept[key]
        size = max(1, duration * speed.numerator // speed.denominator)
        iterations.append(size)
        speeds.append(own)
        seconds.append(size * rate)
    return _Work(iterations, speeds, math.fsum(seconds))


def _assemble(
    request: Request,
    arrivals: Arrivals,
    work: _Work,
    cluster: Cluster,
    span: float,
    spread_factor: object,
) -> Workload:
    spread = to_fraction(spread_factor, "spread_factor")
    submits = arrivals.within(span).astype(np.int64).tolist()
    rows = zip(submits, arrivals.gangs.tolist(), work.iterations, work.speeds, strict=True)
    jobs = tuple(
        WorkloadJob(f"j{j}", Fraction(submit), gang, iterations, speeds, spread)
        for j, (submit, gang, iterations, speeds) in enumerate(rows)
    )
    return Workload(cluster, jobs, request.name)


def _valued(request: Request, instance: Instance, utilities: object) -> Instance:
    """Return the instance with utilities drawn among the kinds."""
    kinds = names(utilities, "utilities", tuple(MAKERS))
    count, tau = len(instance.jobs), instance.round_seconds
    best = [max(1, *instance.progress(j)) for j in range(count)]
    shortest = [-(-job.iterations // p) for job, p in zip(instance.jobs, best, strict=True)]
    gangs = np.array([job.gang_size for job in instance.jobs], dtype=np.int64)
    values = worth(request.draws, gangs, np.array(shortest, dtype=np.float64)).tolist()
    chosen = request.draws.choices("utility", count, [1] * len(kinds)).tolist()
    patience = request.draws.between("patience", count, 1.5, 5.0).tolist()
    jobs = []
    for j, job in enumerate(instance.jobs):
        slack = round(patience[j] * shortest[j] + 2)
        make = MAKERS[kinds[chosen[j]]]
        jobs.append(replace(job, utility=make(values[j], shortest[j], slack, job.iterations, tau)))
    return replace(instance, jobs=tuple(jobs))
