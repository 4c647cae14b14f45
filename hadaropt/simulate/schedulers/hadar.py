"""Hadar as it is deployed: all unfinished jobs are planned again in every round.

Source: Hadar (IPDPS 2024; arXiv 2503.10918). What it leaves open is decided here: the constants of
the prices are taken from the queue of the round, the value of an allocation is that of completing
when the job would if it kept it, and placement on nodes follows after the pooled decision.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.rounds.beam import beam_round
from hadaropt.kernels.rounds.leftovers import fill_leftovers
from hadaropt.kernels.rounds.priced import priced_round
from hadaropt.simulate.placement import place_gangs
from hadaropt.simulate.problem import Placement
from hadaropt.simulate.schedulers.exact_round import best_round
from hadaropt.simulate.schedulers.gains import Gains
from hadaropt.simulate.schedulers.worth import Aim, Worth
from hadaropt.simulate.standstill import without_standstill
from hadaropt.simulate.view import RoundView

Ints = npt.NDArray[np.int64]

MOST_CELLS = 2 * 10**7
MOST_STATES = 10**6
"""Jobs x states, and states, beyond which the dynamic program keeps its best `BEAM` states."""
BEAM = 32


class Hadar:
    """Take-or-skip over the queue at prices that rise as the round fills, or the exact optimum.

    Parameters
    ----------
    allocator : {"price", "exact"}
        ``price``: FIND_ALLOC at exponential prices k_r(g) = L (U_r / L)^(g / C_r) with U_r the
        largest value per GPU and L the smallest value / (4 sum C), both over the queue, and a
        dynamic program over the queue; on large clusters a beam search over the queue, densest
        jobs first. ``exact``: the multiple-choice knapsack of the round, solved
        to optimality on the values rounded to `VALUE_BITS`.
    aim : {"utility", "makespan", "finish_time_fairness"}
        What an allocation is worth (see `Worth`): the jobs' own utilities, or an aim of the whole
        run.
    beam : bool
        Take the beam search on every cluster: much faster where many jobs wait.
    backfill : bool
        Give GPUs that nobody was worth their price to the jobs left over, by value per GPU. Without
        it GPUs idle beside waiting jobs when the last ones are dear.
    """

    def __init__(
        self,
        allocator: Literal["price", "exact"] = "price",
        *,
        aim: Aim = "utility",
        backfill: bool = True,
        beam: bool = False,
    ) -> None:
        self._exact, self._backfill = allocator == "exact", backfill
        self._worth = Worth(aim)
        self._gains = Gains()
        self.name = "hadar:exact" if self._exact else "hadar"
        self._beam = beam
        if beam:
            self.name += ":beam"
        if aim != "utility":
            self.name += f":{aim}"
        if not backfill:
            self.name += ":strict"

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        capacity = np.array(view.problem.cluster.pooled_capacity, np.int64)
        queue = view.queue
        gain, gang = self._gains.of(view)
        worth = self._worth.of(view, gain)
        if self._exact:
            taken = best_round(capacity, gang, worth, view.problem.mixing)
        else:
            taken = _priced(view, capacity, gang, worth, gain, beam=self._beam)
        if self._backfill:
            fill_leftovers(capacity, gang, worth, gain, view.problem.mixing, taken)
        runs = np.flatnonzero(taken.any(axis=1))
        wanted = {
            queue[i].index: tuple(row)
            for i, row in zip(runs.tolist(), taken[runs].tolist(), strict=True)
        }
        return without_standstill(view, place_gangs(view.problem, wanted, view.held))


def _priced(
    view: RoundView, capacity: Ints, gang: Ints, worth: Ints, gain: Ints, *, beam: bool
) -> Ints:
    best = worth.max(axis=1, initial=0)
    if not best.any():
        return np.zeros_like(worth)
    low = max(1, int(best[best > 0].min()) // (4 * int(capacity.sum())))
    states = math.prod(int(c) + 1 for c in capacity)
    beam = beam or states > MOST_STATES or len(worth) * states > MOST_CELLS
    most = int(capacity.max())  # the dynamic program numbers its states by the whole capacity
    if beam:
        most = min(most, int(gang.sum()))
    price = np.zeros((len(capacity), most + 1), np.int64)
    for r, count in enumerate(capacity.tolist()):
        high = int((-(-worth[:, r] // gang)).max())
        if count and high:
            steep = math.log(max(1.0, high / low))
            used = range(min(count, most) + 1)
            price[r, : len(used)] = [math.ceil(low * math.exp(steep * g / count)) for g in used]
    problem = capacity, gang, worth, gain, price, view.problem.mixing
    if not beam:
        return priced_round(*problem)[0]
    densest = np.argsort(-(best / gang), kind="stable")
    return beam_round(*problem, densest, BEAM)[0]
