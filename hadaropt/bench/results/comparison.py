"""Tables of experiments: contestants seed by seed against a baseline, and schedulers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.report import figure
from hadaropt.bench.results.paired import ITSELF, Paired, compare
from hadaropt.bench.schedulers.suite import SimulatedCell
from hadaropt.simulate.metrics import Distribution

PAIRED_COLUMNS = ("pairs", "seeds", "mean difference", "95 % interval", "better", "worse")


def against(baseline: str) -> str:
    """Return the heading of what is compared with a baseline."""
    return "against the same without [ ]" if baseline == ITSELF else f"against {baseline}"


PAIRED_NOTE = (
    "mean difference of P / best known value (1 is the optimum where it is proved) from the "
    "baseline on the same instances; bootstrap interval over the seeds, each with its instances."
)
SCHEDULER_NOTE = (
    "done: completed of all jobs. JCT: over the jobs of a workload that every scheduler completes "
    "(common), then the mean over the seeds, in hours. ratio: geometric mean of JCT over that of "
    "the baseline on the same workloads and jobs; bootstrap interval over the seeds. FTF, in use: "
    "over a scheduler's own jobs. FTF: finish-time fairness rho, smaller is better."
)


def paired_shares(cells: Sequence[Cell], baseline: str) -> list[Paired]:
    """Compare the share of the best known value that each policy collects."""
    values: dict[str, dict[tuple[object, int], float]] = {}
    for cell in cells:
        share = 1.0 if cell.best == 0 else float(cell.primal / cell.best)
        place = ((cell.family, cell.seed, cell.parallelism), cell.seed)
        values.setdefault(cell.policy, {})[place] = share
    return compare(values, baseline)


def paired_rows(rows: Sequence[Paired], label: str = "") -> list[tuple[str, ...]]:
    """Return the rows of `PAIRED_COLUMNS`, after the name and the label."""
    return [
        (
            row.name,
            label,
            str(row.pairs),
            str(row.seeds),
            f"{row.mean:+.4f}",
            "-" if math.isnan(row.low) else f"{row.low:+.4f}..{row.high:+.4f}",
            str(row.better),
            str(row.worse),
        )
        for row in rows
    ]


SCHEDULER_COLUMNS = (
    "cells",
    "done",
    "common",
    "JCT h",
    "p95 h",
    "ratio",
    "95 % interval",
    "makespan h",
    "FTF",
    "in use",
    "seconds",
)


def scheduler_rows(
    cells: Sequence[SimulatedCell], baseline: str
) -> dict[str, list[tuple[str, ...]]]:
    """Return, per family, the rows of `SCHEDULER_COLUMNS` after the name."""
    tables = {}
    for family in dict.fromkeys(cell.family for cell in cells):
        own: dict[str, list[SimulatedCell]] = {}
        for cell in cells:
            if cell.family == family:
                own.setdefault(cell.scheduler, []).append(cell)
        common, counts = common_jct(cells), common_counts(cells)
        values = {name: _log_jct(found, common) for name, found in own.items()}
        paired = {row.name: row for row in compare(values, baseline)}
        tables[family] = [_row(name, found, common, counts, paired) for name, found in own.items()]
    return tables


Place = tuple[str, int, str]
"""Family, seed, scheduler."""


def common_jct(cells: Sequence[SimulatedCell]) -> dict[Place, Distribution | None]:
    """Return the JCT of each cell over the jobs that every scheduler completes on its workload."""
    shared = _common_jobs(cells)
    return {
        (cell.family, cell.seed, cell.scheduler): Distribution.of(
            [jct for job, jct in cell.jct.items() if job in shared[cell.family, cell.seed]]
        )
        for cell in cells
    }


def common_counts(cells: Sequence[SimulatedCell]) -> dict[tuple[str, int], int]:
    """Return how many jobs of each workload (family, seed) every scheduler completes."""
    return {place: len(jobs) for place, jobs in _common_jobs(cells).items()}


def _common_jobs(cells: Sequence[SimulatedCell]) -> dict[tuple[str, int], set[str]]:
    shared: dict[tuple[str, int], set[str]] = {}
    for cell in cells:
        place = cell.family, cell.seed
        shared[place] = shared.get(place, set(cell.jct)) & cell.jct.keys()
    return shared


def _log_jct(
    cells: Sequence[SimulatedCell], common: Mapping[Place, Distribution | None]
) -> dict[tuple[object, int], float]:
    return {
        (cell.seed, cell.seed): math.log(jct.mean)
        for cell in cells
        if (jct := common[cell.family, cell.seed, cell.scheduler]) is not None and jct.mean > 0
    }


def _row(
    name: str,
    cells: Sequence[SimulatedCell],
    common: Mapping[Place, Distribution | None],
    counts: Mapping[tuple[str, int], int],
    paired: Mapping[str, Paired],
) -> tuple[str, ...]:
    def mean(key: str, unit: float = 1.0) -> float:
        found = [x for cell in cells if (x := cell.figures.get(key)) is not None]
        return math.fsum(found) / len(found) / unit if found else math.nan

    def total(key: str) -> int:
        return sum(int(cell.figures.get(key) or 0) for cell in cells)

    jct = [x for cell in cells if (x := common[cell.family, cell.seed, name]) is not None]
    hours = math.nan if not jct else math.fsum(x.mean for x in jct) / len(jct) / 3600
    tail = math.nan if not jct else math.fsum(x.p95 for x in jct) / len(jct) / 3600
    row = paired.get(name)
    return (
        name,
        str(len(cells)),
        f"{total('done')}/{total('jobs')}",
        str(sum(counts[cell.family, cell.seed] for cell in cells)),
        figure(hours),
        figure(tail),
        "-" if row is None else figure(math.exp(row.mean)),
        "-"
        if row is None or math.isnan(row.low)
        else f"{figure(math.exp(row.low))}..{figure(math.exp(row.high))}",
        figure(mean("makespan_s", 3600)),
        figure(mean("finish_time_fairness.mean")),
        f"{mean('gru'):.1%}",
        figure(sum(cell.seconds.get("run", 0.0) for cell in cells) / len(cells)),
    )
