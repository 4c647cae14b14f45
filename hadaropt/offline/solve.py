"""One door to the offline optimum: greedy, bound, search and exact, as the size demands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import cast

from hadaropt.errors import LimitError, check_type
from hadaropt.instance import Instance
from hadaropt.interrupts import interrupted_once
from hadaropt.modes import is_pooled
from hadaropt.modes.plans import MAX_UNITS
from hadaropt.offline.clock import Clock
from hadaropt.offline.compact.duals_to_prices import lattice_unit
from hadaropt.offline.compact.solve import CLAIM_TOLERANCE, solve_ilp
from hadaropt.offline.contradiction import answering, breach, is_foreign
from hadaropt.offline.first_schedule import first_schedule
from hadaropt.offline.known import alone, check_target_gap, checked_start, zero_prices
from hadaropt.offline.lagrangian.bound import Lagrangian
from hadaropt.offline.lns.ejection_chains import EjectionSearch
from hadaropt.offline.monitor import Callback, Monitor, Progress
from hadaropt.offline.spare import without_spare
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.pricing import dual_bound
from hadaropt.results import Result, Status, Termination, Timings, best_known
from hadaropt.schedule import Schedule

TINY_JOBS, SMALL_JOBS, MEDIUM_JOBS = 25, 60, 500
"""Up to the first, there is no search before branch-and-price; up to the third, a short one; up to
the second, branch-and-price may go on to the end where no time limit is given."""
MEDIUM_CELLS, DIVE_CELLS = 50_000, 12_000
"""Most jobs x rounds for branch-and-price, and for its dives to find more than ejection chains."""
WIDE_GAP = 0.005
"""Above this relative gap larger instances are seldom closed: ejection chains go on for longer."""
CHECKED_CELLS = 400
"""Most jobs x rounds for the cross-check with the compact integer program."""
CHECK_SECONDS = 20.0
COMPACT_SHARE = 0.5
"""Of the time, for the compact program where branch-and-price is too large for few jobs."""
CHAINS_PER_JOB = 100
"""Ejection chains, per job, where no time limit is given."""


@without_spare
def solve(
    instance: Instance,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    target_gap: float = 0.0,
    start: Schedule | None = None,
    callback: Callback | None = None,
    display: bool = False,
    cross_check: bool | None = None,
    seed: int = 0,
) -> Result:
    """Return the best schedule found and a proven bound on the optimum.

    First a schedule that takes a few milliseconds; then prices with a small D(k)
    (`lagrangian_bound`), insertion at these prices, greedily and at prices that follow what is
    left, ejection chains and, where the size allows it, branch-and-price from the best schedule.
    What is returned is always a checked schedule, its exact value, and an exact bound with the
    prices (or the branching tree) that prove it: `certify` makes a certificate of it.

    Ctrl-C returns what is known by then.

    Parameters
    ----------
    instance : Instance
    time_limit : float, optional
        Seconds. Without it, small instances are solved to the end, and large ones until a number
        of search steps that grows with the jobs.
    work_limit : int, optional
        Units of work, each about a millisecond (see `hadaropt.offline.clock`). The same instance,
        seed and limit give the same answer on every run. With both limits, whichever is reached
        first ends the solve.
    target_gap : float
        Stop once (bound - value) / max(1, value) is at most this.
    start : Schedule, optional
        A feasible schedule of this instance; the answer is never worse.
    callback : callable, optional
        Called with a `Progress` at every better value or bound; stops the solve by returning True
        (False or None: it goes on; anything else is a TypeError). What it raises is raised.
    display : bool
        Whether to write time, value, bound and gap on standard error.
    cross_check : bool, optional
        Whether to solve the compact integer program too and compare; by default where the instance
        is tiny.
    seed : int
        Of the search.

    Returns
    -------
    Result
        Method ``auto``. ``termination`` is ``optimal``, ``target_gap``, ``time_limit``,
        ``work_limit``, ``search_limit`` (large, and no limit), ``stopped`` (by the callback) or
        ``interrupted``. ``history`` is the anytime curve.

    Raises
    ------
    TypeError
        If ``instance`` is none, such as the path of one.
    ScheduleError
        If ``start`` is infeasible, or of another instance.
    InvariantError
        If proven facts contradict each other.

    Whatever is raised once the solve has begun (by the callback, for want of memory, a defect) has
    the attribute ``best_known``: the best answer so far, a Result. A defect leaves files that
    reproduce it: instance, start, schedule and traceback (attribute ``files``).

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job, solve
    >>> from hadaropt.utility import Linear
    >>> jobs = [Job(name, 0, 1, 1, {"V100": 1}, Linear(4, 1)) for name in "ab"]
    >>> result = solve(Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 2, round_seconds=1))
    >>> result.value, str(result.status)
    (Fraction(7, 1), 'proved')
    """
    check_type("instance", instance, Instance, "read one with hadaropt.read_instance")
    clock = Clock(time_limit, work_limit)
    check_target_gap(target_gap)
    run = _Run(instance, Monitor(instance, clock, target_gap, callback, display), seed, start)
    if start is not None:
        checked_start(instance, start)
    instance.check_size()
    with answering(run), interrupted_once():
        try:
            return run.answer(target_gap, cross_check)
        except KeyboardInterrupt:
            found = run.best(Termination.INTERRUPTED)
            if run.trouble is not None:
                raise run.trouble from None
            return found


class _Run:
    def __init__(
        self, instance: Instance, monitor: Monitor, seed: int, start: Schedule | None
    ) -> None:
        self.instance, self.monitor, self._seed = instance, monitor, seed
        self.start = start
        self.trouble: Exception | None = None
        self.relaxation: Lagrangian | None = None
        self.search: EjectionSearch | None = None
        self.nodes, self.too_large = 0, False
        jobs, cells = len(instance.jobs), len(instance.jobs) * instance.num_rounds
        self.small = jobs <= SMALL_JOBS and cells <= MEDIUM_CELLS
        self.medium = jobs <= MEDIUM_JOBS and cells <= MEDIUM_CELLS
        self.dives = self.medium and cells <= DIVE_CELLS
        self._unit = lattice_unit(instance)

    def answer(self, target_gap: float, cross_check: bool | None) -> Result:
        """Run all phases, and the cross-check; return the answer."""
        self._keep_start()
        try:
            self.all(not self.monitor.clock.limited, target_gap)
        except LimitError as limit:
            if is_foreign(limit):
                raise
            return self._compact(limit)
        self.keep_bound()
        self.keep_some_bound()
        self.keep_schedule()
        if cross_check is None:
            longest = max((job.iterations for job in self.instance.jobs), default=0)
            cells = len(self.instance.jobs) * self.instance.num_rounds
            cross_check = cells <= CHECKED_CELLS and longest <= MAX_UNITS
        if cross_check:
            self.cross_check()
        return self.result()

    def best(self, termination: Termination) -> Result:
        """Return the best answer known, whatever ended the solve."""
        self.monitor.mute()
        for keep in (self._keep_start, self.keep_bound, self.keep_schedule, self.keep_some_bound):
            try:
                keep()
            except KeyboardInterrupt:
                continue  # whoever presses again after a while is in a hurry
            except Exception as error:
                self.trouble = self.trouble or error
        return self.result(termination)

    def _compact(self, limit: LimitError) -> Result:
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

    def all(self, unlimited: bool, target_gap: float) -> None:
        """Run one phase after the other until the answer is good enough."""
        monitor = self.monitor
        monitor.phase = "greedy"
        monitor.offer(first_schedule(self.instance))
        monitor.phase = "bound"
        self.relaxation = relaxation = Lagrangian(self.instance, clock=monitor.clock)
        self._improve_bound(
            relaxation, 0.0 if self.small and unlimited else monitor.left(0.02), settle=False
        )
        if monitor.done():
            return
        if len(self.instance.jobs) <= TINY_JOBS and self.small:
            if not is_pooled(self.instance):
                # The first relaxation over nodes may take as long as the time allows.
                self._greedy()
                if not unlimited:
                    self._search(unlimited, 0.1)
            if monitor.done() or self._exact(unlimited, target_gap):
                return
            self._by_compact_program()
            if monitor.done():
                return
        self._greedy()
        monitor.phase = "bound"
        share = 0.05 if self.dives else 0.25 if self.medium else 0.4
        if self.too_large:
            share += monitor.clock.spent()
        # To set up the tables of a large instance may take that share alone.
        seconds = max(monitor.left(share), share * max(0.0, monitor.left() - self._reserve()))
        self._improve_bound(relaxation, 10.0 if unlimited and self.small else seconds)
        if monitor.done():
            return
        self._greedy()
        if monitor.done():
            return
        if not self.dives:
            self._build(unlimited, 0.35 if self.medium else 0.95)
        if monitor.done():
            return
        self._search(unlimited, 0.05 if self.dives else 0.4 if self.medium else 1.0)
        wide = monitor.progress().gap > WIDE_GAP
        if self.medium and wide and not (self.dives or unlimited or monitor.done()):
            self._search(unlimited, 0.8)
        if self.medium and not monitor.done() and not self._exact(unlimited, target_gap):
            self._greedy()
            self._search(unlimited, 1.0)

    def _improve_bound(self, relaxation: Lagrangian, seconds: float, settle: bool = True) -> None:
        """Run the dual search, which keeps what it has when it is interrupted."""
        termination = relaxation.run(seconds=seconds, settle=settle)
        self.keep_bound()
        if termination == "interrupted":
            raise KeyboardInterrupt

    def _keep_start(self) -> None:
        if self.start is not None:
            self.monitor.offer(self.start)

    def keep_bound(self) -> None:
        """Keep the best bound of the dual search."""
        relaxation = self.relaxation
        if relaxation is not None and relaxation.bound is not None:
            self.monitor.prove(self._round_down(relaxation.bound), relaxation.prices())

    def keep_some_bound(self) -> None:
        """Let every job complete at its release, if nothing else is known yet."""
        if self.monitor.bound is None:
            self.monitor.prove(alone(self.instance), zero_prices(self.instance))

    def keep_schedule(self) -> None:
        """Keep the best schedule of the search."""
        if self.search is not None and self.search.value > 0:
            self.monitor.offer(self.search.schedule())

    def _round_down(self, bound: Fraction) -> Fraction:
        """Lower a bound to the lattice of possible values."""
        return bound if self._unit is None else bound // self._unit * self._unit

    def _greedy(self) -> None:
        assert self.relaxation is not None  # it ran first
        self.monitor.phase = "greedy"
        if self.search is None:
            self.search = EjectionSearch(self.instance, self.relaxation, self._seed)
        else:
            self.search.aim(self.relaxation)
        if self.search.value == 0 or not self.search.many:
            self.search.greedy()
        self.monitor.promise(self.search.exact_value())

    def _build(self, unlimited: bool, share: float) -> None:
        search, monitor = self.search, self.monitor
        assert search is not None  # the greedy phase made it
        monitor.phase = "build"
        seconds = math.inf if unlimited else monitor.left(share) - self._reserve()
        search.build(seconds, self._stop(search))
        monitor.promise(search.exact_value())

    def _reserve(self) -> float:
        """Return about how long it takes to make and check the best schedule at the end."""
        if self.search is None or self.monitor.left() == math.inf:
            return 0.0
        return self.search.export_seconds()

    def _stop(self, search: EjectionSearch) -> Callable[[], bool]:
        """Return a function that tells of better values now and then, and says when to stop."""
        monitor = self.monitor
        told = [monitor.clock.seconds(), search.value]

        def stop() -> bool:
            now = monitor.clock.seconds()
            if search.value > told[1] and now >= told[0] + max(1.0, 0.02 * now):
                told[:] = [now, search.value]
                monitor.promise(search.exact_value())
            return monitor.done()

        return stop

    def _search(self, unlimited: bool, share: float) -> None:
        search, monitor = self.search, self.monitor
        assert search is not None  # the greedy phase made it
        monitor.phase = "search"
        monitor.tell()
        if monitor.value > search.exact_value():
            search.load(monitor.schedule)
        chains = CHAINS_PER_JOB * len(self.instance.jobs)
        if unlimited:
            seconds = math.inf
        else:
            seconds = monitor.left(share) - self._reserve()
            chains = 1 << 62
        search.run(seconds=seconds, iterations=chains, stop=self._stop(search))

    def _exact(self, unlimited: bool, target_gap: float) -> bool:
        """Run branch-and-price; return whether the instance is small enough for it."""
        monitor = self.monitor
        monitor.phase = "exact"
        self.keep_schedule()
        self.search = None

        def watch(value: Fraction, bound: Fraction) -> bool:
            monitor.promise(value, bound)
            return monitor.stopped

        try:
            found = branch_and_price(
                self.instance,
                clock=monitor.clock,
                target_gap=target_gap,
                start=monitor.schedule,
                watch=watch,
            )
        except Exception as error:
            known = best_known(error)
            if known is not None:
                monitor.mute()
                self._keep_tree(known)
            raise
        self.nodes, self.too_large = found.nodes, found.termination == Termination.TOO_LARGE
        if self.too_large:
            self.small = self.medium = self.dives = False
            return False
        if found.termination == Termination.INTERRUPTED:
            monitor.mute()
        elif self.small and found.prices is not None:
            # Prices alone, where they suffice, are a simpler proof than a tree.
            plain = dual_bound(self.instance, found.prices).value
            monitor.prove(self._round_down(plain), found.prices)
        self._keep_tree(found)
        if found.termination == Termination.INTERRUPTED:
            raise KeyboardInterrupt
        return True

    def _keep_tree(self, found: Result) -> None:
        if found.schedule is not None:
            self.monitor.offer(found.schedule)
        assert isinstance(found.bound, Fraction)  # the method proves its bounds
        self.monitor.prove(found.bound, found.prices, found.branching_tree)

    def _by_compact_program(self) -> None:
        """Try the compact integer program, where it is small."""
        monitor, instance = self.monitor, self.instance
        if len(instance.jobs) * instance.num_rounds > CHECKED_CELLS:
            return
        monitor.phase = "exact"
        try:
            found = solve_ilp(
                instance,
                clock=monitor.clock.part(min(CHECK_SECONDS, monitor.left(COMPACT_SHARE))),
            )
        except LimitError:
            return
        self._take(found)

    def _take(self, found: Result) -> None:
        """Keep a schedule of the compact program, and the bound that its prices alone prove."""
        if found.schedule is not None:
            self.monitor.offer(found.schedule)
        if found.termination == Termination.INTERRUPTED:
            raise KeyboardInterrupt
        if found.prices is not None:
            # The solver's own bound proves nothing.
            plain = dual_bound(self.instance, found.prices).value
            self.monitor.prove(self._round_down(plain), found.prices)

    def cross_check(self) -> None:
        """Compare with the compact integer program, solved independently.

        Raises
        ------
        InvariantError
            If the two disagree.
        """
        monitor = self.monitor
        monitor.phase = "check"
        other = solve_ilp(self.instance, clock=monitor.clock.part(CHECK_SECONDS, least=1.0))
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


__all__ = ["Progress", "solve"]
