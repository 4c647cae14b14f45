"""Large-neighbourhood search: greedy insertion at prices, then annealed ejection chains."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from hadaropt.instance import Instance
from hadaropt.offline.lagrangian.bound import Lagrangian
from hadaropt.offline.lns.batch_insertion import Resolving, orders
from hadaropt.offline.lns.insertion import Insertion
from hadaropt.offline.lns.params import LnsParams
from hadaropt.schedule import Schedule, check_schedule

CHAIN_INSERTIONS = 4
"""Insertions that an ejection chain counts for in a limit of work."""


class EjectionSearch:
    """A schedule that is improved; the best one is kept.

    Parameters
    ----------
    instance : Instance
    relaxation : Lagrangian
        Gives the prices that guide the search.
    seed : int
    params : LnsParams, optional
    """

    def __init__(
        self,
        instance: Instance,
        relaxation: Lagrangian,
        seed: int = 0,
        params: LnsParams | None = None,
    ) -> None:
        params = LnsParams() if params is None else params
        self._params, self._batches = params.chains, params.batches
        self.instance, self._relaxation, self._seed = instance, relaxation, seed
        self._clock = relaxation.clock
        self.state = Insertion(instance, relaxation.units, params.chains, relaxation.params)
        self._resolving = Resolving(self.state, relaxation, params.batches)
        self._orders = orders(self.state, seed, params.batches.noise)
        self.iterations, self._built = 0, False
        self._chunk = params.chains.first_chunk
        self._saved = self.state.save()
        self._best = 0
        self._exact = Fraction(0)
        self._counted = np.zeros(len(self.state.table), np.int64)

    def take_prices(self, relaxation: Lagrangian) -> None:
        """Take the best prices that are known by now."""
        self.state.set_prices(relaxation.units)
        self.state.restore(self._saved)

    @property
    def value(self) -> int:
        """Worth of the best schedule, times scale (rounded up)."""
        return self._best

    @property
    def many(self) -> bool:
        """Whether there are so many jobs that every pass over them counts."""
        return len(self.state.table) > self._params.many_jobs

    def export_seconds(self) -> float:
        """Return about how long it takes to make and check the best schedule.

        Nothing where work is counted: it takes as much whatever the search does.
        """
        saved = self._saved
        if self._clock.counts or not len(saved.store):
            return 0.0
        every = max(1, len(saved.store) // self._params.export_sample)
        some = np.arange(len(saved.finish)) % every == 0

        def timed(which: npt.NDArray[np.bool_]) -> float:
            begin = self._clock.seconds()
            sample = saved._replace(finish=np.where(which, saved.finish, 0))
            check_schedule(self.instance, self.state.schedule(sample))
            return self._clock.seconds() - begin

        fixed, seconds = timed(np.zeros_like(some)), timed(some)
        entries = int(saved.size[some & (saved.finish > 0)].sum())
        share = max(1, entries) / len(saved.store)
        return self._params.export_slack * (fixed + max(0.0, seconds - fixed) / share)

    def exact_value(self) -> Fraction:
        """Return the exact value of the best schedule; only what has changed is computed anew.

        The schedule itself may be worth more: a job may be done before its plan says so.
        """
        finish, index = self._saved.finish, self.state.table.index
        for row in np.flatnonzero(finish != self._counted).tolist():
            j = int(index[row])
            before = self.instance.jobs[j].release - 1
            for flow_time, sign in ((int(self._counted[row]), -1), (int(finish[row]), 1)):
                if flow_time > 0:
                    self._exact += sign * self.instance.value(j, before + flow_time)
        self._counted = finish
        return self._exact

    def schedule(self) -> Schedule:
        """Return the best schedule."""
        return self.state.schedule(self._saved)

    def greedy(self) -> None:
        """Build schedules by insertion at the prices, in two orders, and keep the best.

        Of very many jobs only in one: `build` is much better.
        """
        jobs = self.state.jobs
        keys = (jobs.density, jobs.payoff / (jobs.gang * np.maximum(1, jobs.need)))
        for key in keys[: 1 if self.many else 2]:
            self.state.clear()
            self.state.insert(np.argsort(-key, kind="stable"), self.state.held.base)
            self._clock.spend(self.state.operations * len(key))
            self._keep()
        self.state.restore(self._saved)

    def build(self, seconds: float, stop: Callable[[], bool] = lambda: False) -> None:
        """Build schedules at prices that are corrected on the way, with ever more effort.

        Stops before a pass that would probably take longer than the time left, and after some
        passes of greatest effort. The first pass is always made; once it is late, as by `greedy`.
        """
        end, self._built = self._clock.part(seconds), True

        def late() -> bool:
            return end.over() or stop()

        pace = 0.0
        efforts = self._batches.efforts
        for effort in (*efforts, *efforts[-1:] * self._batches.more_passes):
            started = end.seconds()
            if pace > 0 and (late() or pace * effort.cost() > end.left()):
                break
            self._resolving.build(next(self._orders), effort, late)
            self._keep()
            pace = (end.seconds() - started) / effort.cost()
        self.state.restore(self._saved)

    def load(self, schedule: Schedule) -> None:
        """Go on from a feasible schedule if it is better than the best one."""
        self.state.load(schedule)
        self._keep()
        self.state.restore(self._saved)

    def run(
        self,
        *,
        seconds: float,
        iterations: int,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Improve until time or iterations are used up; `stop` is asked several times a second."""
        worths = self.state.held.value
        if not (worths > 0).any():
            return
        jobs, params = len(worths), self._params
        hottest = max(params.coolest, params.hottest * min(1, 1000 / jobs))
        if self._built:
            hottest = min(hottest, params.heat_per_gap * self._gap())
        heat = float(np.median(worths[worths > 0])) * hottest
        tries = max(1, min(params.tries, jobs // params.jobs_per_try))
        end = self._clock.part(seconds)
        last, done = 0.0, 0
        while not stop():
            share = max(done / iterations, last / seconds if seconds > 0 else 1.0)
            if share >= 1:
                break
            count = min(self._chunk, iterations - done)
            now_heat = heat * params.cooling**share
            self.state.improve(self._seed + self.iterations, count, now_heat, tries)
            self._clock.spend(count * CHAIN_INSERTIONS * self.state.operations)
            done += count
            self.iterations += count
            self._keep()
            now = end.seconds()
            if now - last < params.chunk_seconds / 2:
                self._chunk = 2 * count
            elif now - last > 2 * params.chunk_seconds:
                self._chunk = max(1, count // 2)
            last = now

    def _gap(self) -> float:
        """Return the relative gap between the best value and the bound."""
        bound, best = self._relaxation.bound, self._best
        if bound is None or best == 0:
            return math.inf
        return max(self._params.least_gap, float(bound * self.state.table.scale / best) - 1)

    def _keep(self) -> None:
        value = self.state.value
        if value > self._best:
            self._best, self._saved = value, self.state.save()
