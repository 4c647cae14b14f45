"""Better schedules at a node of branch-and-price: local search, dives, restricted programs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof, Relaxation, Solved
from hadaropt.offline.colgen.pricing_problem import Column
from hadaropt.offline.heuristics.dive import Dive
from hadaropt.offline.heuristics.dive_queue import DiveQueue
from hadaropt.offline.heuristics.divers import Divers, OneDiver
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
        self._many = len(relaxation.space.jobs)
        self._few = self._many <= self._params.few_jobs
        who: Divers = OneDiver()
        long = clock.left() >= self._params.divers_from and bool(self._search.sets)
        if divers is not None and long and not self._few:
            who = divers
            divers.start()
        self._dives = DiveQueue(incumbent, clock, self._params, who, self._many)
        # Other processes may still be loading.
        self._quick = DiveQueue(incumbent, clock, self._params, OneDiver(), self._many)
        self._first: list[Column] = []
        self._root: Proof | None = None
        self._begin = clock.operations()

    def run(self, proof: Proof, solved: Solved, at_root: bool, *, seed: int) -> None:
        """Look for better schedules from the LP point of a node.

        Where jobs are not few and cuts are in, dives follow at every `turn`.
        """
        cuts = bool(self._relaxation.master.cuts)
        if self._few:
            self._local_search(proof)
        if at_root or cuts:
            self._aim(proof, solved, at_root, seed)
        if at_root and (self._few or not cuts):
            self._dive(proof, self._dives if cuts else self._quick)
        if self._incumbent.value == 0 and not self._few:
            self._local_search(proof)
        if self._few and cuts:
            self._refill(proof)
        else:
            self.turn()
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

    def _aim(self, proof: Proof, solved: Solved, at_root: bool, seed: int) -> None:
        """Dive from the LP point of a node from now on."""
        relaxation, params = self._relaxation, self._params
        given: list[Dive] = []
        if at_root:
            cost = self._reduced_costs(solved)
            best = np.argsort(-cost, kind="stable")[: params.first_columns * self._many].tolist()
            self._first = [relaxation.master.columns[p] for p in best]
            # Quickly at first, with care when cuts are in.
            plans = [(params.steps, 0.0)]
            if relaxation.master.cuts:
                careful = params.careful_steps
                plans += [(careful, 0.0)] + [(careful, params.noise)] * params.noisy_dives
            given = [
                Dive(
                    proof,
                    self._incumbent.value,
                    at_once=max(1, self._many // steps),
                    noise=noise,
                    seed=seed + k,
                )
                for k, (steps, noise) in enumerate(plans)
            ]
        diving = Diving(relaxation, self._first, params.diving)
        if not diving.usable:
            return
        if relaxation.master.cuts:
            self._dives.aim(diving, proof, self._neighbourhoods(solved), given)
            self._root = proof if at_root else self._root
        else:  # dives from the incumbent do better when cuts guide them
            self._quick.aim(diving, proof, None, given)

    def _dive(self, proof: Proof, dives: DiveQueue) -> None:
        """Tell the dives from the LP point of the root."""
        end = self._clock.part(self._params.dive_share * self._clock.left())
        until = self._clock
        while dives.given and not (self._out_of_time(proof) or end.over()):
            dives.take(until)
            until = end
        dives.skip_given()

    def _refill(self, proof: Proof) -> None:
        """Dive from the incumbent until that is in vain too often."""
        end = self._clock.part(self._params.refill_share * self._clock.left())
        self._dives.stale = 0
        while self._dives.stale < self._params.node_refills and not (
            end.over() or self._out_of_time(proof)
        ):
            if not self._dives.take():
                return

    def turn(self) -> None:
        """Tell dives until they have had their share of the work so far; begin the next ones.

        Dives in other processes go on while this one does other work.
        """
        if self._few or self._root is None:
            return
        params, dives = self._params, self._dives
        while not self._out_of_time(self._root):
            share = params.work_share if dives.stale < params.stale_refills else params.stale_share
            done = self._clock.operations() - self._begin
            if dives.operations >= share * done or not dives.take():
                dives.ahead()
                return
        dives.drop()

    def rest(self) -> None:
        """Let nobody wait for what dives have begun."""
        self._dives.drop()

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
                    # The first builds a schedule at the prices of the LP, better than most starts.
                    incumbent.plan if self._searches else None,
                    prices,
                    seed=self._searches,
                    iterations=iterations,
                    most=most,
                )
            )
            self._clock.spend(iterations * self._search.operations)
            self._searches += 1


__all__ = ["Heuristics"]
