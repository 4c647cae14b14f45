"""One door to the offline optimum: greedy, bound, search and exact, as the size demands."""

from __future__ import annotations

from hadaropt.errors import LimitError, check_type
from hadaropt.instance import Instance, check_instance
from hadaropt.interrupts import interrupted_once
from hadaropt.offline.clock import Clock
from hadaropt.offline.contradiction import answering, is_foreign
from hadaropt.offline.heuristics.divers import divers
from hadaropt.offline.known import check_target_gap, checked_start
from hadaropt.offline.lagrangian.pricing_workers import pricing_workers
from hadaropt.offline.monitor import Callback, Monitor, Progress
from hadaropt.offline.params import SolveParams
from hadaropt.offline.phases import run_phases
from hadaropt.offline.run import Run
from hadaropt.offline.spare import without_spare
from hadaropt.results import Result, Termination
from hadaropt.schedule import Schedule


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
    threads: int | None = None,
    dask: str | None = None,
    params: SolveParams | None = None,
) -> Result:
    """Return the best schedule found and a proven bound on the optimum.

    First a schedule that takes a few milliseconds; then prices with a small D(k)
    (`lagrangian_bound`), insertion at these prices, greedily and at prices that follow what is
    left, ejection chains and, where the size allows it, branch-and-price from the best schedule
    (`hadaropt.offline.phases` says what runs when). The answer is always a checked schedule, its
    exact value, and an exact bound with the prices (or the branching tree) that prove it:
    `certify` makes a certificate of it.

    Ctrl-C returns what is known by then.

    Parameters
    ----------
    instance : Instance
    time_limit : float, optional
        Seconds. Without it, small instances are solved to the end, and large ones until a number
        of search steps that grows with the jobs.
    work_limit : int, optional
        Units of work, see `hadaropt.offline.clock`. The same instance, seed and limit give the
        same answer on every run. With both limits, whichever is reached first ends the solve.
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
    threads : int, optional
        Threads that price the jobs of the dual, and dives of branch-and-price that may run at
        once, each in a process of its own; 1 by default. With a limit of work, or none, the answer
        does not depend on it.
    dask : str, optional
        Address of a Dask cluster whose workers price them instead.
    params : SolveParams, optional
        What can be tuned; the defaults are good for instances of all sizes.

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
    ClusterError
        If no cluster answers, it has no worker, or its workers have another hadaropt.

    Notes
    -----
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
    check_instance(instance)
    params = SolveParams() if params is None else params
    check_type("params", params, SolveParams)
    clock = Clock(time_limit, work_limit)
    check_target_gap(target_gap)
    with pricing_workers(threads, dask, clock.left) as workers, divers(threads) as who:
        run = Run(
            instance,
            Monitor(instance, clock, target_gap, callback, display),
            params,
            target_gap=target_gap,
            seed=seed,
            start=start,
            workers=workers,
            divers=who,
        )
        if start is not None:
            checked_start(instance, start)
        instance.check_size()
        with answering(run), interrupted_once():
            try:
                return _answer(run, cross_check)
            except KeyboardInterrupt:
                found = run.best(Termination.INTERRUPTED)
                if run.trouble is not None:
                    raise run.trouble from None
                return found


def _answer(run: Run, cross_check: bool | None) -> Result:
    """Run all phases, and the cross-check; return the answer."""
    run.keep_start()
    run.start_divers()
    try:
        run_phases(run)
    except LimitError as limit:
        if is_foreign(limit):
            raise
        return run.by_compact_program(limit)
    run.keep_bound()
    run.keep_some_bound()
    run.keep_schedule()
    if run.checks_by_default if cross_check is None else cross_check:
        run.cross_check()
    return run.result()


__all__ = ["Progress", "solve"]
