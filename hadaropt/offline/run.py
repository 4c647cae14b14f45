"""One call of `solve`: what it holds, and the actions that its phases take."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import cast

from hadaropt.errors import LimitError
from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.modes.plans import MAX_UNITS
from hadaropt.offline.compact.solve import CLAIM_TOLERANCE, solve_ilp
from hadaropt.offline.contradiction import breach
from hadaropt.offline.first_schedule import first_schedule
from hadaropt.offline.heuristics.divers import Divers
from hadaropt.offline.known import no_waiting_bound, zero_prices
from hadaropt.offline.lagrangian.bound import Lagrangian
from hadaropt.offline.lagrangian.workers import Workers
from hadaropt.offline.lns.ejection_chains import EjectionSearch
from hadaropt.offline.monitor import Monitor, Progress
from hadaropt.offline.params import SolveParams
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.pricing import dual_bound
from hadaropt.results import Result, Status, Termination, Timings, best_known
from hadaropt.schedule import Schedule

ENDLESS = 1 << 62
"""Ejection chains where a limit ends the search."""


class Run:
    """A solve under way.

    Parameters
    ----------
    instance : Instance
    monitor : Monitor
        Keeps the best schedule and the best bound.
    params : SolveParams
    target_gap : float
    seed : int
        Of the search.
    start : Schedule or None
        Feasible.
    workers : Workers
        Who prices the jobs of the dual.
    divers : Divers
        Who dives.

    Attributes
    ----------
    jobs, cells : int
        Jobs of the instance, and jobs x rounds.
    tiny, small, medium, diving, checked : bool
        Size of the instance by ``params``. Each of the first three holds where the one before it
        does; a diving instance is a medium one.
    limited : bool
        Whether time or work is limited.
    by_node : bool
        Whether nodes matter to some job.
    too_large : bool
        Branch-and-price was tried and cannot list the ways to run a job.
    closed : bool
        Branch-and-price has run: no phase can do more.
    trouble : Exception or None
        What went wrong while the best answer was gathered after Ctrl-C.
    """

    def __init__(
        self,
        instance: Instance,
        monitor: Monitor,
        params: SolveParams,
        *,
        target_gap: float,
        seed: int,
        start: Schedule | None,
        workers: Workers,
        divers: Divers,
    ) -> None:
        self.instance, self.monitor, self.params = instance, monitor, params
        self.start, self._seed, self._target_gap = start, seed, target_gap
        self._workers, self._divers = workers, divers
        self.trouble: Exception | None = None
        self.relaxation: Lagrangian | None = None
        self.search: EjectionSearch | None = None
        self.nodes, self.too_large, self.closed = 0, False, False
        self.limited = monitor.clock.limited
        self.by_node = not is_pooled(instance)
        self.jobs = jobs = len(instance.jobs)
        self.cells = cells = jobs * instance.num_rounds
        self.medium = jobs <= params.medium_jobs and cells <= params.medium_cells
        self.small = jobs <= params.small_jobs and cells <= params.medium_cells
        self.tiny = self.small and jobs <= params.tiny_jobs
        self.diving = self.medium and cells <= params.diving_cells
        self.checked = cells <= params.checked_cells

    def start_divers(self) -> None:
        """Let processes that will dive load already, while there is no dive yet."""
        params = self.params.tree.heuristics
        long = self.monitor.left() >= params.divers_from
        if self.diving and long and self.jobs > params.few_jobs and not self.by_node:
            self._divers.start()

    # The phases. The share is that of the limit which may be used up when a phase ends.

    def first_schedule(self, _: float) -> None:
        """Offer the schedule that takes milliseconds."""
        self.monitor.offer(first_schedule(self.instance))

    def first_bound(self, share: float) -> None:
        """Begin the dual search; without a limit, small instances get one evaluation."""
        self.relaxation = Lagrangian(
            self.instance,
            clock=self.monitor.clock,
            params=self.params.lagrangian,
            workers=self._workers,
        )
        seconds = 0.0 if self.small and not self.limited else self.monitor.left(share)
        self._improve_bound(self.relaxation, seconds, settle=False)

    def bound(self, share: float) -> None:
        """Go on with the dual search."""
        assert self.relaxation is not None  # its first phase always runs
        monitor = self.monitor
        if self.too_large:
            share += monitor.clock.spent()  # what branch-and-price has used up in vain
        # To set up the tables of a large instance may take that share alone.
        seconds = max(monitor.left(share), share * max(0.0, monitor.left() - self._reserve()))
        if self.small and not (self.limited or self.too_large):
            seconds = self.params.small_bound_seconds
        self._improve_bound(self.relaxation, seconds)

    def greedy(self, _: float) -> None:
        """Insert the jobs at the best prices known."""
        assert self.relaxation is not None  # its first phase always runs
        if self.search is None:
            self.search = EjectionSearch(
                self.instance, self.relaxation, self._seed, params=self.params.lns
            )
        else:
            self.search.take_prices(self.relaxation)
        if self.search.value == 0 or not self.search.many:
            self.search.greedy()
        self.monitor.announce(self.search.exact_value())

    def build(self, share: float) -> None:
        """Insert the jobs in batches, at prices that follow what is left."""
        search, monitor = self.search, self.monitor
        assert search is not None  # the greedy phase made it
        seconds = monitor.left(share) - self._reserve() if self.limited else math.inf
        search.build(seconds, self._stop(search))
        monitor.announce(search.exact_value())

    def chains(self, share: float) -> None:
        """Improve the best schedule by ejection chains."""
        search, monitor = self.search, self.monitor
        assert search is not None  # the greedy phase made it
        monitor.report()
        if monitor.value > search.exact_value():
            search.load(monitor.schedule)
        seconds, chains = math.inf, self.params.chains_per_job * self.jobs
        if self.limited:
            seconds, chains = monitor.left(share) - self._reserve(), ENDLESS
        search.run(seconds=seconds, iterations=chains, stop=self._stop(search))

    def branch_and_price(self, _: float) -> None:
        """Run branch-and-price to the end; note whether the instance is too large for it."""
        monitor = self.monitor
        self.keep_schedule()
        self.search = None

        def callback(progress: Progress) -> bool:
            monitor.announce(progress.value, progress.bound)
            return monitor.stopped

        try:
            found = branch_and_price(
                self.instance,
                clock=monitor.clock,
                target_gap=self._target_gap,
                start=monitor.schedule,
                callback=callback,
                others=self._divers,
                params=self.params.tree,
            )
        except Exception as error:
            known = best_known(error)
            if known is not None:
                monitor.mute()
                self._keep_tree(known)
            raise
        self.nodes, self.too_large = found.nodes, found.termination == Termination.TOO_LARGE
        if self.too_large:
            return
        if found.termination == Termination.INTERRUPTED:
            monitor.mute()
        elif self.small and found.prices is not None:
            # Prices alone, where they suffice, are a simpler proof than a tree.
            plain = dual_bound(self.instance, found.prices).value
            monitor.prove(self.instance.round_down(plain, quick=True), found.prices)
        self._keep_tree(found)
        if found.termination == Termination.INTERRUPTED:
            raise KeyboardInterrupt
        self.closed = True

    def compact_program(self, share: float) -> None:
        """Try the compact integer program; where it cannot hold the instance, do nothing."""
        clock = self.monitor.clock
        seconds = min(self.params.check_seconds, clock.left(share))
        try:
            found = solve_ilp(self.instance, clock=clock.part(seconds))
        except LimitError:
            return
        self._take(found)

    # What the phases share.

    def _improve_bound(self, relaxation: Lagrangian, seconds: float, settle: bool = True) -> None:
        """Run the dual search, which keeps what it has when it is interrupted."""
        termination = relaxation.run(seconds=seconds, settle=settle)
        self.keep_bound()
        if termination == "interrupted":
            raise KeyboardInterrupt

    def _reserve(self) -> float:
        """Return about how long it takes to make and check the best schedule at the end."""
        if self.search is None or self.monitor.left() == math.inf:
            return 0.0
        return self.search.export_seconds()

    def _stop(self, search: EjectionSearch) -> Callable[[], bool]:
        """Return a function that announces better values now and then, and says when to stop."""
        monitor = self.monitor
        announced = [monitor.clock.seconds(), search.value]

        def stop() -> bool:
            now = monitor.clock.seconds()
            if search.value > announced[1] and now >= announced[0] + max(1.0, 0.02 * now):
                announced[:] = [now, search.value]
                monitor.announce(search.exact_value())
            return monitor.done()

        return stop

    def _keep_tree(self, found: Result) -> None:
        if found.schedule is not None:
            self.monitor.offer(found.schedule)
        assert isinstance(found.bound, Fraction)  # the method proves its bounds
        self.monitor.prove(found.bound, found.prices, found.branching_tree)

    def _take(self, found: Result) -> None:
        """Keep a schedule of the compact program, and the bound that its prices alone prove."""
        if found.schedule is not None:
            self.monitor.offer(found.schedule)
        if found.termination == Termination.INTERRUPTED:
            raise KeyboardInterrupt
        if found.prices is not None:
            # The solver's own bound proves nothing.
            try:
                plain = dual_bound(self.instance, found.prices).value
            except LimitError:  # nor do prices for which the tables are too small
                return
            self.monitor.prove(self.instance.round_down(plain, quick=True), found.prices)

    # The answer.

    @property
    def checks_by_default(self) -> bool:
        """Whether the cross-check takes little time: few cells, and few units of progress."""
        longest = max((job.iterations for job in self.instance.jobs), default=0)
        return self.checked and longest <= MAX_UNITS

    def keep_start(self) -> None:
        """Offer the schedule to start from."""
        if self.start is not None:
            self.monitor.offer(self.start)

    def keep_bound(self) -> None:
        """Keep the best bound of the dual search."""
        relaxation = self.relaxation
        if relaxation is not None and relaxation.bound is not None:
            bound = self.instance.round_down(relaxation.bound, quick=True)
            self.monitor.prove(bound, relaxation.prices())

    def keep_some_bound(self) -> None:
        """Let every job complete at its release, if nothing else is known yet."""
        if self.monitor.bound is None:
            self.monitor.prove(no_waiting_bound(self.instance), zero_prices(self.instance))

    def keep_schedule(self) -> None:
        """Keep the best schedule of the search."""
        if self.search is not None and self.search.value > 0:
            self.monitor.offer(self.search.schedule())

    def best(self, termination: Termination) -> Result:
        """Return the best answer known, whatever ended the solve."""
        self.monitor.mute()
        for keep in (self.keep_start, self.keep_bound, self.keep_schedule, self.keep_some_bound):
            try:
                keep()
            except KeyboardInterrupt:
                continue  # whoever presses again after a while is in a hurry
            except Exception as error:
                self.trouble = self.trouble or error
        return self.result(termination)

    def cross_check(self) -> None:
        """Compare with the compact integer program, solved independently.

        Raises
        ------
        InvariantError
            If the two disagree.
        """
        monitor = self.monitor
        monitor.phase = "check"
        clock = monitor.clock.part(self.params.check_seconds, least=1.0)
        other = solve_ilp(self.instance, clock=clock)
        self._take(other)
        # The solver cannot tell apart values that are closer than its tolerance.
        least = monitor.value * (1 - Fraction(CLAIM_TOLERANCE))
        if (
            other.status == Status.SOLVER_OPTIMAL
            and other.value is not None
            and other.value < least
        ):
            breach(
                f"the compact program calls {other.value} optimal, but a schedule is worth "
                f"{monitor.value}",
                self.instance,
                monitor.schedule,
            )

    def by_compact_program(self, limit: LimitError) -> Result:
        """Return the answer of the compact program where the tables of pricing are too small.

        Raises
        ------
        LimitError
            If the compact program cannot hold the instance either.
        """
        monitor = self.monitor
        try:
            found = solve_ilp(self.instance, clock=monitor.clock, start=monitor.schedule)
        except LimitError as other:
            raise LimitError(f"{limit}, but: {other}") from other
        reason = f"compact program, since {limit}: {found.raw_status}"
        value = found.value
        bound = found.bound if isinstance(found.bound, Fraction) else None
        history = (*monitor.history, (monitor.seconds(), value, bound))
        return replace(found, method="auto", raw_status=reason, history=history)

    def result(self, ended: Termination | None = None) -> Result:
        """Return the answer; ``ended`` says what ended the solve if it did not end by itself."""
        monitor = self.monitor
        if monitor.proved:
            termination = Termination.OPTIMAL
        elif ended is not None:
            termination = ended
        elif monitor.close:
            termination = Termination.TARGET_GAP
        elif monitor.stopped:
            termination = Termination.STOPPED
        elif monitor.clock.over():
            termination = monitor.clock.reached()
        else:
            termination = Termination.SEARCH_LIMIT
        facts = []
        if self.relaxation is not None:
            facts.append(f"{self.relaxation.search.evaluations} evaluations of the dual")
        if self.search is not None:
            facts.append(f"{self.search.iterations} ejection chains")
        if self.too_large:
            facts.append("too large for branch-and-price")
        if self.nodes:
            facts.append(f"{self.nodes} nodes")
        return Result(
            method="auto",
            termination=termination,
            status=Status.PROVED if monitor.proved else Status.FEASIBLE,
            value=monitor.value,
            bound=monitor.bound,
            schedule=monitor.schedule,
            prices=monitor.prices,
            raw_status=", ".join(facts),
            timings=Timings(0.0, monitor.seconds(), 0.0),
            nodes=self.nodes,
            branching_tree=cast("Mapping[str, object] | None", monitor.tree),
            history=tuple(monitor.history),
        )


__all__ = ["Run"]
