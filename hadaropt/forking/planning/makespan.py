"""The makespan of forked jobs in fluid time, and exact bounds below that of every schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.errors import SolverError
from hadaropt.forking.planning.options import Option, job_options
from hadaropt.forking.planning.problem import ForkProblem, check_node_machine
from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, LinearModel


@dataclass(frozen=True)
class FluidMakespan:
    """Optimum of the linear program, and what is proved.

    Attributes
    ----------
    node_machine : bool
        Whether a node is one machine (`check_node_machine`). Only then, and without consolidation
        cost, is the optimum of the program that of fluid time; else it is a bound below it.
    options : tuple of Option
    seconds : tuple of float
        Time of each option, summed over the nodes of its group.
    value : float
        C as the solver found it.
    bound : Fraction
        Exact: no schedule ends before, whatever the solver did (see `makespan_bound`).
    work_price : tuple of float, shape (J,)
        p_j: seconds of C for one more iteration of j.
    """

    node_machine: bool
    options: tuple[Option, ...]
    seconds: tuple[float, ...]
    value: float
    bound: Fraction
    work_price: tuple[float, ...]


def fluid_makespan(problem: ForkProblem) -> FluidMakespan:
    """Minimise C over the time y_o of the options of all jobs.

    sum_{o of j} rate_o y_o >= Q_j; sum_o use_or y_o <= c_hr C for each type of each node (where a
    node is one machine: sum_o y_o <= C for each node, theorem H3); for each job and node, its copy
    there, its time as one gang and its time over nodes add up to at most C; with kappa_j below the
    number of nodes, sum of copy time / kappa_j likewise. Equal nodes are one group: averaging over
    them loses nothing. GPUs of gangs that span nodes are taken from any group.

    With kappa_j = 1 for all jobs it is the program of Lawler and Labetoulle (theorem H5).

    Raises
    ------
    SolverError
        If HiGHS has no optimum.
    """
    found = makespan_program(problem)
    bound = _proved(problem, found.work, found.gpu, found.value) if problem.jobs else Fraction(0)
    return FluidMakespan(
        found.node_machine, found.options, found.seconds, found.value, bound, found.work
    )


@dataclass(frozen=True)
class Program:
    """What the solver found: see `FluidMakespan`; ``gpu`` are the prices k, (G, R) or (G, 1)."""

    node_machine: bool
    options: tuple[Option, ...]
    seconds: tuple[float, ...]
    value: float
    work: tuple[float, ...]
    gpu: tuple[tuple[float, ...], ...]


def makespan_program(problem: ForkProblem) -> Program:
    """Solve the program of `fluid_makespan` alone, without a proof."""
    machine = check_node_machine(problem) is None
    jobs = range(len(problem.jobs))
    if not jobs:
        return Program(machine, (), (), 0.0, (), ())
    options = [o for j in jobs for o in job_options(problem, j, node_machine=machine)]
    unit = max(_alone(problem, j, options) for j in jobs)
    rows = _Rows(problem, options, machine, unit)
    outcome = HighsModel(rows.model(), background=False).run()
    if outcome.termination != "optimal" or outcome.x is None or outcome.row_prices is None:
        raise SolverError(f"the makespan of {len(jobs)} jobs was not solved: {outcome.raw_status}")
    price = np.maximum(outcome.row_prices[: len(jobs)], 0.0)
    prices = {key: max(0.0, -float(outcome.row_prices[i])) for key, i in rows.capacity.items()}
    groups, kinds = range(len(problem.groups)), range(rows.kinds)
    return Program(
        machine,
        tuple(options),
        tuple(float(y) * unit for y in np.maximum(outcome.x[: len(options)], 0.0)),
        float(outcome.x[len(options)]) * unit,
        tuple(float(price[j]) / problem.jobs[j].remaining * unit for j in jobs),
        tuple(tuple(prices.get((g, r), 0.0) for r in kinds) for g in groups),
    )


def _proved(
    problem: ForkProblem, work: Sequence[float], gpu: Sequence[Sequence[float]], value: float
) -> Fraction:
    """Return the bound of simple prices near those of the solver, or of the solver's own."""
    top = max((k for row in gpu for k in row), default=0.0) or 1.0
    simple = makespan_bound(
        problem,
        [Fraction(p / top).limit_denominator(10**6) for p in work],
        [[Fraction(k / top).limit_denominator(10**6) for k in row] for row in gpu],
    )
    if simple >= value * (1 - 1e-9):
        return simple
    own = makespan_bound(
        problem, [Fraction(p) for p in work], [[Fraction(k) for k in row] for row in gpu]
    )
    return max(simple, own)


def makespan_bound(
    problem: ForkProblem, work: Sequence[Fraction], gpu: Sequence[Sequence[Fraction]]
) -> Fraction:
    """Return the bound below every makespan that prices prove, exactly.

    With p_j >= 0 the price of an iteration and k_gr >= 0 that of a GPU-second (where a node is one
    machine: k_g of a node-second), let m_j be the most that job j can earn in one second: by one
    gang in a node, by one over nodes, or by kappa_j copies, each rate p_j minus the cost of its
    GPUs. Then sum_j p_j Q_j <= C (sum_g n_g sum_r c_gr k_gr + sum_j m_j). Any prices are valid.

    Parameters
    ----------
    work : sequence of Fraction, shape (J,)
    gpu : sequence of sequences of Fraction, shape (G, R), or (G, 1) where a node is one machine
    """
    machine = check_node_machine(problem) is None
    earned = Fraction(0)
    for j in range(len(problem.jobs)):
        earned += _most_earned(problem, j, work[j], gpu, machine)
    paid = sum((p * job.remaining for p, job in zip(work, problem.jobs, strict=True)), Fraction(0))
    for (row, nodes), prices in zip(problem.groups, gpu, strict=True):
        counts = (1,) if machine else row
        earned += len(nodes) * sum(c * k for c, k in zip(counts, prices, strict=True))
    return paid / earned if earned else Fraction(0)


def _most_earned(
    problem: ForkProblem,
    j: int,
    work: Fraction,
    gpu: Sequence[Sequence[Fraction]],
    machine: bool,
) -> Fraction:
    """Return m_j of `makespan_bound`."""
    best = Fraction(0)
    copies: dict[int, Fraction] = {}
    for option in job_options(problem, j, node_machine=machine):
        if option.group is None:
            # The cheapest GPU of each type wherever it is: not more than the gang would pay.
            prices = [
                min(
                    (k[r] for k, (row, _) in zip(gpu, problem.groups, strict=True) if row[r]),
                    default=Fraction(0),
                )
                for r in range(len(option.use))
            ]
        else:
            prices = list(gpu[option.group])
        cost = prices[0] if machine else sum(n * k for n, k in zip(option.use, prices, strict=True))
        gain = work * option.rate - cost
        if option.forked and option.group is not None:
            copies[option.group] = max(copies.get(option.group, Fraction(0)), gain)
        else:
            best = max(best, gain)
    room, together = problem.copies(j), Fraction(0)
    for g in sorted(copies, key=lambda g: -copies[g]):
        taken = min(room, len(problem.groups[g][1]))
        together += taken * copies[g]
        room -= taken
    return max(best, together)


def _alone(problem: ForkProblem, j: int, options: Sequence[Option]) -> float:
    """Return the seconds of job j on the whole cluster, about the size of C."""
    rates: dict[int | None, Fraction] = {}
    for o in options:
        if o.job == j:
            rates[o.group] = max(rates.get(o.group, Fraction(0)), o.rate)
    total = sum(rate * (1 if g is None else len(problem.groups[g][1])) for g, rate in rates.items())
    return float(problem.jobs[j].remaining / total)


class _Rows:
    """The program in units of `unit` seconds; its first J rows are the work of the jobs."""

    def __init__(
        self, problem: ForkProblem, options: Sequence[Option], machine: bool, unit: float
    ) -> None:
        self.time, self.columns = len(options), len(options) + 1
        self.kinds = 1 if machine else len(problem.cluster.accelerators)
        jobs = len(problem.jobs)
        self.size = jobs
        self.cells: list[tuple[int, int, float]] = []
        self.capacity: dict[tuple[int, int], int] = {}
        for g, (row, nodes) in enumerate(problem.groups):
            for r in range(self.kinds):
                count = 1 if machine else row[r]
                if count:
                    self.capacity[g, r] = self._row(float(count * len(nodes)))
        exclusive = self._exclusive(problem, options)
        spread: dict[int, list[tuple[int, int]]] = {}
        for i, o in enumerate(options):
            work = problem.jobs[o.job].remaining
            self.cells.append((o.job, i, float(o.rate / work) * unit))
            for row_of_job, share in exclusive[i]:
                self.cells.append((row_of_job, i, share))
            if o.group is None:
                for r, count in enumerate(o.use):
                    if count:
                        spread.setdefault(r, []).append((i, count))
            else:
                for r, count in [(0, 1)] if machine else enumerate(o.use):
                    if count:
                        self.cells.append((self.capacity[o.group, r], i, float(count)))
        self._spread(spread)
        self.jobs = jobs

    def _row(self, capacity: float) -> int:
        """Add a row ... - capacity C <= 0."""
        self.cells.append((self.size, self.time, -capacity))
        self.size += 1
        return self.size - 1

    def _exclusive(
        self, problem: ForkProblem, options: Sequence[Option]
    ) -> list[list[tuple[int, float]]]:
        """For each option its rows of the kind "at most C in all for this job"."""
        found: list[list[tuple[int, float]]] = [[] for _ in options]
        nodes = len(problem.cluster.nodes)
        for j in range(len(problem.jobs)):
            mine = [i for i, o in enumerate(options) if o.job == j]
            alone = [i for i in mine if not options[i].forked]
            copies: dict[int, list[int]] = {}
            for i in mine:
                if options[i].forked:
                    copies.setdefault(options[i].group or 0, []).append(i)
            for g, there in copies.items():
                row, size = self._row(1.0), len(problem.groups[g][1])
                for i in there:
                    found[i].append((row, 1.0 / size))
                for i in alone:
                    found[i].append((row, 1.0))
            if alone or problem.copies(j) < nodes:
                row = self._row(1.0)
                for i in mine:
                    share = 1.0 / problem.copies(j) if options[i].forked else 1.0
                    found[i].append((row, share))
        return found

    def _spread(self, use: dict[int, list[tuple[int, int]]]) -> None:
        """GPU-seconds of each type over nodes, taken from the groups that have it."""
        for r, entries in use.items():
            row = self.size
            self.size += 1
            for i, count in entries:
                self.cells.append((row, i, float(count)))
            for (_, kind), capacity in list(self.capacity.items()):
                if kind == r:
                    self.cells.append((row, self.columns, -1.0))
                    self.cells.append((capacity, self.columns, 1.0))
                    self.columns += 1

    def model(self) -> LinearModel:
        """Return the arrays; column C follows those of the options."""
        rows, cols, values = (np.array(part) for part in zip(*self.cells, strict=True))
        entries = Entries()
        entries.add(rows.astype(np.int64), cols.astype(np.int64), values)
        start, index, value = entries.columns(self.size, self.columns)
        cost = np.zeros(self.columns)
        cost[self.time] = 1.0
        low = np.concatenate([np.ones(self.jobs), np.full(self.size - self.jobs, -np.inf)])
        high = np.concatenate([np.full(self.jobs, np.inf), np.zeros(self.size - self.jobs)])
        none = np.zeros(self.columns, np.bool_)
        free = np.full(self.columns, np.inf)
        zero = np.zeros(self.columns)
        return LinearModel(
            cost, zero, free, low, high, start, index, value, none, False, list, list
        )
