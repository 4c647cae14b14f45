"""Proven bounds on what any schedule of a workload can reach, as the commands show them."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from hadaropt.cli.common.answer import Lines, decimal
from hadaropt.cli.common.options import MaybeInteger, UsageError, option

if TYPE_CHECKING:
    from hadaropt.simulate.bounds import WorkloadBounds
    from hadaropt.simulate.result import SimulatedRun

MOST_INTERVALS = 80
CELLS = 20_000
"""Jobs x intervals whose program takes about two seconds."""

SomeIntervals = Annotated[
    MaybeInteger,
    option(
        "Of the strongest bound on the mean JCT (0: without it; 80 take about 5 s with 500 jobs).",
        default="0",
        unit="intervals of time",
    ),
]
FittingIntervals = Annotated[
    MaybeInteger,
    option(
        "Of the strongest bound on the mean JCT (0: without it).",
        default="as many as take about 2 s, up to 80; none beyond 1000 jobs",
        unit="intervals of time",
    ),
]


def checked_intervals(intervals: int | None) -> int | None:
    """Refuse a negative number of intervals."""
    if intervals is not None and intervals < 0:
        raise UsageError(f"--bound-intervals {intervals}: must be >= 0")
    return intervals


def fitting_intervals(jobs: int) -> int:
    """Return how many intervals take about two seconds, 0 where they would be too few to help."""
    most = min(MOST_INTERVALS, CELLS // max(1, jobs))
    return most if most >= MOST_INTERVALS // 4 else 0


def bounds_of(run: SimulatedRun, jobs: Collection[int], intervals: int) -> WorkloadBounds | None:
    """Return the bounds on some jobs, for any schedule that makes copies only as the run may."""
    from hadaropt.simulate.bounds import workload_bounds

    copies = len(run.problem.cluster.nodes) if run.scheduler.startswith("hadare") else 1
    return workload_bounds(run.problem, jobs, copies=copies, intervals=intervals)


def bound_facts(bounds: WorkloadBounds | None) -> dict[str, object] | None:
    """Return the ``bounds`` entry of a JSON answer."""
    from hadaropt.simulate.bounds import rounded_down

    if bounds is None:
        return None
    return {
        "avg_jct_s": rounded_down(bounds.avg_jct_s),
        "avg_jct_by": bounds.avg_jct_by,
        "makespan_s": rounded_down(bounds.makespan_s),
        "makespan_by": bounds.makespan_by,
    }


def times_the_least(value: Fraction, bound: Fraction) -> str:
    """Return how many times its bound a value is at most, rounded up."""
    return f"{math.ceil(100 * value / bound) / 100:g}" if bound > 0 else "-"


def bound_lines(bounds: WorkloadBounds, avg_jct_s: Fraction, makespan_s: Fraction) -> Lines:
    """Return how far a run is from the bounds on the jobs that it completed."""
    pairs = (
        ("mean JCT", avg_jct_s, bounds.avg_jct_s),
        ("makespan", makespan_s, bounds.makespan_s),
    )
    return [
        (
            f"any {name}",
            f">= {decimal(bound / 3600, 6, down=True)} h: at most "
            f"{times_the_least(value, bound)} times the least possible here",
        )
        for name, value, bound in pairs
        if bound > 0
    ]
