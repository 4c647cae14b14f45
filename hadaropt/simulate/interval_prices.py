"""Bound B5 on the sum of completion times: prices of types that change over time.

Time is cut at e_0 < e_1 < ... < e_K, the last interval being without end. For job j let left_ij =
max(e_i, a_j), and avail_ij the time between left_ij and e_{i+1} (0 if negative), times n_j. Let
g_ijr be the GPU-seconds of type r that j holds in interval i. Every schedule satisfies

    sum_j g_ijr <= C_r (e_{i+1} - e_i),  sum_r g_ijr <= W_j avail_ij,
    sum_ir g_ijr X_jr / W_j >= Q_j,
    C_j >= alone_j,  C_j >= sum_ir left_ij g'_ijr X_jr / (W_j Q_j) + Q_j / (2 V_j),

where g' <= g meets the third with equality (B1 and B4 of `hadaropt.simulate.bounds`; iterations of
interval i are done after left_ij). For any l_ir >= 0 (l_Kr = 0), 0 <= m_j <= 1 and h_j, adding the
rows with these multipliers gives, by weak duality,

    sum_j C_j >= sum_j [(1 - m_j) alone_j + m_j Q_j / (2 V_j) + h_j
                 - sum_i avail_ij max(0, max_r (h_j - m_j left_ij) X_jr / Q_j - W_j l_ir)]
                 - sum_ir C_r (e_{i+1} - e_i) l_ir,

provided h_j <= m_j left_Kj, so that nothing is subtracted in the interval without end. The
multipliers come from a linear program in floats; the right-hand side is evaluated in integers,
everything that is subtracted rounded up.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.errors import LimitError, SolverError
from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, Floats, Ints, linear_program

UNIT = 1 << 30
"""Multipliers l and m are multiples of 1 / UNIT."""
LEAST = 1e-9
"""Smaller coefficients are left out: HiGHS does not take them."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class PricedJob:
    """What B5 sees of a job; times in ticks, rounded down.

    Attributes
    ----------
    release, alone, half : int
        a_j, the earliest completion (B1), and Q_j / (2 V_j).
    gang : int
    copies : int
        n_j.
    rate : tuple of (type, Fraction)
        X_jr / Q_j per tick, on the types that it can use.
    """

    release: int
    alone: int
    half: int
    gang: int
    copies: int
    rate: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Multipliers:
    """Prices l_ir (K, R) and m_j in units of 1 / UNIT, and h_j in ticks."""

    prices: Sequence[Sequence[int]]
    weight: Sequence[int]
    need: Sequence[int]


def priced_bound(
    jobs: Sequence[PricedJob], counts: Sequence[int], cuts: Sequence[int], given: Multipliers
) -> int:
    """Return the right-hand side above, rounded down to a tick.

    Parameters
    ----------
    jobs : sequence of PricedJob
    counts : sequence of int
        C_r.
    cuts : sequence of int
        e_0 < ... < e_K in ticks; e_0 is no later than any release.
    given : Multipliers
        Any; an h_j that is too large is cut down.
    """
    total = 0
    for job, weight, wanted in zip(jobs, given.weight, given.need, strict=True):
        m = min(max(weight, 0), UNIT)
        last = max(cuts[-1], job.release)
        need = min(wanted, m * last // UNIT)
        total += ((UNIT - m) * job.alone + m * job.half) // UNIT + need
        for i, row in enumerate(given.prices):
            left, right = max(cuts[i], job.release), cuts[i + 1]
            if left >= right:
                continue
            gain = need * UNIT - m * left
            if gain <= 0:
                break  # left grows, so all later intervals gain nothing either
            most = max(
                Fraction(gain * rate.numerator, rate.denominator) - job.gang * row[r]
                for r, rate in job.rate
            )
            if most > 0:
                spent = most * (right - left) * job.copies / UNIT
                total += -spent.numerator // spent.denominator
    held = sum(
        count * (right - left) * price
        for left, right, row in zip(cuts, cuts[1:], given.prices, strict=False)
        for count, price in zip(counts, row, strict=True)
    )
    return total + -held // UNIT


def best_multipliers(
    jobs: Sequence[PricedJob], counts: Sequence[int], cuts: Sequence[int], tick: float
) -> Multipliers | None:
    """Return multipliers that nearly maximise the bound; None if the program is not solved.

    ``tick`` is the unit of time of the program in ticks, for its scaling.
    """
    J, R, K = len(jobs), len(counts), len(cuts) - 1
    edge = np.array(cuts, float) / tick
    release = np.array([job.release for job in jobs], float) / tick
    gang = np.array([job.gang for job in jobs], float)
    copies = np.array([job.copies for job in jobs], float)
    rate = np.zeros((J, R))
    for j, job in enumerate(jobs):
        for r, own in job.rate:
            rate[j, r] = float(own) * tick
    job_of, kind, at = (a.ravel() for a in np.indices((J, R, K)))
    kept = (rate[job_of, kind] > 0) & (edge[at + 1] > release[job_of])
    job_of, kind, at = job_of[kept], kind[kept], at[kept]
    n, column = len(job_of), np.arange(len(job_of))
    left = np.maximum(edge[at], release[job_of])
    part = rate[job_of, kind] / gang[job_of]

    alone = job_of * K + at
    room = np.zeros(J * K)
    room[alone] = gang[job_of] * copies[job_of] * (edge[at + 1] - left)
    size = np.outer(np.diff(edge), np.array(counts, float)).ravel()
    done, ends = n + np.arange(J), (K * R + J * K) + np.arange(J)
    # Rows: capacity, the room of each job, the completion times, and whole jobs.
    entries = Entries()
    entries.add(at * R + kind, column, 1)
    entries.add(K * R + alone, column, 1)
    _add(entries, ends[job_of], column, part * left)
    entries.add(ends, done, -1)
    _add(entries, J + ends[job_of], column, part)
    most = np.concatenate(
        [size, room, -np.array([job.half for job in jobs], float) / tick, np.ones(J)]
    )
    least = np.concatenate([np.full(len(most) - J, -np.inf), np.ones(J)])
    earliest = np.array([job.alone for job in jobs], float) / tick
    program = linear_program(
        np.concatenate([np.zeros(n), np.ones(J)]),
        (np.concatenate([np.zeros(n), earliest]), np.full(n + J, np.inf)),
        (least, most),
        entries,
        maximise=False,
    )
    try:
        answer = HighsModel(program, options={"solver": "ipm"}).run()
    except (LimitError, SolverError) as error:
        # Another bound holds without it; numbers of this range cannot be held in floats.
        logger.debug("no prices of intervals: %s", error)
        return None
    if answer.row_prices is None:
        return None
    rows = answer.row_prices
    below: Floats = -rows
    prices = np.rint(np.maximum(below[: K * R], 0) * UNIT).astype(int).reshape(K, R)
    weight = np.rint(below[K * R + J * K : -J] * UNIT).astype(int)
    need = np.rint(rows[-J:] * tick)
    return Multipliers(prices.tolist(), weight.tolist(), [int(x) for x in need])


def _add(entries: Entries, rows: Ints, columns: Ints, values: Floats) -> None:
    """Add the entries that HiGHS takes: without the smallest the multipliers change little."""
    kept = np.abs(values) > LEAST
    entries.add(rows[kept], columns[kept], values[kept])
