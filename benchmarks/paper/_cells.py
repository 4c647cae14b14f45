"""Cells of an experiment: one scheduler on one workload, each kept in a small file of its own."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from benchmarks.paper._samples import Sample
from hadaropt.simulate.bounds import WorkloadBounds, workload_bounds
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.metrics import metrics
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.simulate.result import SimulatedRun
from hadaropt.simulate.view import Scheduler

MOST_INTERVALS, PRICED_CELLS = 80, 20_000
"""Intervals of the bound with prices over time; jobs x intervals."""
CONSOLIDATION_SECONDS = 10
"""Lost by each copy of a forked job in a round."""
VERSION = 3
"""Of the figures in a file; files of another version are computed again."""


@dataclass(frozen=True)
class Cell:
    """One run.

    Attributes
    ----------
    sample : Sample
    scheduler : str
        Name of a scheduler, with ``@OBJECTIVE`` after it where it is not the default one.
    round_seconds, restart_seconds : int
    mixing : bool
    told : str
        What the scheduler is told of lengths (see `telling`); empty: the truth.
    """

    sample: Sample
    scheduler: str
    round_seconds: int = 360
    restart_seconds: int = 10
    mixing: bool = True
    told: str = ""

    @property
    def file(self) -> str:
        """Name of the file of its figures."""
        text = json.dumps([VERSION, asdict(self)], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        name = re.sub("[^a-z0-9_@]+", "-", self.scheduler.lower())
        return f"{name}-{self.sample.seed}-{digest}.json"


@dataclass(frozen=True)
class Figures:
    """What is kept of a run; times in seconds.

    ``jct_gap`` and ``makespan_gap`` are value / bound over the completed jobs; ``bound_by`` is the
    rule that gave the bound on the JCT. ``queueing`` ends with the first GPU; ``waiting`` is all
    the time between arrival and completion without GPUs.
    """

    jobs: int
    done: int
    jct_mean: float
    jct_median: float
    jct_max: float
    queueing: float
    waiting: float
    fairness: float
    ttd: float
    gru: float
    cru: float
    useful: float
    restarts: int
    rounds: int
    jct_bound: float
    makespan_bound: float
    jct_gap: float
    makespan_gap: float
    bound_by: str
    cpu_seconds: float


Make = Callable[[Cell, RoundProblem], Scheduler]
"""Makes the scheduler of a cell."""
Special = Callable[[Cell, Path], Figures | None]
"""Runs a cell in another way, or returns None."""


def run_cell(cell: Cell, data: Path, make: Make | None = None) -> Figures:
    """Simulate and measure."""
    name, _, objective = cell.scheduler.partition("@")
    problem = RoundProblem.of_workload(
        cell.sample.workload(data),
        round_seconds=cell.round_seconds,
        restart_seconds=cell.restart_seconds,
        mixing=cell.mixing,
        consolidation_seconds=CONSOLIDATION_SECONDS,
        objective=objective or "effective_throughput",  # type: ignore[arg-type]
    )
    scheduler = make_scheduler(name) if make is None else make(cell, problem)
    started = time.process_time()
    run = simulate_rounds(problem, scheduler)
    seconds = time.process_time() - started
    return _figures(run, cell, data, seconds)


@cache
def _bounds(
    sample: Sample, data: Path, tau: int, restart: int, copies: int, jobs: tuple[int, ...]
) -> WorkloadBounds | None:
    """Return what no schedule can beat, types being mixed or not."""
    problem = RoundProblem.of_workload(
        sample.workload(data), round_seconds=tau, restart_seconds=restart
    )
    intervals = min(MOST_INTERVALS, PRICED_CELLS // max(1, len(jobs)))
    return workload_bounds(problem, jobs, copies=copies, intervals=intervals)


def _figures(run: SimulatedRun, cell: Cell, data: Path, seconds: float) -> Figures:
    found = metrics(run)
    name, nodes = cell.scheduler, len(run.problem.cluster.nodes)
    copies = nodes if name.startswith("hadare") else 1
    bounds = _bounds(
        cell.sample,
        data,
        cell.round_seconds,
        cell.restart_seconds,
        copies,
        tuple(sorted(run.finish)),
    )
    if bounds is None or found.jct_s is None:
        raise ValueError(f"{name} completed no job")
    assert found.queueing_s is not None
    assert found.finish_time_fairness is not None
    mean = sum(run.jct.values(), Fraction(0)) / len(run.jct)
    return Figures(
        found.jobs,
        found.done,
        found.jct_s.mean,
        found.jct_s.median,
        found.jct_s.max,
        found.queueing_s.mean,
        float(mean) - math.fsum(float(use.seconds) for use in run.uses) / len(run.jct),
        found.finish_time_fairness.mean,
        found.ttd_s,
        found.gru,
        found.cru,
        found.useful_utilization,
        found.restarts,
        found.rounds,
        float(bounds.avg_jct_s),
        float(bounds.makespan_s),
        float(mean / bounds.avg_jct_s),
        float(max(run.finish.values()) / bounds.makespan_s),
        bounds.avg_jct_by,
        seconds,
    )


def run_cells(
    cells: Sequence[Cell],
    data: Path,
    folder: Path,
    *,
    make: Make | None = None,
    special: Special | None = None,
    seconds: float = math.inf,
) -> dict[Cell, Figures]:
    """Return the figures of every cell, reading those that are there already.

    After ``seconds`` no further cell is begun: those that are missing are not in the answer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    found: dict[Cell, Figures] = {}
    for i, cell in enumerate(cells):
        path = folder / cell.file
        if path.is_file():
            found[cell] = Figures(**json.loads(path.read_text("utf-8"))["figures"])
            continue
        if time.monotonic() > end:
            continue
        figures = None if special is None else special(cell, data)
        if figures is None:
            figures = run_cell(cell, data, make)
        document = {"cell": asdict(cell), "figures": asdict(figures)}
        # Written whole or not at all, so that an interrupted run can be taken up again.
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        part.replace(path)
        found[cell] = figures
        print(
            f"{i + 1}/{len(cells)} {cell.scheduler} sample {cell.sample.seed}: "
            f"JCT {figures.jct_gap:.2f} and makespan {figures.makespan_gap:.2f} times the bound, "
            f"{figures.cpu_seconds:.1f} s",
            file=sys.stderr,
            flush=True,
        )
    return found


def missing(cells: Iterable[Cell], found: dict[Cell, Figures]) -> int:
    """Return how many cells have no figures yet."""
    return sum(cell not in found for cell in cells)
