"""Better schedules at a node of branch-and-price: local search, dives, restricted programs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof, Relaxation, Solved
from hadaropt.offline.colgen.configuration_lp import published_prices
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.heuristics.incumbent import Incumbent
from hadaropt.offline.heuristics.restricted_master import restricted_integer
from hadaropt.offline.heuristics.ruin_and_recreate import LocalSearch

RESTRICTED_NODES = 20
RESTRICTED_COLUMNS = 4
"""Nodes, and columns per job, of one restricted integer program: the same on every machine."""
PROMISING, NEARLY = 0.015, 0.003
"""Relative gaps above which restricted integer programs find nothing: few jobs, and more."""
RESTRICTED_SHARE = 0.2
"""Share of the time left that one restricted integer program may take."""
SEARCH_ITERATIONS, REMOVED = 10_000, (24, 12, 40)
"""Iterations of a local search, and the most jobs it takes out at once: one after the other."""
FIRST_COLUMNS = 6
"""Columns per job with which dives begin."""
STEPS, CAREFUL_STEPS = 33, 100
"""Steps after which a quick and a careful dive would have fixed a column of every job."""
NOISY_DIVES, DIVE_NOISE = 3, 0.3
DIVE_SHARE = 0.3
"""Share of the time left for dives from the root."""
REFILLED, REFILL_GROWTH, MOST_REFILLED = 40, 1.03, 0.75
"""Jobs that are scheduled anew by one dive from the incumbent: at first this, at most half of all;
more after each dive in vain, up to a share of all."""
REFILLED_AT_ONCE = 3
REFILL_SHARE = 0.6
"""Share of the time left that dives from the incumbent may take before branching begins."""
STALE_REFILLS, NODE_REFILLS = 60, 5
"""Dives from the incumbent in vain until the search for better ones ends: before branching begins,
and at a later round of heuristics or where few jobs leave branching the better way."""
SEARCHED_JOBS = 60
"""Most jobs for which local search is worth its time beside dives."""


class Heuristics:
    """Looks for schedules that are better than the incumbent.

    Parameters
    ----------
    relaxation : Relaxation
    incumbent : Incumbent
    closes : callable
        (proof) -> whether no better schedule need be looked for.
    clock : Clock
    """

    def __init__(
        self,
        relaxation: Relaxation,
        incumbent: Incumbent,
        closes: Callable[[Proof], bool],
        clock: Clock,
    ) -> None:
        self._relaxation, self._incumbent = relaxation, incumbent
        self._closes, self._clock = closes, clock
        self._search = LocalSearch(relaxation.pricing)
        self._searches = 0
        self._diving: Diving | None = None
        self._many = len(relaxation.space.jobs)
        self._few = self._many <= SEARCHED_JOBS

    def run(self, proof: Proof, solved: Solved, at_root: bool, *, seed: int) -> None:
        """Look for better schedules from the LP point of a node."""
        master = self._relaxation.master
        if self._few:
            self._local_search(proof)
        if at_root:
            self._dive(proof, solved, seed)
        if self._incumbent.value == 0 and not self._few:
            self._local_search(proof)
        # Dives that the cuts guide do better.
        if master.cuts:
            self._refill(proof, at_root)
        if at_root and not self._closes(proof):
            self._restricted(proof, solved)

    def _restricted(self, proof: Proof, solved: Solved) -> None:
        """Solve an integer program over the columns of least reduced cost, if that is promising."""
        master, incumbent = self._relaxation.master, self._incumbent
        assert proof.bound is not None
        gap = float(proof.bound - incumbent.value)
        if gap > (PROMISING if self._few else NEARLY) * float(incumbent.value):
            return
        cost = self._reduced_costs(solved)
        order = np.argsort(-cost, kind="stable")[: RESTRICTED_COLUMNS * self._many]
        keep = sorted(order[cost[order] >= -gap].tolist())
        if incumbent.plan is not None:
            master.add_columns(list(incumbent.plan.columns.values()))
            own = (master.place_of(c) for c in incumbent.plan.columns.values())
            keep = sorted({*keep, *own})
        incumbent.offer(
            restricted_integer(
                master,
                keep,
                incumbent.plan,
                clock=self._clock.part(RESTRICTED_SHARE * self._clock.left()),
                node_limit=RESTRICTED_NODES,
            )
        )

    def _reduced_costs(self, solved: Solved) -> Floats:
        assert solved.outcome is not None and solved.outcome.column_prices is not None
        return solved.outcome.column_prices[self._relaxation.master.linear.shape[1] :]

    def _out_of_time(self, proof: Proof) -> bool:
        return self._closes(proof) or self._clock.over()

    def _dive(self, proof: Proof, solved: Solved, seed: int) -> None:
        """Dive from the LP point of the root: quickly at first, with care when cuts are in."""
        master, many = self._relaxation.master, self._many
        cost = self._reduced_costs(solved)
        best = np.argsort(-cost, kind="stable")[: FIRST_COLUMNS * many].tolist()
        self._diving = Diving(self._relaxation, [master.columns[p] for p in best], seed=seed)
        if not self._diving.usable:
            return
        plans = [(STEPS, 0.0)]
        if master.cuts:
            plans += [(CAREFUL_STEPS, 0.0)] + [(CAREFUL_STEPS, DIVE_NOISE)] * NOISY_DIVES
        end = self._clock.part(DIVE_SHARE * self._clock.left())
        for steps, noise in plans:
            if self._out_of_time(proof) or end.over():
                return
            until = self._clock if steps == STEPS else end
            self._incumbent.offer(
                self._diving.dive(
                    proof,
                    self._incumbent.value,
                    clock=until,
                    at_once=max(1, many // steps),
                    noise=noise,
                )
            )

    def _refill(self, proof: Proof, at_root: bool) -> None:
        """Dive from the incumbent until that is in vain too often."""
        diving, incumbent = self._diving, self._incumbent
        if diving is None or not diving.usable or incumbent.plan is None:
            return
        end = self._clock.part(REFILL_SHARE * self._clock.left())
        most = STALE_REFILLS if at_root and not self._few else NODE_REFILLS
        size, stale = min(REFILLED, (self._many + 1) / 2), 0
        while stale < most and not end.over() and not self._out_of_time(proof):
            jobs = diving.neighbourhood(incumbent.plan, math.ceil(size))
            found = diving.refill(
                incumbent.plan, jobs, proof, clock=self._clock, at_once=REFILLED_AT_ONCE
            )
            stale = 0 if incumbent.offer(found) else stale + 1
            if stale:
                size = min(REFILL_GROWTH * size, max(size, MOST_REFILLED * self._many))

    def _local_search(self, proof: Proof) -> None:
        relaxation, incumbent = self._relaxation, self._incumbent
        prices = published_prices(relaxation.space, proof, relaxation.scale).units
        prices = prices.reshape(len(prices), -1)
        for most in REMOVED:
            if self._out_of_time(proof):
                return
            incumbent.offer(
                self._search.improve(
                    incumbent.plan,
                    prices,
                    seed=self._searches,
                    iterations=SEARCH_ITERATIONS,
                    most=most,
                )
            )
            self._clock.spend(SEARCH_ITERATIONS * self._search.operations)
            self._searches += 1


__all__ = ["Heuristics"]
