"""Better schedules at a node of branch-and-price: local search, dives, restricted programs."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof, Relaxation, Solved
from hadaropt.offline.heuristics.dive import Allowance, Dive
from hadaropt.offline.heuristics.divers import Begun, Divers, OneDiver
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.heuristics.incumbent import Incumbent
from hadaropt.offline.heuristics.neighbourhoods import Neighbourhoods
from hadaropt.offline.heuristics.params import HeuristicParams
from hadaropt.offline.heuristics.restricted_master import restricted_integer
from hadaropt.offline.heuristics.ruin_and_recreate import LocalSearch
from hadaropt.tolerances import FRACTIONAL


class Heuristics:
    """Looks for schedules that are better than the incumbent.

    Parameters
    ----------
    relaxation : Relaxation
    incumbent : Incumbent
    closes : callable
        (proof) -> whether no better schedule need be looked for.
    clock : Clock
    params : HeuristicParams, optional
    divers : Divers, optional
        Who dives where jobs are not few; this process by default.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        incumbent: Incumbent,
        closes: Callable[[Proof], bool],
        clock: Clock,
        params: HeuristicParams | None = None,
        divers: Divers | None = None,
    ) -> None:
        self._params = HeuristicParams() if params is None else params
        self._relaxation, self._incumbent = relaxation, incumbent
        self._closes, self._clock = closes, clock
        self._search = LocalSearch(relaxation.pricing)
        self._searches = 0
        self._diving: Diving | None = None
        self._many = len(relaxation.space.jobs)
        self._few = self._many <= self._params.few_jobs
        self._refills = 0
        self._divers: Divers = OneDiver()
        long = clock.left() >= self._params.divers_from and bool(self._search.sets)
        if divers is not None and long and not self._few:
            self._divers = divers
            divers.start()

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
            self._refill(proof, solved, at_root)
        if at_root and not self._closes(proof):
            self._restricted(proof, solved)

    def _restricted(self, proof: Proof, solved: Solved) -> None:
        """Solve an integer program over the columns of least reduced cost, if that is promising."""
        master, incumbent = self._relaxation.master, self._incumbent
        assert proof.bound is not None
        gap = float(proof.bound - incumbent.value)
        params = self._params
        most = params.restricted_gap if self._few else params.restricted_gap_many
        if gap > most * float(incumbent.value):
            return
        cost = self._reduced_costs(solved)
        order = np.argsort(-cost, kind="stable")[: params.restricted_columns * self._many]
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
                clock=self._clock.part(params.restricted_share * self._clock.left()),
                node_limit=params.restricted_nodes,
            )
        )

    def _reduced_costs(self, solved: Solved) -> Floats:
        assert solved.outcome is not None and solved.outcome.column_prices is not None
        return solved.outcome.column_prices[self._relaxation.master.linear.shape[1] :]

    def _out_of_time(self, proof: Proof) -> bool:
        return self._closes(proof) or self._clock.over()

    def _dive(self, proof: Proof, solved: Solved, seed: int) -> None:
        """Dive from the LP point of the root: quickly at first, with care when cuts are in."""
        master, many, params = self._relaxation.master, self._many, self._params
        cost = self._reduced_costs(solved)
        best = np.argsort(-cost, kind="stable")[: params.first_columns * many].tolist()
        columns = [master.columns[p] for p in best]
        self._diving = Diving(self._relaxation, columns, params=params.diving)
        if not self._diving.usable:
            return
        plans = [(params.steps, 0.0)]
        if master.cuts:
            careful = params.careful_steps
            plans += [(careful, 0.0)] + [(careful, params.noise)] * params.noisy_dives
        end = self._clock.part(params.dive_share * self._clock.left())
        floor = self._incumbent.value
        coming = deque(
            (
                Dive(proof, floor, at_once=max(1, many // steps), noise=noise, seed=seed + k),
                self._clock if steps == params.steps else end,
            )
            for k, (steps, noise) in enumerate(plans)
        )
        self._divers.load(self._diving)
        begun: deque[tuple[Begun, Clock]] = deque()
        while (begun or coming) and not (self._out_of_time(proof) or end.over()):
            while coming and len(begun) < self._divers.count:
                dive, until = coming.popleft()
                begun.append((self._divers.begin(dive, self._incumbent.value, until), until))
            self._take(*begun.popleft())
        _drop(dive for dive, _ in begun)

    def _take(self, begun: Begun, until: Clock) -> bool:
        """Wait for a dive and keep what it found in its turn; return whether that is better."""
        descent = begun.result()
        plan, operations = descent.within(self._incumbent.value, Allowance.of(until).work)
        self._clock.spend(operations)
        return self._incumbent.offer(plan)

    def _refill(self, proof: Proof, solved: Solved, at_root: bool) -> None:
        """Dive from the incumbent until that is in vain too often.

        Dives that run at once are those that follow each other while they are in vain; once one
        is not, those after it begin anew from the better schedule.
        """
        diving, incumbent, params = self._diving, self._incumbent, self._params
        if diving is None or not diving.usable or incumbent.plan is None:
            return
        end = self._clock.part(params.refill_share * self._clock.left())
        most = params.stale_refills if at_root and not self._few else params.node_refills
        size, stale = min(params.refilled, (self._many + 1) / 2), 0
        most_jobs = max(size, params.most_refilled * self._many)

        def grown(size: float) -> float:
            return min(params.refill_growth * size, most_jobs)

        around = self._neighbourhoods(solved)
        self._divers.load(diving)
        begun: deque[Begun] = deque()
        while stale < most and not end.over() and not self._out_of_time(proof):
            ahead = [size]
            while len(ahead) < min(self._divers.count, most - stale):
                ahead.append(grown(ahead[-1]))
            for k in range(len(begun), len(ahead)):
                dive = self._next_refill(around, proof, self._refills + k, ahead[k])
                begun.append(self._divers.begin(dive, incumbent.value, self._clock))
            self._refills += 1
            if self._take(begun.popleft(), self._clock):
                stale = 0
                _drop(begun)
                begun.clear()
            else:
                stale += 1
                size = grown(size)
        _drop(begun)

    def _neighbourhoods(self, solved: Solved) -> Neighbourhoods:
        """Return what jobs are drawn from: the LP point of a node."""
        master = self._relaxation.master
        assert solved.outcome is not None
        weights = master.weights(solved.outcome)
        shares = {
            master.columns[p]: float(weights[p])
            for p in np.flatnonzero(weights > FRACTIONAL).tolist()
        }
        return Neighbourhoods(master.space, shares, self._params.diving)

    def _next_refill(self, around: Neighbourhoods, proof: Proof, number: int, size: float) -> Dive:
        """Return the dive of a number that schedules some jobs of the incumbent anew."""
        plan = self._incumbent.plan
        assert plan is not None
        jobs = around.draw(plan, math.ceil(size), np.random.default_rng(number))
        return Dive(
            proof,
            plan.value,
            at_once=self._params.refilled_at_once,
            plan=plan,
            loose=jobs,
        )

    def _local_search(self, proof: Proof) -> None:
        relaxation, incumbent, params = self._relaxation, self._incumbent, self._params
        prices = proof.units_at(relaxation.scale)
        affordable = max(1, params.search_operations // self._search.operations)
        iterations = min(params.search_iterations, affordable)
        for most in params.removed:
            if self._out_of_time(proof):
                return
            incumbent.offer(
                self._search.improve(
                    incumbent.plan,
                    prices,
                    seed=self._searches,
                    iterations=iterations,
                    most=most,
                )
            )
            self._clock.spend(iterations * self._search.operations)
            self._searches += 1


def _drop(dives: Iterable[Begun]) -> None:
    for dive in dives:
        dive.drop()


__all__ = ["Heuristics"]
