"""What no schedule can beat in continuous time: sum of completions, last completion, jobs there.

Every job j has a release a_j, a service p_j and a gang W_j on one pool of C GPUs; it completes
when it has held W_j GPUs for p_j in all, or some of them for longer in proportion. There are no
rounds and no restarts, and nothing is rounded but down. C may change over time, C(t). The proofs
are in docs/bounds.md, "In continuous time".

**Alone.** C_j >= a_j + p_j.

**One machine.** Let one machine of speed C(t) do W_j p_j of work for each job. It serves the
shortest remaining work first: the sum of completions, and the number of jobs that are there at any
time, are no larger than in any schedule.

**Prices over time.** For any prices l(t) >= 0 of a GPU over time,

    sum_j C_j >= sum_j min_x [integral of (t / p_j + W_j l(t)) x(t) dt + p_j / 2] - integral of C l,

x(t) the speed of job j, 0 <= x <= 1 from a_j on, with integral p_j; without preemption, with the
larger

    sum_j min over s >= a_j of [s + p_j + W_j (integral of l from s to s + p_j)] - integral of C l.

**Last completion.** At least a_j + p_j, and, for any s, the time before which there are, from s on,
as many GPU-ticks as the W_j p_j of the jobs released from s on.

Pools share no GPU, so that their bounds add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from hadaropt.auditing.capacity import Capacity
from hadaropt.errors import LimitError
from hadaropt.kernels.pricing.one_pool import least_with_preemption, least_without_preemption
from hadaropt.simulate.one_machine import shortest_remaining_completions

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Rule = Literal["alone", "one machine", "prices over time"]

TIME_BITS, GANG_BITS, PRICE_BITS = 27, 20, 20
"""Times and gangs are below 2**TIME_BITS and 2**GANG_BITS; prices have up to PRICE_BITS binary
digits. The kernels compute in 64 bits."""


class Pool:
    """The jobs of one pool, in steps of 2**-k seconds that fit the kernels, rounded down.

    Parameters
    ----------
    jobs : sequence of (release, service, gang)
        In ticks, release >= 0, service >= 0.
    capacity : int or Capacity
        C, in ticks.
    ticks : int
        Ticks of a second.
    """

    def __init__(
        self, jobs: Sequence[tuple[int, int, int]], capacity: int | Capacity, ticks: int
    ) -> None:
        if max(w for _, _, w in jobs) >= 1 << GANG_BITS:
            raise LimitError(f"a gang of 2**{GANG_BITS} GPUs or more cannot be bounded")
        self.capacity, self.ticks = Capacity.of(capacity), ticks
        work = sum(p * w for _, p, w in jobs)
        last = (
            max(self.capacity.times[-1], *(a + p for a, p, _ in jobs))
            + work // self.capacity.last
            + 1
        )
        # A step is ticks / scale seconds long, as a fraction of powers of two.
        self.scale = Fraction(1, ticks)
        while last * self.scale < 1 << TIME_BITS - 1:
            self.scale *= 2
        while last * self.scale >= 1 << TIME_BITS:
            self.scale /= 2
        up, down = self.scale.numerator, self.scale.denominator
        self.release: Ints = np.array([a * up // down for a, _, _ in jobs], np.int64)
        self.service: Ints = np.array([p * up // down for _, p, _ in jobs], np.int64)
        self.gang: Ints = np.array([w for _, _, w in jobs], np.int64)
        self.alone = sum(a + p for a, p, _ in jobs)
        self.jobs = jobs
        self._areas: dict[bytes, list[Fraction]] = {}

    def in_ticks(self, steps: int | Fraction) -> Fraction:
        """Return steps as ticks."""
        return Fraction(steps) / self.scale

    def one_machine(self) -> list[Fraction]:
        """Return earliest completions, ascending: the k-th is no later in any schedule, in ticks.

        The machine counts GPU-ticks, so that nothing is rounded.
        """
        c = self.capacity
        ends = shortest_remaining_completions(
            [p * w for _, p, w in self.jobs], [c.work(a) for a, _, _ in self.jobs]
        )
        return [c.when(end) for end in ends]

    def gpu_steps(self, edges: Ints) -> list[Fraction]:
        """Return the GPU-steps that there are between each edge, in steps, and the next."""
        key = edges.tobytes()
        if key not in self._areas:
            before = [
                self.capacity.work(Fraction(edge) / self.scale) * self.scale
                for edge in edges.tolist()
            ]
            self._areas[key] = [end - start for start, end in pairwise(before)]
        return self._areas[key]

    def paid(self, prices: Prices) -> Fraction:
        """Return the integral of C times the price, in steps."""
        total = sum(
            price * area
            for price, area in zip(prices.price.tolist(), self.gpu_steps(prices.edges), strict=True)
        )
        return Fraction(total) / (1 << prices.shift)

    def last_completion(self) -> Fraction:
        """Return the bound on the last completion, in ticks."""
        after = needed = 0
        for a, p, w in sorted(self.jobs, reverse=True):
            after += p * w
            needed = max(needed, self.capacity.work(a) + after)
        return max(Fraction(max(a + p for a, p, _ in self.jobs)), self.capacity.when(needed))


@dataclass(frozen=True)
class Prices:
    """Prices of a GPU of a pool over time, in the steps of the pool.

    Attributes
    ----------
    edges : (K + 1,) int64
        Ascending, the first no later than any release.
    price : (K,) int64
        In units of 2**-shift.
    shift : int
    """

    edges: Ints
    price: Ints
    shift: int

    @classmethod
    def rounded(cls, edges: Ints, price: Floats, gang: int) -> Prices:
        """Return the prices in the finest unit in which everything fits 64 bits.

        Raises
        ------
        LimitError
            If there is none.
        """
        lengths = np.diff(edges).astype(float)
        for shift in range(PRICE_BITS, -1, -1):
            scaled = np.floor(np.maximum(price, 0.0) * 2.0**shift)
            if float(scaled @ lengths) * gang < 2.0**61 and float(scaled.max(initial=0)) < 2.0**61:
                return cls(edges, scaled.astype(np.int64), shift)
        raise LimitError("prices over time are too large for 64 bits")

    def of_one(self) -> Fraction:
        """Return the integral of the price of one GPU, in steps."""
        total = sum(
            int(price) * int(length)
            for price, length in zip(self.price, np.diff(self.edges), strict=True)
        )
        return Fraction(total, 1 << self.shift)


def priced_completions(pool: Pool, prices: Prices, *, preemption: bool) -> tuple[Fraction, Ints]:
    """Return the bound at some prices on the sum of completions, in ticks, and the GPUs taken.

    The second is, for each interval, the GPU-steps that the jobs' minima take, of no proof.
    """
    rule = least_with_preemption if preemption else least_without_preemption
    least, used = rule(
        pool.release, pool.service, pool.gang, prices.edges, prices.price, np.int64(prices.shift)
    )
    twice = int(least.sum())  # each is below 2**30
    return pool.in_ticks(Fraction(twice, 2) - pool.paid(prices)), used
