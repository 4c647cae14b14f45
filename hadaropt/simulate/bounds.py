"""Lower bounds on the mean JCT and the makespan of a workload, valid for every schedule in rounds.

Notation: job j arrives at ``arrival_j``, may run from ``a_j = release_j * tau``, has a gang of W_j,
Q_j iterations, X_jr iterations per second on type r; C_r GPUs of type r; rho_j the restart cost of
a job that always runs as one gang, 0 of others. n_j is the largest number of copies of j that may
run at once (1: one gang). C_j is its completion.

**Speed.** V_j is the largest speed of j alone on the empty cluster: over the levels r at which the
types as fast as r hold W_j GPUs, X_jr (times the spread factor where no node holds them), and with
copies also the sum of the n_j fastest single-node gangs. No placement exceeds it.

**B1, alone.** C_j >= a_j + alone_j: a round of j makes at most floor(V_j tau) iterations, the first
at most floor(V_j (tau - rho_j)) (a first start is a restart), and k iterations inside a round take
at least k / V_j after the restart. Both are monotone in V_j, and pausing adds rounds.

**Work.** Take any prices l_r >= 0 of types with sum_r C_r l_r = 1 and let, over the types r that j
can use, p_j = Q_j W_j min_r l_r / X_jr + rho_j W_j min_r l_r. While j runs on g_r GPUs of each
type, its speed is at most the mean sum_r (g_r / W_j) X_jr (the slowest type is no faster than the
mean; copies add up), so one iteration costs at least W_j min_r l_r / X_jr of price-weighted
GPU-seconds, and a first start at least rho_j W_j min_r l_r without an iteration. All jobs together
use at most sum_r C_r l_r = 1 per second. Hence with z_j = the price-weighted GPUs of j, any
schedule is one in which a single machine of speed 1 is shared, job j getting at least p_j between
a_j and C_j.

**B2, work after a release.** For every s: makespan >= s + sum over {a_j >= s} of p_j.

**B3, shortest first.** sum_j C_j >= the least sum of completion times on that machine
(`shortest_remaining_first`).

**B4, busy time.** Let q_j(t) be the iterations done and M_j = integral of t dq_j / Q_j. With p'_j =
Q_j W_j min_r l_r / X_jr, z_j = p'_j q_j'(t) / Q_j is a service of the machine, so sum_j M_j >= the
least sum of mean busy times (`mean_busy_times`). Since q_j' <= V_j, C_j - M_j = integral of (C_j -
t) dq_j / Q_j is least when j runs last at full speed: C_j >= M_j + Q_j / (2 V_j). Thus sum_j C_j >=
sum_j (M*_j + Q_j / (2 V_j)), which sees both the queue and the length of each job.

**B5, prices over time** (`hadaropt.simulate.interval_prices`), on demand: it also sees when the
queue is there, and is the strongest where jobs come over time, but solves a linear program.

B3 and B4 hold for any subset of the jobs, as the others only take room; the jobs left out count by
B1. Which prices and which subset are used is a matter of tightness alone, so they are searched in
floats and the bounds are evaluated in integers, every time and work rounded down to 2**-20 s (the
three rules above are monotone in them).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hadaropt.errors import check_type
from hadaropt.simulate.interval_prices import PricedJob, best_multipliers, priced_bound
from hadaropt.simulate.one_machine import mean_busy_times, shortest_remaining_first
from hadaropt.simulate.prices import dearest_prices
from hadaropt.simulate.problem import RoundProblem

Rule = Literal["alone", "shortest_first", "busy_time", "priced"]

TICKS = 1 << 20
"""Ticks of a second."""
SEARCHED_JOBS = 12_000
"""Evaluations x jobs of the search for prices."""
FACTORS = (Fraction(3, 2), Fraction(6, 5), Fraction(16, 15))


@dataclass(frozen=True)
class WorkloadBounds:
    """What no schedule can beat.

    Attributes
    ----------
    jobs : int
        The number of jobs bounded.
    avg_jct_s : Fraction
        Every schedule in which these jobs complete has a mean JCT of at least this, in seconds.
    avg_jct_by : {"alone", "shortest_first", "busy_time", "priced"}
    makespan_s : Fraction
        Their last completion is no earlier, on the clock of the workload.
    makespan_by : {"alone", "work"}
    work_s : Fraction
        Seconds in which the whole cluster is needed, wherever they are: sum of p_j over all.
    """

    jobs: int
    avg_jct_s: Fraction
    avg_jct_by: Rule
    makespan_s: Fraction
    makespan_by: Literal["alone", "work"]
    work_s: Fraction


def workload_bounds(
    problem: RoundProblem,
    jobs: Iterable[int] | None = None,
    *,
    copies: int = 1,
    intervals: int = 0,
) -> WorkloadBounds | None:
    """Return lower bounds over all schedules of a workload; proofs in the module's docstring.

    Parameters
    ----------
    problem : RoundProblem
    jobs : iterable of int, optional
        The jobs whose completions count; all that can run at all by default. The others may take
        no GPU, which only makes the bounds hold for more schedules.
    copies : int
        The largest number of copies of a job that may run at once, >= 1; no job runs more than
        its own ``max_copies``.
    intervals : int
        Intervals of time of B5; 0: without it. A second or so for 100 jobs and 80 intervals; the
        cost grows with jobs x intervals.

    Returns
    -------
    WorkloadBounds or None
        None if no job counts.

    Raises
    ------
    TypeError
        If ``problem`` is none, such as a workload.
    ValueError
        If there is no copy, or a job can never run.

    Examples
    --------
    Two gangs of 1 on one GPU of speed 1, of 100 and 300 iterations: no mean is below 250 s.

    >>> from hadaropt import Cluster
    >>> from hadaropt.workload import Workload, WorkloadJob
    >>> jobs = [WorkloadJob(name, 0, 1, q, {"V100": 1}) for name, q in (("a", 100), ("b", 300))]
    >>> workload = Workload(Cluster.of({"n": {"V100": 1}}), tuple(jobs))
    >>> bounds = workload_bounds(RoundProblem.of_workload(workload, round_seconds=100))
    >>> bounds.avg_jct_s, bounds.makespan_s, bounds.avg_jct_by
    (Fraction(250, 1), Fraction(400, 1), 'shortest_first')
    """
    check_type("problem", problem, RoundProblem, "RoundProblem.of_workload makes one")
    if copies < 1:
        raise ValueError(f"copies = {copies}, must be >= 1")
    if jobs is None:
        jobs = [j for j in range(len(problem.jobs)) if problem.unschedulable(j) is None]
    chosen = [_Bounded(problem, j, copies) for j in jobs]
    if not chosen:
        return None
    prices, works_until = _latest_work(problem, chosen)
    alone_until = max(job.alone for job in chosen)
    worth = sum(c * k for c, k in zip(problem.cluster.pooled_capacity, prices, strict=True))
    total, rule = _completions(problem, chosen, prices)
    if intervals:
        priced = _priced(problem, chosen, prices, max(works_until, alone_until), intervals)
        if priced > total:
            total, rule = priced, "priced"
    arrivals = sum((problem.jobs[job.index].arrival for job in chosen), Fraction(0))
    return WorkloadBounds(
        len(chosen),
        (Fraction(total, TICKS) - arrivals) / len(chosen),
        rule,
        Fraction(max(works_until, alone_until), TICKS),
        "work" if works_until > alone_until else "alone",
        Fraction(sum(job.work(prices, worth, restart=True) for job in chosen), TICKS),
    )


def rounded_down(value: Fraction) -> float:
    """Return the largest float that is not above a value."""
    nearest = float(value)
    return math.nextafter(nearest, -math.inf) if Fraction(nearest) > value else nearest


def _priced(
    problem: RoundProblem,
    chosen: Sequence[_Bounded],
    prices: Sequence[int],
    makespan: int,
    intervals: int,
) -> int:
    """Return B5, in ticks; 0 if its program is not solved."""
    if makespan.bit_length() > 1000:
        return 0  # beyond the range of floats
    counts = problem.cluster.pooled_capacity
    first = min(job.release for job in chosen)
    worth = sum(c * k for c, k in zip(counts, prices, strict=True))
    works = [max(1, job.work(prices, worth, restart=False)) for job in chosen]
    # Cuts where jobs are served in B4, and evenly over somewhat more than the makespan.
    busy = sorted(mean_busy_times(works, [job.release for job in chosen]))
    cuts = {first, *busy[:: max(1, 2 * len(busy) // intervals)]}
    span = (makespan - first) * 5 // 4
    cuts.update(first + span * i // (intervals // 2 + 1) for i in range(1, intervals // 2 + 2))
    edges = sorted(cuts)
    jobs = [job.priced(problem) for job in chosen]
    found = best_multipliers(jobs, counts, edges, max(1.0, span / intervals))
    return 0 if found is None else priced_bound(jobs, counts, edges, found)


class _Bounded:
    """What the bounds see of a job, in ticks rounded down."""

    def __init__(self, problem: RoundProblem, j: int, copies: int) -> None:
        reason = problem.unschedulable(j)
        if reason is not None:
            raise ValueError(f"jobs[{j}] can never run: {reason}")
        job, tau = problem.jobs[j], problem.round_seconds
        copies = min(copies, job.max_copies)
        lost = problem.restart_seconds if copies == 1 else Fraction(0)
        self.index, self.copies = j, copies
        self.types, fastest = _levels(problem, j, copies)
        self.release = math.floor(job.release * tau * TICKS)
        first, each = math.floor(fastest * (tau - lost)), math.floor(fastest * tau)
        if job.iterations <= first:
            seconds = lost + job.iterations / fastest
        else:
            rounds = -((first - job.iterations) // each)
            seconds = rounds * tau + (job.iterations - first - (rounds - 1) * each) / fastest
        self.alone = math.floor((job.release * tau + seconds) * TICKS)
        self.half = math.floor(job.iterations / fastest / 2 * TICKS)
        self._lost = lost * job.gang_size * TICKS
        size = job.iterations * job.gang_size * TICKS
        self._pace = [(r, size * job.speed[r].denominator, job.speed[r].numerator)
                      for r in self.types]  # fmt: skip

    def priced(self, problem: RoundProblem) -> PricedJob:
        """Return what B5 sees of it."""
        job = problem.jobs[self.index]
        rate = tuple((r, job.speed[r] / job.iterations / TICKS) for r in self.types)
        return PricedJob(self.release, self.alone, self.half, job.gang_size, self.copies, rate)

    def work(self, prices: Sequence[int], total: int, *, restart: bool) -> int:
        """Return p_j at prices l_r = prices[r] / total, in ticks."""
        own = min(prices[r] * up // (down * total) for r, up, down in self._pace)
        if restart and self._lost:
            own += math.floor(self._lost * min(prices[r] for r in self.types) / total)
        return own


def _levels(problem: RoundProblem, j: int, copies: int) -> tuple[list[int], Fraction]:
    """Return the types that j can use and V_j."""
    job, equal_nodes = problem.jobs[j], problem.cluster.equal_nodes
    counts, kinds = problem.cluster.pooled_capacity, range(len(job.speed))
    types: set[int] = set()
    top, by_row = Fraction(0), dict.fromkeys(equal_nodes, Fraction(0))
    for level in kinds:
        if not job.speed[level]:
            continue
        admitted = [level]
        if problem.mixing:
            admitted = [r for r in kinds if job.speed[r] >= job.speed[level]]
        if sum(counts[r] for r in admitted) < job.gang_size:
            continue
        types.update(r for r in admitted if counts[r])
        speed = job.speed[level]
        hosts = [row for row in equal_nodes if sum(row[r] for r in admitted) >= job.gang_size]
        top = max(top, speed if hosts else speed * job.spread_factor)
        for row in hosts:
            by_row[row] = max(by_row[row], speed)
    if copies > 1:
        top = max(top, _fastest_copies(by_row, equal_nodes, copies))
    return sorted(types), top


def _fastest_copies(
    by_row: Mapping[tuple[int, ...], Fraction],
    equal_nodes: Mapping[tuple[int, ...], tuple[int, ...]],
    copies: int,
) -> Fraction:
    """Return the largest sum of the speeds of a number of nodes, given that of each row."""
    total, left = Fraction(0), copies
    for row in sorted(by_row, key=lambda row: -by_row[row]):
        part = min(left, len(equal_nodes[row]))
        total, left = total + part * by_row[row], left - part
    return total


def _latest_work(problem: RoundProblem, chosen: Sequence[_Bounded]) -> tuple[list[int], int]:
    """Return prices that make B2 large, and B2 at these prices over all s, in ticks."""
    counts = problem.cluster.pooled_capacity
    ordered = sorted(chosen, key=lambda job: -job.release)
    late, best, found = ordered, -1, [1 if count else 0 for count in counts]
    for _ in range(3):
        prices = dearest_prices(problem, [job.index for job in late], [job.types for job in late])
        total = sum(c * k for c, k in zip(counts, prices, strict=True))
        after, latest, cut = 0, -1, 0
        for i, job in enumerate(ordered):
            after += job.work(prices, total, restart=True)
            last_of_release = i + 1 == len(ordered) or ordered[i + 1].release < job.release
            if last_of_release and job.release + after > latest:
                latest, cut = job.release + after, i + 1
        if latest <= best:
            break
        best, found, late = latest, prices, ordered[:cut]
    return found, best


def _completions(
    problem: RoundProblem, chosen: Sequence[_Bounded], prices: list[int]
) -> tuple[int, Rule]:
    """Return the largest bound found on the sum of the completion times, in ticks, and its rule."""
    counts = problem.cluster.pooled_capacity
    best, found = _at(chosen, counts, prices), prices
    budget = SEARCHED_JOBS // len(chosen)
    for factor in FACTORS:
        improved = True
        while improved and budget > 0:
            improved = False
            for r, count in enumerate(counts):
                for change in (factor, 1 / factor):
                    if not count or budget <= 0:
                        continue
                    budget -= 1
                    tried = [*found]
                    tried[r] = max(1, math.floor(found[r] * change))
                    value = _at(chosen, counts, tried)
                    if value > best:
                        best, found, improved = value, tried, True
    alone = sum(job.alone for job in chosen)
    if alone >= max(best):
        return alone, "alone"
    return max(best), "shortest_first" if best[0] >= best[1] else "busy_time"


def _at(
    chosen: Sequence[_Bounded], counts: Sequence[int], prices: Sequence[int]
) -> tuple[int, int]:
    """Return B3 and B4 at some prices, in ticks."""
    total = sum(c * k for c, k in zip(counts, prices, strict=True))
    shortest = shortest_remaining_first(
        [job.work(prices, total, restart=True) for job in chosen], [job.release for job in chosen]
    )
    works = [job.work(prices, total, restart=False) for job in chosen]
    queue = [i for i, work in enumerate(works) if work > 0]
    busy, everyone = 0, sum(job.alone for job in chosen)
    for _ in range(2):
        means = mean_busy_times([works[i] for i in queue], [chosen[i].release for i in queue])
        ends = [mean + chosen[i].half for i, mean in zip(queue, means, strict=True)]
        outside = everyone - sum(chosen[i].alone for i in queue)
        busy = max(busy, outside + sum(ends))
        # Jobs that finish later alone than in this relaxation count by B1, and make room.
        queue = [i for i, end in zip(queue, ends, strict=True) if end >= chosen[i].alone]
    return shortest, busy
