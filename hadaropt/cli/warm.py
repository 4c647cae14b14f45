"""Small runs that use the compiled kernels, so that their code is kept before it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hadaropt.interrupts import uninterrupted

if TYPE_CHECKING:
    from hadaropt.instance import Instance

JOBS, ROUNDS = 6, 6
LARGE_JOBS, LARGE_ROUNDS = 120, 40
"""A size that `hadaropt.solve` treats as large: with Lagrangian bounds and ejection chains."""
WORK = 2000
"""Limit of each solve in units of work, so that warming ends on any machine."""
LOG = "submit,start,end,gpus,type\n0,0,9,2,V100\n0,9,20,2,V100\n1,20,25,1,V100\n2,20,30,1,V100\n"
COLUMNS = {name: name for name in ("submit", "start", "end", "gpus", "type")}
"""A log in which jobs wait, and how it is read."""
SCHEDULERS = ("hadar", "hadar:exact", "hadar:beam", "hadare", "gavel:max_min_fairness_perf:prices")


def warm_kernels(tell: Callable[[str], None]) -> None:
    """Solve, run online and simulate small generated inputs; ``tell`` hears of each.

    Code that is kept already is not compiled again.
    """
    from hadaropt.kernels.dispatch import always_compiled
    from hadaropt.online.run import run_online
    from hadaropt.policies import GreedyDensity, PrimalDual

    tell("comparing models of parallelism")
    _nested()  # first: plain Python calls some kernels that compiled code has within it
    with always_compiled():
        for name, instance in _instances():
            tell(f"solving {name}")
            _solve(instance)
            tell(f"running online policies on {name}")
            for policy in (PrimalDual(), GreedyDensity()):
                run_online(instance, policy)
        _simulate(tell)
        tell("auditing a log")
        _audit()


def _nested() -> None:
    """Solve a small instance under all models, each from the schedule of the last one."""
    from hadaropt.instance import Cluster, Instance, Job
    from hadaropt.offline.nested import solve_nested
    from hadaropt.utility import Linear

    cluster = Cluster.of({"n0": {"V100": 2}, "n1": {"P100": 2}})
    first = Job(
        "a",
        0,
        2,
        4000,
        {"V100": Fraction(4), "P100": Fraction(3, 2)},
        Linear(Fraction(100), Fraction(4)),
    )
    second = Job(
        "b",
        1,
        2,
        1000,
        {"V100": Fraction(2), "P100": Fraction(7, 10)},
        Linear(Fraction(81, 2), Fraction(3)),
    )
    for found in solve_nested(Instance(cluster, (first, second), 6, Fraction(360))).values():
        uninterrupted(found)


def _audit() -> None:
    from hadaropt.auditing.report import audit

    with TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        log.write_text(LOG, encoding="utf-8")
        audit(log, columns=COLUMNS, changes=["add=V100:1x2"])


def _instances() -> Iterator[tuple[str, Instance]]:
    from hadaropt.generate import generate
    from hadaropt.instance import PARALLELISM

    for model in PARALLELISM:
        for family in ("small_uniform", "six_class"):
            made = generate(family, seed=0, num_jobs=JOBS, num_rounds=ROUNDS, parallelism=model)
            yield f"{family}, {model}", made
    yield (
        "a large instance",
        generate("six_class", seed=0, num_jobs=LARGE_JOBS, num_rounds=LARGE_ROUNDS),
    )


def _solve(instance: Instance) -> None:
    from hadaropt.offline.lagrangian.bound import lagrangian_bound
    from hadaropt.offline.solve import solve
    from hadaropt.offline.tree.branch_and_price import branch_and_price

    uninterrupted(solve(instance, work_limit=WORK))
    uninterrupted(lagrangian_bound(instance, work_limit=WORK))
    if len(instance.jobs) == JOBS:
        uninterrupted(branch_and_price(instance, work_limit=WORK))


def _simulate(tell: Callable[[str], None]) -> None:
    from hadaropt.generate import generate_workload
    from hadaropt.simulate.engine import simulate_rounds
    from hadaropt.simulate.problem import RoundProblem
    from hadaropt.simulate.registry import make_scheduler

    workload = generate_workload("gavel_like", seed=0, num_jobs=JOBS)
    problem = RoundProblem.of_workload(workload, round_seconds="3600")
    for name in SCHEDULERS:
        tell(f"simulating {name}")
        simulate_rounds(problem, make_scheduler(name))
