"""Column generation under the limits of a branch, with an exact bound at every step."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.mip.highs import Outcome
from hadaropt.mip.model import Floats, Ints
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.cut_row import Cut
from hadaropt.offline.colgen.master import Duals, Master
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import INF, Column, Limits, Pricing
from hadaropt.tolerances import PRICE_BITS

SMOOTHING = 0.5
"""Weight of the best prices so far in those that are priced next; more is steadier and slower."""
REDUCED_COST = 1e-11
"""Relative to the largest value of a job; smaller reduced costs are left to the exact bound."""
LP_OPERATIONS, ITERATION_OPERATIONS = 5 * 10**6, 10**4
"""What an LP, and a simplex iteration, count for at least in a limit of work."""


@dataclass(frozen=True)
class Proof:
    """Prices, and the bound that they prove under some limits.

    Attributes
    ----------
    cells : ndarray of int (int64 or Python integers), shape (T, cells)
    cuts : tuple of (cut index, units)
        Prices of cuts, > 0.
    scale : int
        A price is units / scale.
    bound : Fraction or None
        None: no schedule satisfies the limits.
    """

    cells: Ints
    cuts: tuple[tuple[int, int], ...]
    scale: int
    bound: Fraction | None

    def units_at(self, scale: int) -> Ints:
        """Return the prices of the cells, rounded up to multiples of 1 / scale, in these."""
        units = -(-(self.cells.astype(object) * scale) // self.scale)
        return np.ascontiguousarray(units.astype(np.int64))

    def better(self, other: Proof | None) -> Proof:
        """Return the proof of the lower bound."""
        if other is None or self.bound is None:
            return self
        return self if other.bound is not None and self.bound < other.bound else other


@dataclass(frozen=True)
class Solved:
    """What column generation found.

    Attributes
    ----------
    status : {"closed", "converged", "time_limit"}
        ``closed``: the bound allows no better schedule than the incumbent.
    proof : Proof
    outcome : Outcome or None
        The LP point, when converged (or interrupted).
    """

    status: str
    proof: Proof
    outcome: Outcome | None


class Relaxation:
    """The configuration LP of an instance, with cuts.

    Parameters
    ----------
    space : Space
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.scale = choose_scale(space)
        self.pricing = Pricing(space, self.scale)  # refuses worths that are too large for floats
        self.master = Master(space)
        self.capacity = [int(c) for c in space.capacity]
        self.proof: Proof | None = None
        """The proof of the lowest bound in the last column generation."""
        self.iterations = 0
        rounds = space.instance.num_rounds
        self._largest = max((float(job.values[0]) for job in space.jobs), default=0.0)
        shape = (len(space.jobs), rounds)
        self._full = np.zeros(shape, np.bool_)
        for i, job in enumerate(space.jobs):
            self._full[i, job.release : job.release + len(job.values)] = True

    def with_own_master(self, columns: Sequence[Column]) -> Relaxation:
        """Return a relaxation with the same pricing and cuts, and a master of its own."""
        other = copy(self)
        other.master = self.master.emptied()
        other.master.add_columns(columns)
        return other

    def matrix(self, flat: Ints) -> Ints:
        """Return a flat array over windows as (I, T), 0 outside them."""
        table = np.zeros(self._full.shape, np.int64)
        table[self._full] = flat
        return table

    def closes(self, proof: Proof, incumbent: Fraction) -> bool:
        """Return whether no schedule under the limits of the proof can beat the incumbent."""
        return proof.bound is None or self.space.instance.round_down(proof.bound) <= incumbent

    def prove(self, cells: Floats, cuts: Floats, limits: Limits) -> Proof:
        """Return the exact bound at prices rounded to multiples of 1 / scale."""
        limit = float(self.pricing.price_limit)
        units = np.minimum(np.rint(cells * self.scale), limit).astype(np.int64)
        tolls = [
            (c, min(round(price * self.scale), int(limit)))
            for c, price in enumerate(cuts.tolist())
            if price > 0
        ]
        tolls = [(c, price) for c, price in tolls if price > 0]
        self.pricing.set_prices(units, [(self.master.cuts[c], price) for c, price in tolls])
        self.pricing.solve(limits)
        payoffs = self.pricing.payoff.tolist()
        if any(payoff <= -INF for payoff in payoffs):
            return Proof(units, tuple(tolls), self.scale, None)
        used = zip(units.sum(axis=0).tolist(), self.capacity, strict=True)
        total = sum(payoffs) + sum(price * count for price, count in used)
        total += sum(price * self.master.cuts[c].rhs for c, price in tolls)
        return Proof(units, tuple(tolls), self.scale, Fraction(total, self.scale))

    def converge(
        self,
        limits: Limits,
        *,
        incumbent: Fraction = Fraction(-1),
        clock: Clock | None = None,
        start: Proof | None = None,
        smoothing: float = SMOOTHING,
        most: int | None = None,
    ) -> Solved:
        """Solve the LP under limits, or stop as soon as the incumbent cannot be beaten.

        Parameters
        ----------
        limits : Limits
        incumbent : Fraction
        clock : Clock, optional
        start : Proof, optional
            Prices to begin with: those of the parent.
        smoothing : float
            Share of the best prices so far in those that are tried next.
        most : int, optional
            LPs to solve at the most: the last one passes for converged.
        """
        master = self.master
        clock = Clock() if clock is None else clock
        master.set_limits(limits, self.matrix(limits.low), self.matrix(limits.high))
        self.proof = best = None
        center: tuple[Floats, Floats] | None = None
        if start is not None:
            center = self._as_floats(start)
            best = self.prove(*center, limits)
            if self.closes(best, incumbent):
                return Solved("closed", best, None)
            master.add_columns(self._columns(range(len(self.space.jobs))))
        last = None if most is None else self.iterations + most
        while True:
            self.iterations += 1
            outcome = master.solve()
            clock.spend(self._operations(outcome))
            if outcome.objective is None or outcome.row_prices is None:
                raise AssertionError(f"the restricted LP ended with {outcome.raw_status}")
            duals = master.duals(outcome)
            tolerance = REDUCED_COST * self._largest
            added = 0
            if smoothing > 0 and center is not None:
                old = self._padded(center)
                cells = smoothing * old[0] + (1 - smoothing) * duals.cells
                cuts = smoothing * old[1] + (1 - smoothing) * duals.cuts
                proof = self.prove(cells, cuts, limits)
                if best is None or proof.better(best) is proof:
                    self.proof = best = proof
                    center = (cells, cuts)
                if self.closes(best, incumbent):
                    return Solved("closed", best, outcome)
                added = master.add_columns(self._improving(duals, tolerance))
            if not added:
                proof = self.prove(duals.cells, duals.cuts, limits)
                if best is None or proof.better(best) is proof:
                    self.proof = best = proof
                    center = (duals.cells, duals.cuts)
                if self.closes(best, incumbent):
                    return Solved("closed", best, outcome)
                gains = self.pricing.payoff / self.scale - duals.jobs
                added = master.add_columns(
                    self._columns(np.flatnonzero(gains > tolerance).tolist())
                )
            assert best is not None
            if not added or self.iterations == last:
                return Solved("converged", best, outcome)
            if clock.over():
                return Solved("time_limit", best, outcome)

    def lp_operations(self, iterations: int) -> int:
        """Return what simplex iterations of one LP count for in a limit of work."""
        rows, columns = self.master.size
        return LP_OPERATIONS + 200 * (rows + columns) + iterations * (ITERATION_OPERATIONS + rows)

    def _operations(self, outcome: Outcome) -> int:
        """Return what an LP and the pricing after it count for in a limit of work."""
        return self.lp_operations(outcome.iterations) + self.pricing.operations

    def probe(self, children: Sequence[Limits], iterations: int) -> list[float]:
        """Return optimistic estimates of the LP values under limits, from the present basis."""
        basis, values = self.master.highs.save_basis(), []
        for limits in children:
            self.master.set_limits(limits, self.matrix(limits.low), self.matrix(limits.high))
            self.master.highs.restore_basis(basis)
            values.append(self.master.probe(iterations))
        self.master.highs.restore_basis(basis)
        return values

    def _as_floats(self, proof: Proof) -> tuple[Floats, Floats]:
        cuts = np.zeros(len(self.master.cuts))
        for c, units in proof.cuts:
            cuts[c] = units / proof.scale
        return np.array(proof.cells / proof.scale, np.float64), cuts

    def _padded(self, center: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        more = len(self.master.cuts) - len(center[1])
        return center[0], np.concatenate([center[1], np.zeros(more)])

    def _columns(self, jobs: Sequence[int]) -> list[Column]:
        found = (self.pricing.column(i) for i in jobs)
        return [column for column in found if column is not None]

    def _improving(self, duals: Duals, tolerance: float) -> list[Column]:
        """Return the columns of the last pricing that pay at these duals, those of cuts left out.

        Columns that pay only without the prices of cuts are kept on purpose: cuts are found from
        points that mix many columns, and dives begin with them.
        """
        gains = self.pricing.payoff_at(duals.cells) - duals.jobs
        return self._columns(np.flatnonzero(gains > tolerance).tolist())


def choose_scale(space: Space) -> int:
    """Return a power of two, at most 2**PRICE_BITS, at which exact pricing fits 64 bits."""
    total = sum((job.values[0] for job in space.jobs), Fraction(1))
    longest = max((len(job.values) for job in space.jobs), default=1)
    copies = max((len(job.copies.classes) for job in space.jobs if job.copies), default=1)
    gang = max((job.gang_size for job in space.jobs), default=1)
    room = 2**58 // ((longest + 1) * gang * copies)
    return int(2 ** max(0, min(PRICE_BITS, (room // int(total + 1)).bit_length() - 1)))


__all__ = ["Cut", "Proof", "Relaxation", "Solved", "choose_scale"]
