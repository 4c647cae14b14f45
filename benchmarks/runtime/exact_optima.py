"""P2 to P4: optima proved by branch-and-price, and gaps of `hadaropt.solve` on larger instances.

Every answer is certified and the certificate verified without a solver; that is asserted, and its
time is reported. ``cpu`` is processor time, which a busy machine distorts less than the clock.
Peers get the same seconds: HiGHS on the compact form (its own bound), and PuLP with CBC, whose
log is not read: its gap is that of its value to the better bound of the other two.

P16 is forked: the default suite of ``hadaropt bench ratio`` (12 x 12) and 20 x 24. P17 is about
nodes: gangs are slowed where they span nodes, or run as copies; HiGHS gets the node form. With
``--processor`` limits count processor time: for machines that others use too.

Run: ``python -m benchmarks.runtime.exact_optima [P2 | P3 | P4 | P16 | P17 | ratio] [--seeds N]``
"""

from __future__ import annotations

import argparse
import math
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from hadaropt import certify, solve, solve_ilp, verify
from hadaropt.bench.ratio.defaults import DEFAULT_FAMILIES
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Instance, Parallelism
from hadaropt.offline import clock
from hadaropt.offline.tree.branch_and_price import branch_and_price

from .families import FAMILIES, make, on_nodes


@dataclass(frozen=True)
class Case:
    """One line of the table: instances by seed, and the seconds allowed for each."""

    name: str
    build: Callable[[int], Instance]
    seconds: float
    jobs: int = 0
    large: bool = False


def case(family: str, jobs: int, rounds: int, load: float, seconds: float) -> Case:
    """Return a case of the benchmark families."""
    name = f"{family} J={jobs} T={rounds} load {load}"
    return Case(
        name,
        lambda seed: make(family, jobs, rounds, load=load, seed=seed),
        seconds,
        jobs,
        large=jobs > 60,
    )


def forked(family: str, jobs: int, rounds: int, seconds: float) -> Case:
    """Return a forked case of a generated family."""

    def build(seed: int) -> Instance:
        return generate(family, seed=seed, num_jobs=jobs, num_rounds=rounds, parallelism="forked")

    return Case(f"{family} forked J={jobs} T={rounds}", build, seconds, jobs, large=rounds > 12)


def nodes(count: int, jobs: int, parallelism: Parallelism) -> Case:
    """Return a case in which nodes matter."""
    return Case(
        f"{count} nodes {parallelism} J={jobs} T=24",
        lambda seed: on_nodes(count, jobs, seed=seed, parallelism=parallelism),
        60,
        jobs,
        large=True,
    )


def cases(row: str, families: list[str]) -> Iterator[Case]:
    """Yield the cases of one row of the performance page."""
    if row == "ratio":
        for family in ("small_uniform", "overloaded_tight", "adversarial_price"):
            for world in PARALLELISM:
                yield Case(
                    f"{family} {world}",
                    lambda seed, f=family, w=world: generate(f, seed=seed, parallelism=w),
                    10,
                )
        return
    if row == "P16":
        for family in DEFAULT_FAMILIES:
            yield forked(family, 12, 12, 20)
        for family in ("six_class", "measured_rates"):
            yield forked(family, 20, 24, 60)
        return
    if row == "P17":
        for count, jobs in ((8, 40), (16, 120), (64, 480)):
            yield nodes(count, jobs, "mixed")
        for count, jobs in ((8, 24), (16, 60)):
            yield nodes(count, jobs, "forked")
        return
    sizes = {
        "P2": [(jobs, 24, load, 20) for load in (0.7, 1.3) for jobs in (20, 30, 40)]
        + [(60, 48, load, 120) for load in (0.7, 1.3)],
        "P3": [(100, 24, 1.3, 60), (100, 50, 1.3, 60)],
        "P4": [(400, 24, 0.7, 20), (200, 50, 0.7, 20)],
    }
    for family in families:
        for jobs, rounds, load, seconds in sizes[row]:
            yield case(family, jobs, rounds, load, seconds)


@dataclass(frozen=True)
class Outcome:
    """What one instance gave."""

    value: float
    bound: float
    wall: float
    cpu: float
    nodes: int
    check: float

    @property
    def proved(self) -> bool:
        """Whether the bound equals the value."""
        return self.value == self.bound

    @property
    def gap(self) -> float:
        """Relative gap in per cent."""
        return gap(self.value, self.bound)


def gap(value: float, bound: float) -> float:
    """Return the relative gap in per cent."""
    return 100 * max(0.0, bound - value) / max(1.0, value)


def measure(instance: Instance, seconds: float, large: bool) -> Outcome:
    """Solve, certify and verify one instance."""
    wall, cpu = time.perf_counter(), time.process_time()
    if large:
        answer = solve(instance, time_limit=seconds)
    else:
        answer = branch_and_price(instance, time_limit=seconds)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    begin = time.perf_counter()
    checked = verify(instance, certify(instance, answer))
    check = time.perf_counter() - begin
    assert checked.value == answer.value
    assert checked.best_bound is not None
    assert checked.best_bound <= answer.bound
    assert checked.proved == (answer.status == "proved")
    bound = float(checked.value) if checked.proved else float(checked.best_bound)
    return Outcome(float(checked.value), bound, wall, cpu, answer.nodes, check)


def peers(instance: Instance, seconds: float, ours: Outcome) -> list[tuple[float, float]]:
    """Return (seconds, gap) of HiGHS on the compact form, and of PuLP with CBC."""
    import pulp

    from models import offline_ilp

    slack = 1e-6 * max(1.0, ours.bound)
    begin = time.perf_counter()
    highs = solve_ilp(instance, time_limit=seconds)
    found = [(time.perf_counter() - begin, math.inf)]
    bound = min(ours.bound, float(highs.bound))
    assert bound >= ours.value - slack
    if highs.value is not None:
        assert float(highs.value) <= ours.bound + slack
        found = [(found[0][0], gap(float(highs.value), float(highs.bound)))]
    begin = time.perf_counter()
    problem = offline_ilp.build(instance, "hall").problem
    left = max(1.0, seconds - (time.perf_counter() - begin))
    problem.solve(pulp.PULP_CBC_CMD(msg=False, timeLimit=left, threads=1, gapRel=0))
    took = time.perf_counter() - begin
    value = problem.objective.value()
    integral = problem.sol_status in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible)
    if value is None or not integral:
        return [*found, (took, math.inf)]
    assert value <= ours.bound + slack
    return [*found, (took, gap(value, bound))]


def spread(values: list[float], digits: int = 2) -> str:
    """Return median and worst."""
    return f"{statistics.median(values):.{digits}f} / {max(values):.{digits}f}"


def exponent(points: list[tuple[int, float]]) -> float:
    """Return the least-squares slope of log seconds over log jobs."""
    xs = [math.log(jobs) for jobs, _ in points]
    ys = [math.log(max(seconds, 1e-3)) for _, seconds in points]
    return statistics.linear_regression(xs, ys).slope


HEADS = ("case", "proved", "gap %", "wall s", "cpu s", "nodes", "verify s", "peak MB")
PEER_HEADS = ("HiGHS s", "HiGHS gap %", "CBC s", "CBC gap %")


def line(row: str, one: Case, seeds: range, compared: range) -> tuple[list[str], float]:
    """Measure one case; return its cells and the median of the processor time."""
    found = {seed: measure(one.build(seed), one.seconds, one.large) for seed in seeds}
    outcomes = list(found.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu = [o.cpu for o in outcomes]
    cells = [
        f"{row} {one.name}, {one.seconds:g} s",
        f"{sum(o.proved for o in outcomes)}/{len(outcomes)}",
        spread([o.gap for o in outcomes], 4),
        spread([o.wall for o in outcomes]),
        spread(cpu),
        spread([o.nodes for o in outcomes], 0),
        spread([o.check for o in outcomes]),
        f"{memory:.0f}",
    ]
    beside = [peers(one.build(seed), one.seconds, found[seed]) for seed in compared]
    if beside:
        for who in zip(*beside, strict=True):
            cells += [spread([s for s, _ in who]), spread([g for _, g in who], 3)]
    return cells, statistics.median(cpu)


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", default=["P2"])
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--peers", type=int, default=0, help="seeds that the peers solve too")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--seconds", type=float, help="another limit than the row's own")
    parser.add_argument("--processor", action="store_true", help="limits count processor time")
    options = parser.parse_args()
    if options.processor:
        clock._seconds = time.process_time
    branch_and_price(make("six-class", 4, 8))  # compile first
    solve(make("six-class", 70, 8), time_limit=2)
    solve(generate("gavel_like", seed=0, parallelism="forked"), time_limit=2)
    heads = HEADS + PEER_HEADS * (options.peers > 0)
    print("Median / worst over the seeds. Memory: peak of the process so far.\n")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|", flush=True)
    for row in options.rows:
        grown: dict[str, list[tuple[int, float]]] = {}
        for one in cases(row, options.families):
            if options.only not in one.name:
                continue
            if options.seconds:
                one = replace(one, seconds=options.seconds)
            cells, cpu = line(row, one, range(options.seeds), range(options.peers))
            print(f"| {' | '.join(cells)} |", flush=True)
            kind = one.name.replace(f"J={one.jobs} ", "")
            grown.setdefault(kind, []).append((one.jobs, cpu))
        for kind, points in grown.items():
            if len({jobs for jobs, _ in points}) >= 3:
                print(f"\n{row} {kind}: median cpu seconds ~ jobs^{exponent(points):.2f}")


if __name__ == "__main__":
    main()
