"""`solve`: one door to all offline methods, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, cast

from hadaropt.errors import check_type, one_of, shown
from hadaropt.keywords import known_keywords

if TYPE_CHECKING:
    from hadaropt.instance import Instance
    from hadaropt.offline.lagrangian.params import LagrangianParams
    from hadaropt.offline.monitor import Callback
    from hadaropt.offline.params import SolveParams
    from hadaropt.offline.tree.params import TreeParams
    from hadaropt.results import Result
    from hadaropt.schedule import Schedule


@dataclass(frozen=True)
class Method:
    """An offline method.

    Parameters
    ----------
    module, function : str
        Where it is; it is loaded when it is first used.
    options : tuple of str
        The options of `solve` that it takes.
    schedules : bool
        Whether it makes a schedule; otherwise it makes a bound alone.
    """

    module: str
    function: str
    options: tuple[str, ...]
    schedules: bool = True

    def load(self) -> Callable[..., Result]:
        """Return the function."""
        module = importlib.import_module(f"hadaropt.offline.{self.module}")
        return cast("Callable[..., Result]", getattr(module, self.function))


METHODS = {
    "auto": Method(
        "solve",
        "solve",
        (
            "time_limit",
            "work_limit",
            "target_gap",
            "start",
            "callback",
            "display",
            "cross_check",
            "seed",
            "threads",
            "dask",
            "params",
        ),
    ),
    "ilp": Method("compact.solve", "solve_ilp", ("time_limit", "start", "seed", "threads")),
    "lp": Method("compact.solve", "solve_lp", ("time_limit", "seed", "threads"), False),
    "dual": Method("compact.solve", "solve_dual", ("time_limit", "seed", "threads"), False),
    "configuration_lp": Method(
        "colgen.configuration_lp", "solve_configuration_lp", ("time_limit", "work_limit"), False
    ),
    "lagrangian": Method(
        "lagrangian.bound",
        "lagrangian_bound",
        ("time_limit", "work_limit", "threads", "dask", "params"),
        False,
    ),
    "branch_and_price": Method(
        "tree.branch_and_price",
        "branch_and_price",
        ("time_limit", "work_limit", "target_gap", "start", "callback", "threads", "params"),
    ),
}


def find_method(name: str) -> str:
    """Return the name of a method as it stands in `METHODS`; it may be given with hyphens.

    Raises
    ------
    ValueError
        If there is none of this name; the nearest is given.
    """
    check_type("method", name, str)
    known = name.replace("-", "_")
    if known not in METHODS:
        raise ValueError(f"method = {shown(name)}, {one_of(name, METHODS)}")
    return known


@known_keywords
def solve(
    instance: Instance,
    method: str = "auto",
    *,
    time_limit: float | None = None,
    target_gap: float | None = None,
    work_limit: int | None = None,
    start: Schedule | None = None,
    callback: Callback | None = None,
    display: bool = False,
    cross_check: bool | None = None,
    seed: int | None = None,
    threads: int | None = None,
    dask: str | None = None,
    params: SolveParams | TreeParams | LagrangianParams | None = None,
) -> Result:
    """Solve an instance offline: the best schedule, a bound on every schedule's value, or both.

    Ctrl-C returns what is known by then.

    Parameters
    ----------
    instance : Instance
    method : str
        ``auto``: the best schedule and bound that the limit allows, by all means below as the size
        demands (`hadaropt.offline.solve.solve`). ``ilp``: the compact integer program.
        ``branch_and_price``: the optimum with its branching tree. Bounds alone: ``lp`` and ``dual``
        (the compact relaxation, and its dual), ``configuration_lp`` (the LP over whole schedules),
        ``lagrangian`` (the same bound without an LP solver). Hyphens do for underscores.
    time_limit : float, optional
        Seconds. Of every method. Without it and a work limit, ``auto`` solves small instances to
        the end, and large ones until a number of search steps that grows with the jobs.
    target_gap : float, optional
        Stop once (bound - value) / max(1, value) is at most this. Of ``auto`` and
        ``branch_and_price``.
    work_limit : int, optional
        Units of work, see `hadaropt.offline.clock`: the same instance, seed and limit give the
        same answer on every run. Of ``auto``, ``branch_and_price``,
        ``configuration_lp`` and ``lagrangian``.
    start : Schedule, optional
        A feasible schedule of this instance; the answer is never worse. Of the methods that make
        schedules.
    callback : callable, optional
        Called with a `Progress` at every better value or bound; stops the solve by returning True
        (False or None: it goes on; anything else is a TypeError). Of ``auto`` and
        ``branch_and_price``.
    display : bool
        Whether to write time, value, bound and gap on standard error. Of ``auto``.
    cross_check : bool, optional
        Whether to solve the compact integer program too and compare; by default where the instance
        is tiny. Of ``auto``.
    seed : int, optional
        Of the search (``auto``) or of the solver (``ilp``, ``lp``, ``dual``).
    threads : int, optional
        Of the solver (``ilp``, ``lp``, ``dual``), or of the pricing of jobs in the dual (``auto``,
        ``lagrangian``) and the dives of branch-and-price (``auto``, ``branch_and_price``), each of
        which is a process: the answer then depends on it only where time is limited. 1 by default.
    dask : str, optional
        Address of a Dask cluster whose workers price jobs instead of threads here; what a lost
        worker held goes to the others. Of ``auto`` and ``lagrangian``.
    params : SolveParams, TreeParams or LagrangianParams, optional
        What can be tuned in ``auto`` (`hadaropt.offline.params`), ``branch_and_price``
        (`hadaropt.offline.tree.params`) or ``lagrangian`` (`hadaropt.offline.lagrangian.params`).

    Returns
    -------
    Result
        ``print`` shows it in ten lines.

    Raises
    ------
    ValueError
        If there is no such method, or it does not take an option that is given.
    TypeError
        If ``instance`` is none, such as the path of one.
    ScheduleError
        If ``start`` is infeasible, or of another instance.
    InvariantError
        If proven facts contradict each other (a defect).
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
    >>> instance = Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 2, round_seconds=1)
    >>> result = solve(instance)
    >>> result.value, str(result.status)
    (Fraction(7, 1), 'proved')
    >>> solve(instance, "dual", work_limit=2)
    Traceback (most recent call last):
    ValueError: method dual takes no option work_limit (it takes time_limit, seed, threads)
    """
    name = find_method(method)
    chosen = METHODS[name]
    options: dict[str, object] = {
        "time_limit": time_limit,
        "target_gap": target_gap,
        "work_limit": work_limit,
        "start": start,
        "callback": callback,
        "display": display or None,
        "cross_check": cross_check,
        "seed": seed,
        "threads": threads,
        "dask": dask,
        "params": params,
    }
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in chosen.options:
            taken = ", ".join(chosen.options)
            raise ValueError(f"method {name} takes no option {option} (it takes {taken})")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback = {shown(callback)}, must be callable with a Progress")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, Integral)):
        raise TypeError(f"seed = {shown(seed)}, must be an integer")
    solver = chosen.load()
    from hadaropt.instance import check_instance
    from hadaropt.kernels.compile_time import compiling_seconds

    check_instance(instance)
    before = compiling_seconds()
    result = solver(instance, **given)
    timings = replace(result.timings, compile=compiling_seconds() - before)
    return replace(result, timings=timings)


__all__ = ["METHODS", "Method", "find_method", "solve"]
