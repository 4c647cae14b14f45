"""What schedules can be worth and hold, over all jobs of an instance: U, m and L, computed anew.

A schedule of a job alone is irredundant if dropping any round leaves the job unfinished; dropping
rounds keeps value and feasibility, so the others do not matter. Computed from levels and progress
of the instance, not by the code that told a price function what to expect.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hadaropt.certificates.options import gang_progress
from hadaropt.errors import LimitError
from hadaropt.instance import Instance

Place = tuple[int, ...]
"""(t, r), the GPUs of a type in a round; or (t, h, r), those on a node."""
MAX_CELLS = 2_000_000
"""Jobs x places that are looked at; more take minutes."""


@dataclass(frozen=True)
class Ranges:
    """Bounds on the irredundant schedules of positive value.

    Attributes
    ----------
    capacity : dict
        Place -> c >= 1; places without GPUs are left out.
    value_per_unit : dict
        Place -> U >= 0: u <= U w for every schedule of value u that holds w >= 1 of its GPUs.
    bundle : dict
        Place -> m, 1 .. c: at least the GPUs of it that one schedule holds.
    reach : dict
        Place -> at least the GPUs of it that all jobs together hold in a round, at most c.
    least_density : Fraction
        L: u >= L w for every schedule of value u that holds w GPUs in all rounds together. 0 if
        there is none.
    most_units : int
        At least the GPUs that one of them holds in all rounds together.
    """

    capacity: dict[Place, int]
    value_per_unit: dict[Place, Fraction]
    bundle: dict[Place, int]
    reach: dict[Place, int]
    least_density: Fraction
    most_units: int


@dataclass(frozen=True)
class _Span:
    """A job's irredundant schedules of positive value: first and last completion, GPUs, density."""

    first: int
    last: int
    held: int
    density: Fraction


def ranges_of(instance: Instance, pool: str) -> Ranges:
    """Return U, m, L and the reach of every place of a pool, ``type`` or ``node``.

    Raises
    ------
    LimitError
        If there are too many jobs and places.
    """
    cluster, rounds = instance.cluster, range(instance.num_rounds)
    totals = cluster.pooled_capacity
    counts: dict[Place, int] = {(r,): c for r, c in enumerate(totals)}
    if pool == "node":
        counts = {(h, r): c for h, row in enumerate(cluster.capacity) for r, c in enumerate(row)}
    counts = {place: c for place, c in counts.items() if c > 0}
    if len(counts) * len(rounds) * max(1, len(instance.jobs)) > MAX_CELLS:
        raise LimitError("the theorem of this certificate: too many jobs and places to check it")
    found = Ranges({}, {}, {}, {}, Fraction(0), 0)
    for place, c in counts.items():
        held = _all_hold(instance, place[-1], pool)
        for t in rounds:
            found.capacity[t, *place] = c
            found.value_per_unit[t, *place] = Fraction(0)
            found.bundle[t, *place] = 1
            found.reach[t, *place] = min(c, held)
    spans = []
    for j, job in enumerate(instance.jobs):
        span = _span(instance, j)
        if span is None:
            continue
        spans.append(span)
        # What holds GPUs in round t completes in t or later.
        ends = range(job.release, span.last + 1)
        most = [instance.value(j, max(t, span.first)) for t in ends]
        for place, c in counts.items():
            units = _units(instance, j, place, c)
            if units is None:
                continue
            for t, value in zip(ends, most, strict=True):
                at = (t, *place)
                found.value_per_unit[at] = max(found.value_per_unit[at], value / units[0])
                found.bundle[at] = max(found.bundle[at], units[1])
    return Ranges(
        found.capacity,
        found.value_per_unit,
        found.bundle,
        found.reach,
        min((span.density for span in spans), default=Fraction(0)),
        max((span.held for span in spans), default=0),
    )


def _all_hold(instance: Instance, r: int, pool: str) -> int:
    """Return at least the GPUs of a type (on one node) that all jobs hold in one round."""
    return sum(
        job.gang_size * (instance.max_copies(j) if pool == "type" else 1)
        for j, job in enumerate(instance.jobs)
        if instance.throughput[j][r] > 0
    )


def _span(instance: Instance, j: int) -> _Span | None:
    """Return the span of job j, or None if no schedule of it is worth anything."""
    job, copies = instance.jobs[j], instance.max_copies(j)
    if instance.unschedulable(j) is not None:
        return None
    gains = {gain for made in gang_progress(instance, j) for gain in made if gain > 0}
    if copies >= 2:
        alone = [
            gain
            for gain, speed in zip(
                instance.progress(j, copies=True), instance.throughput[j], strict=True
            )
            if speed > 0
        ]
        some = [gain for gain in alone if gain > 0]
        if some:
            # Beside a copy that makes nothing, one copy may be all that makes progress.
            gains |= {min(some) * (1 if min(alone) == 0 else 2), max(some) * copies}
    if not gains:
        return None
    first = job.release + -(-job.iterations // max(gains)) - 1
    worth = [t for t in range(first, instance.num_rounds) if instance.value(j, t) > 0]
    if not worth:
        return None
    # k rounds of an irredundant schedule: all but one leave the job unfinished.
    most = -(-job.iterations // min(gains))
    held = min(most, worth[-1] - job.release + 1) * job.gang_size * copies
    return _Span(first, worth[-1], held, instance.value(j, worth[-1]) / held)


def _units(instance: Instance, j: int, place: Place, count: int) -> tuple[int, int] | None:
    """Return bounds on the GPUs of a place that job j holds when it holds any; None: it cannot."""
    speeds, gang, r = instance.throughput[j], instance.jobs[j].gang_size, place[-1]
    totals = instance.cluster.pooled_capacity
    if speeds[r] == 0:
        return None
    usable = totals[r]
    if instance.parallelism != "single_type":
        usable = sum(c for c, speed in zip(totals, speeds, strict=True) if speed > 0)
    if usable < gang:
        return None
    most = gang * instance.max_copies(j) if len(place) == 1 else gang
    return max(1, gang - (usable - count)), min(most, count)
