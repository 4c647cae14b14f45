"""Bounds when a job may run on any type, at speeds that are assumed: another assumption.

Let f_jr be the speed of job j on type r over that on its recorded type, and p_j its service there.
On g_r GPUs of each type, at any split of time, its speed is at most the mean, sum_r (g_r / W_j)
f_jr (the slowest type of a gang is no faster), and at most F_j: the largest f such that the types
with f_jr >= f have W_j GPUs. Give each type any weight s_r >= 0, and let q_j = min_r s_r / f_jr.
While j runs at speed x it holds weights sum_r g_jr s_r >= q_j sum_r g_jr f_jr >= W_j q_j x, and all
jobs together hold at most sum_r C_r s_r. So every schedule is one on a single pool of sum_r C_r s_r
units, with gangs W_j q_j F_j and services p_j / F_j, and the bounds of one pool hold. The C_r may
change over time.

Where a type is equally much faster for every job, its speed is the best weight. Otherwise the
weights are those of the linear program max sum_j W_j p_j q_j with sum_r C_r s_r = 1, the dual of
the least time in which the types do all the work, or all equal, whichever bounds more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from hadaropt.auditing.assumed import Assumed
from hadaropt.auditing.bounds import GANG_BITS, Pool
from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.floor import pool_floor
from hadaropt.auditing.log import Log, LoggedJob
from hadaropt.errors import SolverError
from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, linear_program

FINER = 1024
"""Ticks are cut so much finer: services are rounded down to them."""
STEPS = 60
UNITS = 1 << GANG_BITS - 1
"""Gangs are rounded down to units, of which the largest has about so many."""

Weights = Mapping[str, Fraction]


@dataclass(frozen=True)
class AnyType:
    """What no schedule beats when jobs may change types, in seconds.

    Attributes
    ----------
    assumed : Assumed
        At which speeds.
    mean_jct, last : Fraction
        Least mean JCT, and least time from the first submission to the last completion.
    reached : mapping of str to (Fraction, Fraction)
        The same of schedulers that run the jobs at these speeds.
    incomplete : tuple of str
        Schedulers that did not complete every job.
    """

    assumed: Assumed
    mean_jct: Fraction
    last: Fraction
    reached: Mapping[str, tuple[Fraction, Fraction]] = field(default_factory=dict)
    incomplete: tuple[str, ...] = ()


def any_type(log: Log, assumed: Assumed, best: int) -> AnyType:
    """Return the bounds.

    Parameters
    ----------
    log : Log
    assumed : Assumed
        Of its counted jobs.
    best : int
        Sum of completions of some schedule, in ticks: where the search for prices aims.
    """
    capacity = {kind: Capacity.of(own) for kind, own in log.capacity.items()}
    there = {kind: max(own.counts) for kind, own in capacity.items() if max(own.counts)}
    jobs, ratios = log.counted, assumed.ratios
    fastest = _fastest(jobs, ratios, there)
    candidates: list[Weights]
    if assumed.relative is not None:
        candidates = [{kind: assumed.relative[kind] for kind in there}]
    else:
        candidates = [_balanced(jobs, ratios, there), dict.fromkeys(there, Fraction(1))]
    pools = [_Units(log, capacity, jobs, ratios, fastest, weights) for weights in candidates]
    own = max(pools, key=lambda units: units.quick)
    completions, last = own.floor(best * FINER)
    finer = log.ticks * FINER
    submits = sum(job.submit for job in jobs) * FINER
    return AnyType(assumed, (completions - submits) / len(jobs) / finer, last / finer)


def _fastest(
    jobs: Sequence[LoggedJob], ratios: Sequence[Mapping[str, Fraction]], there: Mapping[str, int]
) -> list[Fraction]:
    """Return F_j."""
    known: dict[tuple[int, int], Fraction] = {}
    for job, own in zip(jobs, ratios, strict=True):
        key = id(own), job.gang
        if key not in known:
            gpus = 0
            for kind, ratio in sorted(own.items(), key=lambda item: -item[1]):
                gpus += there.get(kind, 0)
                known[key] = ratio
                if gpus >= job.gang:
                    break
    return [known[id(own), job.gang] for job, own in zip(jobs, ratios, strict=True)]


def _balanced(
    jobs: Sequence[LoggedJob], ratios: Sequence[Mapping[str, Fraction]], there: Mapping[str, int]
) -> Weights:
    """Return the weights of the linear program, near its optimum; any are valid."""
    work: dict[int, int] = defaultdict(int)
    rows: dict[int, Mapping[str, Fraction]] = {}
    for job, own in zip(jobs, ratios, strict=True):
        work[id(own)] += job.gang * job.service
        rows[id(own)] = own
    kinds = list(there)
    total = max(1, sum(work.values()))
    cost = np.array([*[0.0] * len(kinds), *[work[key] / total for key in rows]])
    entries = Entries()
    pairs = [
        (len(kinds) + c, kinds.index(kind), float(ratio))
        for c, own in enumerate(rows.values())
        for kind, ratio in own.items()
        if kind in there
    ]
    # Rows f q_c - s_r <= 0, and the sum of C_r s_r last.
    for i, (column, kind, ratio) in enumerate(pairs):
        entries.add(np.array([i, i]), np.array([column, kind]), np.array([ratio, -1.0]))
    size = sum(there.values())
    last = np.full(len(kinds), len(pairs))
    entries.add(last, np.arange(len(kinds)), np.array([there[kind] / size for kind in kinds]))
    limits = np.array([*[0.0] * len(pairs), 1.0])
    free = np.zeros(len(cost)), np.full(len(cost), np.inf)
    program = linear_program(
        cost, free, (np.full(len(limits), -np.inf), limits), entries, maximise=True
    )
    found = HighsModel(program, background=False).run()
    if found.termination != "optimal" or found.x is None:
        raise SolverError(f"weights of {len(kinds)} types were not found: {found.raw_status}")
    return {
        kind: Fraction(max(0.0, float(found.x[i]))).limit_denominator(10**6)
        for i, kind in enumerate(kinds)
    }


class _Units:
    """The jobs on a single pool of weighted GPUs."""

    def __init__(
        self,
        log: Log,
        capacity: Mapping[str, Capacity],
        jobs: Sequence[LoggedJob],
        ratios: Sequence[Mapping[str, Fraction]],
        fastest: Sequence[Fraction],
        weights: Weights,
    ) -> None:
        # Of each different row of ratios: q, with the weights in whole units.
        least = {
            id(own): min(weights[kind] / ratio for kind, ratio in own.items() if kind in weights)
            for own in ratios
        }
        top = max(
            job.gang * least[id(own)] * most
            for job, own, most in zip(jobs, ratios, fastest, strict=True)
        )
        whole = {
            kind: round(weight * UNITS / top) if top else 0 for kind, weight in weights.items()
        }
        least = {
            id(own): min(whole[kind] / ratio for kind, ratio in own.items() if kind in whole)
            for own in ratios
        }
        asked = [
            (
                job.submit * FINER,
                math.floor(job.service * FINER / most),
                math.floor(job.gang * least[id(own)] * most),
            )
            for job, own, most in zip(jobs, ratios, fastest, strict=True)
        ]
        # Jobs that hold no unit run alone.
        held = [own for own in asked if own[2]]
        self._alone = [a + p for a, p, gang in asked if not gang]
        self._pool: Pool | None = None
        if held:
            parts = [(capacity[kind], units) for kind, units in whole.items()]
            self._pool = Pool(held, Capacity.weighted(parts, FINER), log.ticks * FINER)

    @property
    def quick(self) -> Fraction:
        """A bound without a search, to choose weights by."""
        own = sum(self._pool.one_machine(), Fraction(0)) if self._pool else Fraction(0)
        return own + sum(self._alone)

    def floor(self, target: int) -> tuple[Fraction, Fraction]:
        """Return the bounds on the sum of completions and on the last one, in ticks."""
        alone, last = Fraction(sum(self._alone)), Fraction(max(self._alone, default=0))
        if self._pool is None:
            return alone, last
        rest = target - sum(self._alone)
        found = pool_floor(self._pool, {"preemptive": rest, "shortest": rest}, STEPS)
        return found.completions + alone, max(found.last, last)
