"""Tables of experiments: contestants seed by seed against a baseline, and schedulers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hadaropt.bench.cells import Cell
from hadaropt.bench.paired import Paired, compare
from hadaropt.bench.report import figure
from hadaropt.bench.schedulers import SimulatedCell

PAIRED_COLUMNS = ("pairs", "seeds", "mean difference", "95 % interval", "better", "worse")
PAIRED_NOTE = (
    "mean difference of P / best known value (1 is the optimum where it is proved) from the "
    "baseline on the same instances; bootstrap interval over the seeds, each with its instances."
)
SCHEDULER_NOTE = (
    "JCT: mean over the jobs of a workload, then over the seeds, in hours. ratio: geometric mean "
    "of JCT over that of the baseline on the same workloads; bootstrap interval over the seeds. "
    "FTF: finish-time fairness rho, smaller is better."
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
        values = {name: _log_jct(found) for name, found in own.items()}
        paired = {row.name: row for row in compare(values, baseline)}
        tables[family] = [_row(name, found, paired) for name, found in own.items()]
    return tables


def _log_jct(cells: Sequence[SimulatedCell]) -> dict[tuple[object, int], float]:
    return {
        (cell.seed, cell.seed): math.log(jct)
        for cell in cells
        if (jct := cell.figures.get("jct_s.mean")) is not None and jct > 0
    }


def _row(
    name: str, cells: Sequence[SimulatedCell], paired: Mapping[str, Paired]
) -> tuple[str, ...]:
    def mean(key: str, unit: float = 1.0) -> float:
        found = [x for cell in cells if (x := cell.figures.get(key)) is not None]
        return math.fsum(found) / len(found) / unit if found else math.nan

    row = paired.get(name)
    return (
        name,
        str(len(cells)),
        figure(mean("jct_s.mean", 3600)),
        figure(mean("jct_s.p95", 3600)),
        "-" if row is None else figure(math.exp(row.mean)),
        "-"
        if row is None or math.isnan(row.low)
        else f"{figure(math.exp(row.low))}..{figure(math.exp(row.high))}",
        figure(mean("makespan_s", 3600)),
        figure(mean("finish_time_fairness.mean")),
        f"{mean('gru'):.1%}",
        figure(sum(cell.seconds.get("run", 0.0) for cell in cells) / len(cells)),
    )
