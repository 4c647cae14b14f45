"""Dives: fix columns of an LP point, those of large gangs first, and price the rest anew.

A large gang fits into few holes, a small one into almost all: to settle the large ones while the
LP still has a choice costs least. Only columns that fit beside what is fixed are priced. To improve
a schedule, most of it is fixed, and a dive fills the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from hadaropt.exact import MAX_COUNT
from hadaropt.mip.model import Floats, Ints
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.cut_row import Cut
from hadaropt.offline.colgen.plan import Plan, place
from hadaropt.offline.colgen.pricing_data import closed_sets
from hadaropt.offline.colgen.pricing_problem import Column, Limits
from hadaropt.offline.heuristics.dive import Allowance, Descent, Dive, ends
from hadaropt.offline.heuristics.params import DivingParams
from hadaropt.tolerances import FRACTIONAL


class Diving:
    """Dives from LP points of a relaxation, and searches large neighbourhoods by dives.

    Parameters
    ----------
    relaxation : Relaxation
        Its pricing is used, its master is not changed; cuts that it is given later are left out.
    columns : sequence of Column
        To begin each dive with; kept as ``first``.
    params : DivingParams, optional
    """

    def __init__(
        self,
        relaxation: Relaxation,
        columns: Sequence[Column],
        params: DivingParams | None = None,
    ) -> None:
        self.params = params = DivingParams() if params is None else params
        self.space = space = relaxation.space
        self.first = list(columns)
        self._whole = relaxation.with_own_master([])
        self.relaxation = relaxation
        """Of the present dive, with a master of its own."""
        sets = closed_sets(space, params.most_sets)
        self.usable = bool(sets)
        """Whether there are dives: not where Hall's condition takes too many sets of cells."""
        counts = [sum(space.capacity[c] for c in cells) for cells in sets]
        self._free = np.tile(np.array(counts, np.int64), (space.instance.num_rounds, 1))
        self._within = [
            [q for q, cells in enumerate(sets) if cells.issuperset(kind.cells)]
            for kind in space.classes
        ]
        self._gang = np.array([job.gang_size for job in space.jobs], np.int64)
        # The ways of every round of every job, for which only the room decides.
        pricing = relaxation.pricing
        at, way = [], []
        for i, job in enumerate(space.jobs):
            if job.copies is None:
                rounds = np.arange(pricing.round_at[i], pricing.round_at[i + 1])
                ways = np.arange(pricing.way_at[i], pricing.way_at[i + 1])
                at.append(np.repeat(rounds, len(ways)))
                way.append(np.tile(ways, len(rounds)))
        self._at = np.concatenate([np.zeros(0, np.int64), *at])
        ways_at = np.concatenate([np.zeros(0, np.int64), *way])
        self._job = np.repeat(np.arange(len(space.jobs)), pricing.rounds)
        self._round = pricing.release[self._job] + np.arange(len(self._job))
        self._round -= pricing.round_at[self._job]
        self._option, self._class = pricing.way_option[ways_at], pricing.way_class[ways_at]
        self._priced = np.zeros(len(self._job), np.bool_)
        self._priced[self._at] = True

    @property
    def cuts(self) -> list[Cut]:
        """The cuts that guide it."""
        return self._whole.master.cuts

    def descend(
        self,
        dive: Dive,
        value: Fraction,
        allowance: Allowance,
        *,
        stop: Callable[[], bool] = lambda: False,
    ) -> Descent:
        """Dive; the plan of the answer, if it has one, is worth more than ``value``.

        Parameters
        ----------
        dive : Dive
        value : Fraction
            The dive ends as soon as it can lead to nothing better.
        allowance : Allowance
        stop : callable, optional
            () -> whether to give up, asked after every step.
        """
        seconds = None if allowance.seconds == math.inf else allowance.seconds
        clock = Clock(seconds, MAX_COUNT)  # counts the work, and ends with the seconds
        steps: list[tuple[int, Fraction | None]] = []
        plan = None
        state = self._begin(dive)
        if state is not None:
            random = np.random.default_rng(dive.seed)
            plan = self._down(state, dive, value, allowance.work, clock, random, steps, stop)
        return Descent(plan, tuple(steps), clock.operations())

    def _begin(self, dive: Dive) -> _State | None:
        """Return what is fixed at the beginning; None if it does not fit."""
        plan = dive.plan
        if plan is None:
            self.relaxation = self._whole.with_own_master(self.first)
            return _State(self, self.relaxation.pricing.no_limits())
        loose = set(dive.loose)
        columns = [column for column in self.first if column.job in loose]
        columns += plan.columns.values()
        self.relaxation = self._whole.with_own_master(columns)
        state = _State(self, self.relaxation.pricing.no_limits())
        for i in range(len(self.space.jobs)):
            if i not in loose:
                column = plan.columns.get(i)
                if column is None:
                    state.idle(i)
                elif not state.fix(column):
                    return None
        state.restrict()
        return state

    def _down(
        self,
        state: _State,
        dive: Dive,
        value: Fraction,
        work: float,
        clock: Clock,
        random: np.random.Generator,
        steps: list[tuple[int, Fraction | None]],
        stop: Callable[[], bool],
    ) -> Plan | None:
        master, proof = self.relaxation.master, dive.proof
        while True:
            solved = self.relaxation.converge(
                state.limits,
                incumbent=dive.floor,
                clock=clock,
                start=proof,
                smoothing=0.0,
                most=self.params.lps,
            )
            bound = solved.proof.bound
            if bound is not None:
                bound = self.space.instance.round_down(bound)
            steps.append((clock.operations(), bound))
            if solved.status != "converged" or solved.outcome is None:
                return None
            if ends(*steps[-1], value, work) or stop():
                return None
            weights, proof = master.weights(solved.outcome), solved.proof
            used = [
                p
                for p in np.flatnonzero(weights > FRACTIONAL).tolist()
                if master.columns[p].completion >= 0
            ]
            open_columns = [
                p
                for p in used
                if weights[p] < 1 - FRACTIONAL and master.columns[p].job not in state.fixed
            ]
            if not open_columns:
                most = {master.columns[p].job: p for p in sorted(used, key=lambda p: weights[p])}
                plan = place(self.space, [master.columns[p] for p in most.values()])
                return plan if plan is not None and plan.value > value else None
            gangs = self._gang[[master.columns[p].job for p in open_columns]]
            score = weights[open_columns] * gangs**self.params.gang_exponent
            if dive.noise > 0:
                score *= np.exp(dive.noise * random.standard_normal(len(score)))
            self._fix(state, weights, np.array(open_columns)[np.argsort(-score)], dive.at_once)
            state.restrict()

    def _fix(self, state: _State, weights: Floats, order: Ints, at_once: int) -> None:
        """Fix columns in an order, the first that fits and then those of large shares."""
        count = 0
        for p in order.tolist():
            column = self.relaxation.master.columns[p]
            if count > 0 and weights[p] < self.params.share:
                break
            if column.job not in state.fixed and state.fix(column):
                count += 1
                if count == at_once:
                    break


class _State:
    """What is fixed so far."""

    def __init__(self, diving: Diving, limits: Limits) -> None:
        self._of, self.limits = diving, limits
        self._widest = limits.high.copy()
        self.free = diving._free.copy()
        self.fixed: set[int] = set()
        self._open = np.ones(len(diving.space.jobs), np.bool_)

    def idle(self, i: int) -> None:
        """Let a job do nothing."""
        at = self._of.relaxation.pricing.round_at
        self.limits.low[at[i] : at[i + 1]] = self.limits.high[at[i] : at[i + 1]] = 0
        self.fixed.add(i)
        self._open[i] = False

    def fix(self, column: Column) -> bool:
        """Fix a column if it fits, else forbid what does not; return whether it fits."""
        of, limits, i = self._of, self.limits, column.job
        release = of.space.jobs[i].release
        first = int(of.relaxation.pricing.round_at[i]) - release
        for t, option, content, _ in column.rounds:
            needed = np.zeros(self.free.shape[1], np.int64)
            for kind, units in content:
                needed[of._within[kind]] += units
            if (self.free[t] < needed).any():
                # Of copies, what fits is not known before: ask for less progress.
                self._widest[first + t] = min(self._widest[first + t], option - 1)
                return False
        self.idle(i)
        for t, option, content, _ in column.rounds:
            limits.low[first + t] = limits.high[first + t] = option
            for kind, units in content:
                self.free[t, of._within[kind]] -= units
        limits.must[i] = True
        limits.begin[i] = limits.end[i] = column.completion - release
        return True

    def restrict(self) -> None:
        """Forbid the options of the other jobs for which there is no room any more."""
        of = self._of
        room = np.stack([self.free[:, within].min(axis=1) for within in of._within], axis=1)
        job = of._job[of._at]
        fits = room[of._round[of._at], of._class] >= of._gang[job]
        high = np.where(of._priced, 0, self._widest)
        np.maximum.at(high, of._at[fits], of._option[fits])
        loose = self._open[of._job]
        self.limits.high[loose] = np.minimum(high, self._widest)[loose]


__all__ = ["Diving"]
